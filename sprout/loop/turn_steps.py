"""Steps of a turn: what it yields beside its events, and its result."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from sprout.errors import ModelFailure
from sprout.events import Event, ReachedLimit, Usage
from sprout.loop.human import HumanQuestion
from sprout.loop.model import Message, Text, ToolResult, ToolUse
from sprout.loop.tools import Effect, says_unchanged


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call that starts when the next step is requested: until then it can be recorded.

    After a crash the same call may be yielded again; then it begins again.

    Args:
        iteration: of the reply that it belongs to.
        text_before: the texts of that reply between the call that was yielded last and this one.
        repeatable: whether it may begin again when its end is unknown: it reads, or its tool declares itself
            `idempotent` or `stored`. Not `Tool.repeatable`, which is about loop detection.
    """

    call: ToolUse
    effect: Effect
    iteration: int = 0
    text_before: tuple[Text, ...] = ()
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class CallDone:
    """A call that has its result; `attempts` is 0 where the tool was not run at all."""

    call: ToolUse
    result: ToolResult
    duration_s: float
    attempts: int


OnUndelivered = Callable[[CallDone], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """The transcript has grown by a message.

    Args:
        stop_reason: why a reply ended: the provider's word, or a constant of `model_reply`. None for a user message.
        state: the turn's counters as JSON, to be stored with the message; they resume the turn.
    """

    message: Message
    iteration: int
    stop_reason: str | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True)
class ViewCompacted:
    """The view was compacted, or that was tried: JSON by which a later worker sends the same view without paying again.

    It stays valid while messages are added to the transcript. The last one is `ResumeState.view`.
    """

    state: str
    iteration: int


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call in the result of a turn; `result` is the text that the model received.

    Duration and attempts are 0 for a call that an earlier worker ran.
    """

    id: str
    name: str
    input: Mapping[str, object]
    result: str
    is_error: bool
    duration_s: float
    attempts: int

    @property
    def unchanged(self) -> bool:
        """Whether it was a success that has kept all as it is."""
        return not self.is_error and says_unchanged(self.result)


@dataclass(frozen=True, slots=True)
class TurnResult:
    """Result of a turn that has ended.

    Args:
        text: the last words of the model.
        reason: end_turn, stop_sequence, max_iterations, refusal, budget, cancelled, soft_limit, waiting_on_human or
            failed.
        messages: the transcript; if the turn waits for a person, its last message is the reply whose calls wait.
        usage: of all calls, failed attempts and summaries included.
        transitions: why each iteration went on or ended, one code each.
        problems: remaining objections of the stop checks.
        failure: the model's last failure, if `reason` is failed.
        question: for a person, if `reason` is waiting_on_human.
        known: results of calls of the last message that ran while others wait for the person.
        withheld: why the last words were not shown, if the model found none that could be.
        reached_limit: if `reason` is max_iterations, budget or soft_limit.
    """

    text: str
    reason: str
    calls: tuple[CallRecord, ...]
    messages: tuple[Message, ...]
    usage: Usage
    iterations: int
    transitions: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    failure: ModelFailure | None = None
    question: HumanQuestion | None = None
    known: tuple[ToolResult, ...] = ()
    withheld: str | None = None
    reached_limit: ReachedLimit | None = None


@dataclass(frozen=True, slots=True)
class Forbid:
    """A stop check's decision that the turn must not end yet, with the message to the model."""

    message: str


Step = Event | CallStarted | CallDone | MessageAdded | ViewCompacted | TurnResult
StopCheck = Callable[[TurnResult], Awaitable[str | Forbid | None]]
