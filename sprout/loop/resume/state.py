"""Resume state: what one worker leaves to the next, so that a turn goes on where it stood."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from sprout.loop.encoding.message_codec import DecodingError
from sprout.loop.encoding.surrogates import replace_surrogates
from sprout.loop.model import ToolResult
from sprout.loop.progress.detectors import LoopDetected
from sprout.loop.progress.loop_guard import LoopState
from sprout.loop.state import TurnState
from sprout.loop.tool_calls.permissions import Approval


@dataclass(frozen=True, slots=True)
class ResumeState:
    """Progress of a turn at the point from which it is resumed.

    Args:
        state: as stored with the last message, with usage and iterations; `run_turn` adds the transcript.
        stop_reason: of the last reply that was stored.
        known_results: results of calls of the last message.
        approvals: calls that a person has allowed.
        elapsed_s: working time of all earlier workers; the time between them does not count.
        view: `ViewCompacted.state` of the last compaction, if any.
        input_count: number of messages before the first reply.
        reply_is_unstored: the last message was put together from the calls of a reply that broke off, and is yielded
            first, to be stored.
        question_answered: the transcript ends with a person's answer to a question of the loop.
    """

    state: TurnState = TurnState()
    stop_reason: str | None = None
    known_results: Sequence[ToolResult] = ()
    approvals: Sequence[Approval] = ()
    elapsed_s: float = 0.0
    view: str | None = None
    input_count: int = 1
    reply_is_unstored: bool = False
    question_answered: bool = False


_Pending = tuple[Literal["identical", "pattern", "period"], str, int]


class _StoredState(BaseModel):
    """The counters of a `TurnState` as JSON; what the transcript, the calls or the usage events have is left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: Literal[1] = 1
    phase: Literal["ready", "replied", "answered"]
    transitions: tuple[str, ...]
    iteration_tokens: int
    text_replies: tuple[int, ...]
    joins_text: bool
    continuations: int
    answer_requested: bool
    withheld_count: int
    withheld: str | None
    objections: tuple[int, ...]
    escalated: bool
    images_left_out: int
    farewell: bool
    on_fallback: bool
    level: int
    pending: _Pending | None
    unheeded: int
    stalled_in_a_row: int


def state_as_json(state: TurnState) -> str:
    """The state as JSON, as far as a checkpoint stores it."""
    loop, pending = state.loop, state.loop.pending
    return _StoredState(
        phase=state.phase,
        transitions=state.transitions,
        iteration_tokens=state.iteration_tokens,
        text_replies=state.text_replies,
        joins_text=state.joins_text,
        continuations=state.continuations,
        answer_requested=state.answer_requested,
        withheld_count=state.withheld_count,
        withheld=state.withheld,
        objections=state.objections,
        escalated=state.escalated,
        images_left_out=state.images_left_out,
        farewell=state.farewell,
        on_fallback=state.on_fallback,
        level=loop.level,
        pending=None if pending is None else (pending.kind, replace_surrogates(pending.tool), pending.count),
        unheeded=loop.unheeded,
        stalled_in_a_row=loop.stalled_in_a_row,
    ).model_dump_json()


def state_from_json(text: str) -> TurnState:
    """The state without its transcript, usage and iterations. Raises DecodingError."""
    try:
        stored = _StoredState.model_validate_json(text)
    except ValidationError as error:
        raise DecodingError(f"The state of the turn cannot be read: {error}") from None
    pending = None if stored.pending is None else LoopDetected(*stored.pending)
    return TurnState(
        phase=stored.phase,
        transitions=stored.transitions,
        iteration_tokens=stored.iteration_tokens,
        text_replies=stored.text_replies,
        joins_text=stored.joins_text,
        continuations=stored.continuations,
        answer_requested=stored.answer_requested,
        withheld_count=stored.withheld_count,
        withheld=stored.withheld,
        objections=stored.objections,
        escalated=stored.escalated,
        images_left_out=stored.images_left_out,
        farewell=stored.farewell,
        on_fallback=stored.on_fallback,
        loop=LoopState(stored.level, pending, stored.unheeded, stored.stalled_in_a_row),
    )
