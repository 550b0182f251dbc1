"""What a turn yields beside its events, and how it ends."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from sprout.errors import ModelFailure
from sprout.events import Event, Usage
from sprout.loop.execution import CallDone
from sprout.loop.human import HumanQuestion
from sprout.loop.model import Message, Text, ToolResult, ToolUse
from sprout.loop.tools import Effect


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call that starts once whoever reads the steps asks for the next one: until then it can be recorded.

    After a crash a call may be told of a second time; then it begins again.

    Args:
        iteration: of the reply that it belongs to.
        said: the texts of that reply between the last call that was told of and this one (E1).
        repeatable: whether it may simply be begun again where it began and its end is not known: it reads, or its tool
            declares itself `idempotent` or `stored`. Not `Tool.repeatable`, which is about circles.
    """

    call: ToolUse
    effect: Effect
    iteration: int = 0
    said: tuple[Text, ...] = ()
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """The transcript has grown by a message.

    Args:
        stop_reason: why a reply ended, to be handed back as `Carried.stop_reason`: the provider's word, or one of
            `replied.py`. None for what the user says.
    """

    message: Message
    iteration: int
    stop_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Compacted:
    """The view was made smaller, or that was tried: JSON by which a later carrier sends the same view unpaid.

    It stays good while messages are added to the transcript. The last one is `Carried.view`.
    """

    state: str
    iteration: int


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call as the result keeps it; `result` is what the model was told, as text.

    Of a call that an earlier carrier ran, duration and attempts are not known, and 0.
    """

    id: str
    name: str
    input: Mapping[str, object]
    result: str
    is_error: bool
    duration_s: float
    attempts: int


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended.

    Args:
        text: the last words of the model.
        reason: end_turn, stop_sequence, max_iterations, refusal, budget, cancelled, soft_limit, waiting_on_human or
            failed.
        messages: the transcript; where a person is waited for, its last message is the reply whose calls wait.
        usage: of all calls, failed attempts and summaries included.
        transitions: why each iteration went on or ended (loop.md L15).
        problems: what the stop checks still had to say, and which budget was spent.
        failure: what the model's last failure was, where `reason` is failed.
        question: what a person is asked, where `reason` is waiting_on_human.
        known: results of calls of the last message that ran while others wait for the person.
        withheld: why the last words were not shown, where the model did not find any that could be.
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


@dataclass(frozen=True, slots=True)
class Forbid:
    """A stop check's word that the run must not end yet; what to tell the model."""

    say: str


Step = Event | CallStarted | CallDone | MessageAdded | Compacted | TurnResult
StopCheck = Callable[[TurnResult], Awaitable[str | Forbid | None]]
