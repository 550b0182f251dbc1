"""Resume point of a run: its checkpoints and call envelopes, put together for `run_turn`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from sprout.events import Usage
from sprout.loop.encoding.message_codec import input_from_json, messages_from_json, result_from_text, texts_from_json
from sprout.loop.model import Block, Message, Text, ToolResult, ToolUse
from sprout.loop.resume.past_replies import past_replies
from sprout.loop.resume.state import ResumeState, state_from_json
from sprout.loop.state import TurnState

TURN_KINDS = ("llm_response", "tool_result")


@dataclass(frozen=True, slots=True)
class MessageCheckpoint:
    """A checkpoint at a boundary of the loop.

    Args:
        kind: `input` before the first reply, `llm_response` for a reply, `tool_result` for any other `MessageAdded`,
            `compaction` for a `ViewCompacted`, `human_pause` for a person's answer.
        messages: the messages that were added, by `messages_as_json`; or empty.
        stop_reason: see `MessageAdded`.
        state: of the `MessageAdded` or the `ViewCompacted`; None in checkpoints from before it was stored.
        elapsed_s: the run's working time until then.
    """

    kind: str
    iteration: int
    messages: str
    stop_reason: str | None = None
    state: str | None = None
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class CallEnvelope:
    """The envelope of a call; envelopes are listed in the order in which their calls first began.

    Args:
        input: JSON of an object.
        text_before: by `texts_as_json`.
        safe: see `CallStarted.repeatable`.
        result: by `result_as_text`; None while the call's end is unknown.
    """

    call_id: str
    tool: str
    input: str
    iteration: int
    text_before: str
    safe: bool
    result: str | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class StartedCall:
    """A call that began while its reply was still streaming, with the texts before it as in `CallStarted`."""

    call: ToolUse
    text_before: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """The arguments `messages` and `resume` of `run_turn`, and what must be settled first.

    Args:
        open_calls: calls of the last message without a result; they run when the turn goes on.
        in_doubt: those that may or may not have taken effect. A person must say first: the result of one that did joins
            `resume.known_results`, one that did not runs with the others.
    """

    messages: tuple[Message, ...]
    open_calls: tuple[ToolUse, ...]
    in_doubt: tuple[ToolUse, ...]
    resume: ResumeState


def partial_reply(begun: Sequence[StartedCall]) -> Message:
    """The reply that broke off, as far as its calls go: a valid message, without thinking."""
    blocks: list[Block] = []
    for one in begun:
        blocks += [*one.text_before, one.call]
    return Message("assistant", tuple(blocks))


def resume_point(
    checkpoints: Sequence[MessageCheckpoint],
    calls: Sequence[CallEnvelope],
    *,
    usage: Usage = Usage(),
    elapsed_s: float = 0.0,
) -> ResumePoint:
    """Resume point of a run, from its checkpoints and envelopes, each in the order in which they were written.

    Raises DecodingError if any of them cannot be decoded.

    Args:
        usage: of all its model calls so far.
        elapsed_s: its working time, if it is known to be longer than in the last checkpoint.
    """
    parts = [messages_from_json(one.messages) if one.messages else () for one in checkpoints]
    messages = [message for part in parts for message in part]
    input_count = sum(len(part) for _, part in takewhile(_is_input, zip(checkpoints, parts, strict=True)))
    replies = [one for one in checkpoints if one.kind == "llm_response"]
    last_reply = max((one.iteration for one in replies), default=0)
    cut = [call for call in calls if call.iteration > last_reply]
    state = _stored_state(checkpoints, messages, input_count)
    if cut:
        messages.append(partial_reply([_begun(call) for call in cut]))
    envelopes = {call.call_id: call for call in calls}
    unanswered = _unanswered(messages)
    known = tuple(result for call in unanswered if (result := _result(envelopes.get(call.id))) is not None)
    ended = {result.call_id for result in known}
    open_calls = tuple(call for call in unanswered if call.id not in ended)
    counted = [one.iteration for one in checkpoints if one.kind in TURN_KINDS]
    iterations = max([*counted, *(call.iteration for call in calls)], default=0)
    resume = ResumeState(
        replace(state, usage=usage, iterations=iterations),
        stop_reason=replies[-1].stop_reason if replies else None,
        known_results=known,
        elapsed_s=max([elapsed_s, *(one.elapsed_s for one in checkpoints)]),
        view=next((one.state for one in reversed(checkpoints) if one.kind == "compaction" and one.state), None),
        input_count=input_count,
        reply_is_unstored=bool(cut),
        question_answered=_question_answered(checkpoints, parts),
    )
    return ResumePoint(tuple(messages), open_calls, _in_doubt(open_calls, envelopes), resume)


def _stored_state(checkpoints: Sequence[MessageCheckpoint], messages: Sequence[Message], input_count: int) -> TurnState:
    """The state of the last message; counters begin at 0 after checkpoints without one."""
    stored = next((one.state for one in reversed(checkpoints) if one.kind in TURN_KINDS and one.state), None)
    if stored is not None:
        return state_from_json(stored)
    past = past_replies(messages[input_count:])
    return TurnState(phase="answered" if past and not past[-1].followed else "ready")


def _question_answered(checkpoints: Sequence[MessageCheckpoint], parts: Sequence[Sequence[Message]]) -> bool:
    """Whether a person has answered a question of the loop since its last message."""
    for one, part in zip(reversed(checkpoints), reversed(parts), strict=True):
        if one.kind in TURN_KINDS:
            return False
        if one.kind == "human_pause" and part:
            return True
    return False


def _is_input(pair: tuple[MessageCheckpoint, object]) -> bool:
    return pair[0].kind == "input"


def _begun(call: CallEnvelope) -> StartedCall:
    return StartedCall(_use(call), texts_from_json(call.text_before))


def _use(call: CallEnvelope) -> ToolUse:
    return ToolUse(call.call_id, call.tool, input_from_json(call.input))


def _result(call: CallEnvelope | None) -> ToolResult | None:
    if call is None or call.result is None:
        return None
    return ToolResult(call.call_id, result_from_text(call.result), call.is_error)


def _unanswered(messages: Sequence[Message]) -> list[ToolUse]:
    """The calls of the last message; calls of any other are followed by their results."""
    if not messages or messages[-1].role != "assistant":
        return []
    return [block for block in messages[-1].content if isinstance(block, ToolUse)]


def _in_doubt(open_calls: Sequence[ToolUse], envelopes: Mapping[str, CallEnvelope]) -> tuple[ToolUse, ...]:
    return tuple(call for call in open_calls if call.id in envelopes and not envelopes[call.id].safe)
