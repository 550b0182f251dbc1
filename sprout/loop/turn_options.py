"""Options and hooks of a turn: what an agent chooses (such as its voice), and what the caller provides."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sprout.loop.context.keeper import Flush
from sprout.loop.context.strategy import Auto, Strategy
from sprout.loop.context.summary import SummaryFunction
from sprout.loop.human import ask_human
from sprout.loop.journal import Journal
from sprout.loop.limits import Clock, Limits
from sprout.loop.model import ModelTraits
from sprout.loop.policy import LoopPolicy
from sprout.loop.stop import Stop
from sprout.loop.tool_calls.permissions import Permissions
from sprout.loop.tools import Profile, Tool
from sprout.loop.turn_steps import OnUndelivered, StopCheck

Voice = Literal["reasoning", "message"]


class OutputFilter(Protocol):
    """Filter for one reply: text goes in as it is written, the part that may be shown comes out.

    `withheld` is why nothing more comes out: the form of what was found, never what it was.
    """

    withheld: str | None

    def feed(self, text: str) -> str:
        """Take in the next text of the reply, and return what may be shown now."""
        ...

    def end(self) -> str:
        """Return what may be shown of the rest, at the end of a block."""
        ...


OutputFilterFactory = Callable[[], OutputFilter]


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """Options of a turn, beside the numbers of its policy.

    Args:
        traits: what the model can do; the defaults are cautious.
        fallback_model: takes over while the model stays overloaded.
        voice: whether the model's text is reasoning or words to the learner.
        strategy: how the conversation is kept within the window.
        profile: which tools may be called; all of them are declared, whatever the profile.
        permissions: which calls may run, and which a person is asked about.
        can_wait: whether the turn may end to wait for a person.
        asks: whether a person decides how to go on when the model repeats itself for the third time, or loses the
            context repeatedly; if not, and without `ask_human` among the tools, the turn ends with what it has.
        lookup: the agent's tool for looking things up; a model that repeats itself is made to call it.
        token_target: output tokens of which at least nine tenths are wanted before the end.
        journal: notes of the agent's earlier run: their digest ends the system prompt, all of them stand before the
            live messages.
        stop_checks: look at a result before a normal end; each may send two corrections to the model.
    """

    traits: ModelTraits = field(default_factory=ModelTraits)
    fallback_model: str | None = None
    voice: Voice = "reasoning"
    strategy: Strategy = field(default_factory=Auto)
    profile: Profile = Profile.FULL
    permissions: Permissions = field(default_factory=Permissions)
    can_wait: bool = False
    asks: bool = True
    lookup: str | None = None
    token_target: int | None = None
    journal: Journal = field(default_factory=Journal)
    stop_checks: Sequence[StopCheck] = ()


@dataclass(frozen=True, slots=True)
class TurnHooks:
    """Functions outside the loop that a turn calls.

    Args:
        summarise: makes a summary with a small model; without it old messages are cut deterministically.
        flush: receives the messages with results that a compaction is about to cut.
        on_undelivered: receives the ends of calls that were not yielded when the turn was closed, to store them.
        output_filter: makes the filter for each reply's words to the learner. Words that it withholds are asked for
            again, twice at most; after that `TurnResult.withheld` has the reason. Thoughts are not shown at all.
        clock: monotonic seconds.
    """

    summarise: SummaryFunction | None = None
    flush: Flush | None = None
    on_undelivered: OnUndelivered | None = None
    output_filter: OutputFilterFactory | None = None
    clock: Clock = time.monotonic


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """Settings that stay the same for a whole turn, for the parts of the loop."""

    tools: Mapping[str, Tool]
    policy: LoopPolicy
    stop: Stop
    limits: Limits
    options: TurnOptions
    hooks: TurnHooks

    @property
    def asks(self) -> bool:
        """Whether a person decides how to go on when the model is stuck."""
        return self.options.asks or ask_human.name in self.tools

    @property
    def spoken(self) -> dict[str, tuple[str, ...]]:
        """Tool → the fields of its input that are text to the learner."""
        return {name: tool.spoken for name, tool in self.tools.items() if tool.spoken}
