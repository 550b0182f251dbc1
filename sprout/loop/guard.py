"""Keeps a turn from going in circles or nowhere: notices, steps in harder each time, and says when it must end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Guardrail
from sprout.loop.detectors import ASK, Detectors, Intervention, Ladder, StalledProgress
from sprout.loop.human import HumanQuestion
from sprout.loop.policy import LoopPolicy
from sprout.loop.replied import Replied
from sprout.loop.result import CallRecord
from sprout.loop.tools import Effect, Tool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be done after an iteration.

    Args:
        event: what people see of it.
        say: what is said to the model before the next call.
        question: a person must be asked, now.
        failure: the turn has failed.
        stalled: the turn ends, because nothing new came.
    """

    event: Guardrail | None = None
    say: str | None = None
    question: HumanQuestion | None = None
    failure: ModelFailure | None = None
    stalled: bool = False


class Guard:
    """Looks at each iteration of one turn (loop.md D1-D4, L12).

    Args:
        lookup: the agent's tool for looking things up, where it has one.
        asks: whether the agent has `ask_human` and a person can be waited for.
    """

    def __init__(self, policy: LoopPolicy, tools: Mapping[str, Tool], *, lookup: str | None, asks: bool) -> None:
        self._tools = tools
        self._detectors = Detectors(policy, frozenset(tool.name for tool in tools.values() if tool.repeatable))
        self._ladder = Ladder(lookup=lookup, asks=asks)
        self._progress = StalledProgress(policy)
        self._intervention: Intervention | None = None
        self._times_unheeded = 0

    @property
    def choice(self) -> str:
        """What the next call shall do: "auto", or the tool that it must call."""
        return (self._intervention and self._intervention.force) or "auto"

    @property
    def question(self) -> HumanQuestion | None:
        """What a person is asked if the model ends its turn although it was told to ask."""
        return self._intervention.question if self._intervention else None

    def heeded(self) -> None:
        """A person has said how to go on: nothing is wanted of the model any more. The level stays."""
        self._intervention, self._times_unheeded = None, 0

    def after(self, reply: Replied, records: Sequence[CallRecord], output_tokens: int) -> Verdict:
        """The verdict on an iteration that would be followed by another.

        Args:
            records: the calls of this iteration, in their order.
            output_tokens: what the model wrote in it.
        """
        say = self._unheeded(reply)
        thrash = self._detectors.after_batch(records)
        event: Guardrail | None = None
        if thrash is not None:
            self._intervention = self._ladder.after(thrash)
            event = Guardrail(level=self._intervention.level, tool=thrash.tool, noticed=thrash.noticed)
            say = self._intervention.say
        if self._detectors.batches_exceeded:
            count = self._detectors.identical_batches
            failure = ModelFailure(ModelFailureKind.NO_PROGRESS, f"The same calls were made {count} times in a row.")
            return Verdict(event, say, failure=failure)
        wanted = self._intervention
        if wanted is None:
            return Verdict(event, say, stalled=self._progress.after_turn(output_tokens, self._effects(records)))
        at_the_end = wanted.level >= ASK and (wanted.force is None or self._times_unheeded > 1)
        return Verdict(event, say, question=wanted.question if at_the_end else None)

    def _unheeded(self, reply: Replied) -> str | None:
        """D4: what was wanted by force and was not done is said once more; the loop never depends on being heard."""
        wanted = self._intervention
        if wanted is None or wanted.force is None or any(call.name == wanted.force for call in reply.calls):
            self.heeded()
            return None
        self._times_unheeded += 1
        if self._times_unheeded == 1:
            return wanted.say
        if wanted.question is None:
            self._intervention = None
        return None

    def _effects(self, records: Sequence[CallRecord]) -> int:
        """How many calls changed something or brought something new."""
        tools = [self._tools.get(record.name) for record in records if not record.is_error]
        return self._detectors.news + sum(tool is not None and tool.effect is Effect.WRITE for tool in tools)
