"""Loop guard: escalates when a turn repeats itself, and ends one that makes no progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Guardrail
from sprout.loop.human import HumanQuestion, ask_human
from sprout.loop.model_notices import notice
from sprout.loop.model_reply import ModelReply
from sprout.loop.policy import LoopPolicy
from sprout.loop.progress.detectors import ASK, Escalation, Intervention, LoopDetected, LoopDetector, StallDetector
from sprout.loop.tools import Effect, Tool
from sprout.loop.turn_steps import CallRecord


@dataclass(frozen=True, slots=True)
class LoopState:
    """The guard's part of a turn's state.

    Args:
        level: of the last intervention: 0 before the first, then 1 to 3; never falls.
        pending: the loop that the model has still to leave.
        unheeded: replies in a row without the call that was to be forced.
        stalled_in_a_row: small iterations without effect, in a row.
    """

    level: int = 0
    pending: LoopDetected | None = None
    unheeded: int = 0
    stalled_in_a_row: int = 0

    def answered(self) -> "LoopState":
        """The state once a person has decided how to go on, or the model has followed the directive."""
        return replace(self, pending=None, unheeded=0)


@dataclass(frozen=True, slots=True)
class GuardVerdict:
    """Verdict of the loop guard on what follows an iteration.

    Args:
        event: for people to see.
        message: for the model, before the next call.
        question: for a person, who must be asked now.
        failure: the failure with which the turn ends.
        stuck: why a turn without a person to ask ends: a repetition, or steps that bring nothing new.
        stalled: whether a turn that has a person to ask, or a target, ends for lack of progress.
    """

    event: Guardrail | None = None
    message: str | None = None
    question: HumanQuestion | None = None
    failure: ModelFailure | None = None
    stuck: str | None = None
    stalled: bool = False


class LoopGuard:
    """Watches the iterations of one turn. The detector remembers calls and results; all else is in `LoopState`.

    Args:
        lookup: the agent's tool for looking things up; one that is not among `tools` is not asked for.
        asks: whether a person decides at the highest level.
        can_wait: whether the turn may wait for a person whom the model asks.
        has_target: whether the model was asked to go on for as long as something new comes.
    """

    def __init__(
        self,
        policy: LoopPolicy,
        tools: Mapping[str, Tool],
        *,
        lookup: str | None,
        asks: bool,
        can_wait: bool,
        has_target: bool = False,
    ) -> None:
        self._tools = tools
        self._detector = LoopDetector(policy, frozenset(tool.name for tool in tools.values() if tool.repeatable))
        self._escalation = Escalation(
            lookup=lookup if lookup in tools else None,
            asks=asks,
            has_ask_human=can_wait and ask_human.name in tools,
        )
        self._stall_detector = StallDetector(policy)
        self._has_target = has_target

    def choice(self, loop: LoopState) -> str:
        """The tool choice of the next call: "auto", or the tool that it must call."""
        wanted = self._intervention(loop)
        return (wanted and wanted.forced_tool) or "auto"

    def question(self, loop: LoopState) -> HumanQuestion | None:
        """The question for a person if the model ends its turn although it was to ask."""
        wanted = self._intervention(loop)
        return wanted.question if wanted else None

    def replay(self, records: Sequence[CallRecord]) -> None:
        """Take in a batch that an earlier worker has observed."""
        self._detector.observe(records)

    def observe(
        self, loop: LoopState, reply: ModelReply, records: Sequence[CallRecord], output_tokens: int
    ) -> tuple[LoopState, GuardVerdict]:
        """The state and the verdict after an iteration that another would follow.

        Args:
            records: the calls of this iteration, in their order.
            output_tokens: of this iteration.
        """
        loop, message = self._after_unheeded(loop, reply)
        detected = self._detector.observe(records)
        event: Guardrail | None = None
        if detected is not None:
            loop = replace(loop, level=min(loop.level + 1, ASK), pending=detected)
            message = self._escalation.intervention(loop.level, detected).message
            event = Guardrail(level=loop.level, tool=detected.tool, noticed=detected.description)
        if loop.pending is None and not self._detector.batches_exceeded:
            count = self._stall_detector.count(loop.stalled_in_a_row, output_tokens, self._effects(records))
            loop = replace(loop, stalled_in_a_row=count)
        return loop, replace(self.verdict(loop), event=event, message=message)

    def verdict(self, loop: LoopState) -> GuardVerdict:
        """Verdict that the state demands, whether or not it was reached just now."""
        if self._detector.batches_exceeded:
            count = self._detector.identical_batches
            why = f"The same calls were made {count} times in a row."
            return GuardVerdict(failure=ModelFailure(ModelFailureKind.NO_PROGRESS, why))
        wanted = self._intervention(loop)
        if wanted is None:
            stalled = self._stall_detector.stalled(loop.stalled_in_a_row)
            if stalled and not (self._has_target or self._escalation.asks):
                return GuardVerdict(stuck=notice("no_progress"))
            return GuardVerdict(stalled=stalled)
        if wanted.ends_turn:
            return GuardVerdict(stuck=wanted.description)
        now = wanted.level >= ASK and (wanted.forced_tool is None or loop.unheeded > 1)
        return GuardVerdict(question=wanted.question if now else None)

    def _after_unheeded(self, loop: LoopState, reply: ModelReply) -> tuple[LoopState, str | None]:
        """An intervention that the model has not followed is repeated once; the loop never depends on being heard."""
        wanted = self._intervention(loop)
        if wanted is None or wanted.forced_tool is None or any(call.name == wanted.forced_tool for call in reply.calls):
            return loop.answered(), None
        loop = replace(loop, unheeded=loop.unheeded + 1)
        if loop.unheeded == 1:
            return loop, wanted.message
        return (replace(loop, pending=None) if wanted.question is None else loop), None

    def _intervention(self, loop: LoopState) -> Intervention | None:
        return None if loop.pending is None else self._escalation.intervention(loop.level, loop.pending)

    def _effects(self, records: Sequence[CallRecord]) -> int:
        """Number of calls that changed something or had a new result."""
        tools = [self._tools.get(record.name) for record in records if not record.is_error and not record.unchanged]
        return self._detector.new_results + sum(tool is not None and tool.effect is Effect.WRITE for tool in tools)
