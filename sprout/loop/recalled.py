"""What is kept of a run, put together so that `run_turn` goes on with it (K3, K6, K8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from sprout.events import Usage
from sprout.loop.carried import Carried
from sprout.loop.kept import input_from_json, messages_from_json, result_from_text, said_from_json
from sprout.loop.model import Block, Message, Text, ToolResult, ToolUse
from sprout.loop.replied import CUT


@dataclass(frozen=True, slots=True)
class KeptMessages:
    """A checkpoint: what was kept at a boundary.

    Args:
        kind: as in K1; `input` before the first reply, `llm_response` for a reply, `compaction` for a `Compacted`, any
            other for anything else.
        messages: those that were added, by `messages_as_json`; empty where there are none.
        stop_reason: as `MessageAdded` told it.
        state: as `Compacted` told it.
        elapsed_s: of the run's time, until then.
    """

    kind: str
    iteration: int
    messages: str
    stop_reason: str | None = None
    state: str | None = None
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class KeptCall:
    """The envelope of a call (K6); its place in the list is where it began first.

    Args:
        input: JSON of an object.
        said: by `said_as_json`.
        safe: `CallStarted.repeatable`.
        result: by `result_as_text`; None while its end is not known.
    """

    call_id: str
    tool: str
    input: str
    iteration: int
    said: str
    safe: bool
    result: str | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class BegunCall:
    """A call that began while its reply was still streaming, and the texts before it, as `CallStarted` told them."""

    call: ToolUse
    said: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """What `run_turn` is given: `messages`, `known` and `carried`.

    Args:
        known: results of calls of the last message.
        open_calls: its calls that have no result: they run when the turn goes on.
        in_doubt: those of them of which nobody knows whether they were carried out. A person must say so first: where
            one was, its result joins `known`; where it was not, it runs with the others.
    """

    messages: tuple[Message, ...]
    known: tuple[ToolResult, ...]
    open_calls: tuple[ToolUse, ...]
    in_doubt: tuple[ToolUse, ...]
    carried: Carried


def reply_of(begun: Sequence[BegunCall]) -> Message:
    """The reply that broke off, as far as its calls go: a valid message, without thinking (K8)."""
    blocks: list[Block] = []
    for one in begun:
        blocks += [*one.said, one.call]
    return Message("assistant", tuple(blocks))


def recalled(
    kept: Sequence[KeptMessages], calls: Sequence[KeptCall], *, usage: Usage = Usage(), elapsed_s: float = 0.0
) -> Recalled:
    """Where a run stands, from its checkpoints and envelopes, each in the order in which they were written.

    Raises KeptUnreadable where something of it cannot be read.

    Args:
        usage: of all its model calls so far.
        elapsed_s: of its time, where more is known than the last checkpoint tells.
    """
    parts = [messages_from_json(one.messages) if one.messages else () for one in kept]
    messages = [message for part in parts for message in part]
    replies = [one for one in kept if one.kind == "llm_response"]
    answered = max((one.iteration for one in replies), default=0)
    cut = [call for call in calls if call.iteration > answered]
    if cut:
        messages.append(reply_of([_begun(call) for call in cut]))
    envelopes = {call.call_id: call for call in calls}
    unanswered = _unanswered(messages)
    known = tuple(result for call in unanswered if (result := _result(envelopes.get(call.id))) is not None)
    ended = {result.call_id for result in known}
    open_calls = tuple(call for call in unanswered if call.id not in ended)
    counted = [one.iteration for one in kept if one.kind in ("llm_response", "tool_result")]
    carried = Carried(
        iterations=max([*counted, *(call.iteration for call in calls)], default=0),
        usage=usage,
        elapsed_s=max([elapsed_s, *(one.elapsed_s for one in kept)]),
        stop_reason=CUT if cut else replies[-1].stop_reason if replies else None,
        view=next((one.state for one in reversed(kept) if one.kind == "compaction" and one.state), None),
        begun_with=sum(len(part) for _, part in takewhile(_is_input, zip(kept, parts, strict=True))),
        reply_is_new=bool(cut),
    )
    return Recalled(tuple(messages), known, open_calls, _in_doubt(open_calls, envelopes), carried)


def _is_input(pair: tuple[KeptMessages, object]) -> bool:
    return pair[0].kind == "input"


def _begun(call: KeptCall) -> BegunCall:
    return BegunCall(_use(call), said_from_json(call.said))


def _use(call: KeptCall) -> ToolUse:
    return ToolUse(call.call_id, call.tool, input_from_json(call.input))


def _result(call: KeptCall | None) -> ToolResult | None:
    if call is None or call.result is None:
        return None
    return ToolResult(call.call_id, result_from_text(call.result), call.is_error)


def _unanswered(messages: Sequence[Message]) -> list[ToolUse]:
    """The calls of the last message; calls of any other are followed by their results."""
    if not messages or messages[-1].role != "assistant":
        return []
    return [block for block in messages[-1].content if isinstance(block, ToolUse)]


def _in_doubt(open_calls: Sequence[ToolUse], envelopes: Mapping[str, KeptCall]) -> tuple[ToolUse, ...]:
    return tuple(call for call in open_calls if call.id in envelopes and not envelopes[call.id].safe)
