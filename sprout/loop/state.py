"""State of a turn: everything that a decision of the loop reads, as one frozen value.

The parts of the loop read a `TurnState` and return a changed one; none of them writes into another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sprout.errors import ModelFailure
from sprout.events import ReachedLimit, Usage
from sprout.loop.human import HumanQuestion
from sprout.loop.model import Message, Text, ToolResult
from sprout.loop.model_reply import ModelReply
from sprout.loop.progress.loop_guard import LoopState
from sprout.loop.turn_steps import CallRecord, TurnResult

Phase = Literal["ready", "replied", "answered"]


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a turn.

    Args:
        reason: see `TurnResult.reason`.
        question: the question that a person must answer.
        problems: objections that remain.
        reached_limit: the limit or budget that ended the turn.
    """

    reason: str
    question: HumanQuestion | None = None
    problems: tuple[str, ...] = ()
    reached_limit: ReachedLimit | None = None

    @property
    def normal(self) -> bool:
        """Whether the model has ended by itself; the agent's checks apply to such an end alone."""
        return self.reason in ("end_turn", "stop_sequence")


@dataclass(frozen=True, slots=True)
class TurnState:
    """One moment of a turn.

    Args:
        phase: ready: the next step is a model call or the end; replied: the last reply is in the transcript, results of
            its calls are missing; answered: they are there too, and what follows is undecided.
        iteration_tokens: output tokens of the open iteration, retries included.
        text_replies: the places in the transcript of the replies that make up `text`.
        joins_text: whether the next reply continues that text.
        continuations: requests to continue a truncated reply.
        answer_requested: whether an empty reply was answered with a request for words.
        withheld_count: how often withheld words were asked for again.
        withheld: the form of the words that were withheld for good.
        objections: corrections sent so far, per stop check.
        escalated: whether replies have the larger token limit.
        images_left_out: how many of the oldest pictures are left out of requests.
        farewell: whether the model was asked for its last words.
        on_fallback: whether the fallback model is in use.
        known_results: results of the last reply's calls that ran while others wait for a person.
    """

    transcript: tuple[Message, ...] = ()
    phase: Phase = "ready"
    usage: Usage = Usage()
    iterations: int = 0
    transitions: tuple[str, ...] = ()
    iteration_tokens: int = 0
    text_replies: tuple[int, ...] = ()
    joins_text: bool = False
    continuations: int = 0
    answer_requested: bool = False
    withheld_count: int = 0
    withheld: str | None = None
    objections: tuple[int, ...] = ()
    escalated: bool = False
    images_left_out: int = 0
    farewell: bool = False
    on_fallback: bool = False
    loop: LoopState = LoopState()
    failure: ModelFailure | None = None
    ending: Ending | None = None
    calls: tuple[CallRecord, ...] = ()
    known_results: tuple[ToolResult, ...] = ()

    @property
    def text(self) -> str:
        """The last words of the model."""
        blocks = (block for at in self.text_replies for block in self.transcript[at].content)
        return "".join(block.text for block in blocks if isinstance(block, Text))

    def with_message(self, message: Message, phase: Phase) -> "TurnState":
        return replace(self, transcript=(*self.transcript, message), phase=phase)

    def with_usage(self, usage: Usage) -> "TurnState":
        return replace(self, usage=self.usage.plus(usage))

    def with_transition(self, code: str) -> "TurnState":
        return replace(self, transitions=(*self.transitions, code))

    def with_text_of(self, reply: ModelReply) -> "TurnState":
        """The state after a reply's words; the reply is the last one of the transcript."""
        if not reply.text:
            return self
        place = max(at for at, message in enumerate(self.transcript) if message.role == "assistant")
        return replace(self, text_replies=(*self.text_replies, place) if self.joins_text else (place,))

    def ended(
        self,
        reason: str,
        *,
        question: HumanQuestion | None = None,
        problems: Sequence[str] = (),
        reached_limit: ReachedLimit | None = None,
    ) -> "TurnState":
        return replace(self, ending=Ending(reason, question, tuple(problems), reached_limit))


def turn_result(state: TurnState, ending: Ending) -> TurnResult:
    """The result of a turn that ends like this now."""
    return TurnResult(
        text=state.text,
        reason=ending.reason,
        calls=state.calls,
        messages=state.transcript,
        usage=state.usage,
        iterations=state.iterations,
        transitions=state.transitions,
        problems=ending.problems,
        failure=state.failure,
        question=ending.question,
        known=state.known_results,
        withheld=state.withheld,
        reached_limit=ending.reached_limit,
    )
