"""Streams that no provider should send (faults.md N7, N8): what is known is read, the rest ends the attempt."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.loop.scripted_turn import BEGIN, LONGEST_S, policy_with
from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Usage
from sprout.llm.claude import MAX_BYTES_PER_TOKEN, MAX_CHARACTERS_PER_TOKEN, MAX_OVERHEAD_BYTES, Claude
from sprout.loop.model import (
    BlockDone,
    InputPart,
    Message,
    ModelRequest,
    RedactedThinking,
    ReplyEnded,
    ReplyPart,
    Text,
    TextPart,
    Thinking,
    ThinkingPart,
    ToolUse,
    UsagePart,
)
from sprout.loop.turn import TurnResult, run_turn
from tests.llm.raw_model import RawModel, raw_model

REQUEST = ModelRequest("sprout-offline", "Be brief.", (Message("user", (Text("go"),)),), (), 8_000)
EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 3, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Größe 😀"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "n"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a": 1}'}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]
STRANGE: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
AT_ONCE = 20  # replies of one example: a server and a client take longer than all of them
MANY = settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def framed(event: object, end: bytes = b"\n") -> bytes:
    kind = event.get("type", "x") if isinstance(event, dict) else "x"
    data = json.dumps(event, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return b"event: " + str(kind).encode("utf-8", "replace") + end + b"data: " + data + end + end


WHOLE = b"".join(framed(event) for event in EVENTS)


@st.composite
def spoilt_events(draw: st.DrawFn) -> bytes:
    """The events of a good reply, with a value of one or two replaced by anything, and in any order."""
    events: list[Any] = json.loads(json.dumps(EVENTS))
    for _ in range(draw(st.integers(1, 2))):
        holder: Any = events
        key: Any = draw(st.integers(0, len(events) - 1))
        while isinstance(holder[key], dict) and holder[key] and draw(st.booleans()):
            holder, key = holder[key], draw(st.sampled_from(sorted(holder[key])))
        holder[key] = draw(STRANGE)
        if not all(isinstance(event, dict) for event in events):
            break
    if draw(st.booleans()):
        events = draw(st.permutations(events))
    return b"".join(framed(event) for event in events)


@st.composite
def spoilt_bytes(draw: st.DrawFn) -> bytes:
    """The bytes of a good reply with some of them cut out, doubled or replaced."""
    raw = WHOLE
    for _ in range(draw(st.integers(1, 3))):
        at, to = sorted((draw(st.integers(0, len(raw))), draw(st.integers(0, len(raw)))))
        raw = draw(
            st.sampled_from(
                (raw[:at] + draw(st.binary(max_size=6)) + raw[at:], raw[:at] + raw[to:], raw[:to] + raw[at:])
            )
        )
    return raw


class Listening:
    """One server and one client for many replies."""

    def __init__(self, served: RawModel, model: Claude) -> None:
        self.served, self._model = served, model

    async def heard(self, *pieces: bytes) -> list[ReplyPart] | ModelFailure:
        """The parts of a reply that comes in these pieces, or how the attempt has ended."""
        self.served.pieces = lambda: pieces
        try:
            return [part async for part in self._model.reply(REQUEST)]
        except ModelFailure as failure:
            return failure


@pytest.fixture
async def listening() -> AsyncIterator[Listening]:
    served = RawModel()
    async with raw_model(served) as model:
        yield Listening(served, model)


def check(found: list[ReplyPart] | ModelFailure) -> None:
    """Whatever came, each part is fit to be kept, sent on and sent again."""
    if isinstance(found, ModelFailure):
        return
    for part in found:
        match part:
            case TextPart(index, text) | ThinkingPart(index, text) | InputPart(index, _, text):
                assert isinstance(index, int)
                text.encode()
            case BlockDone(index, Text(text)) | BlockDone(index, RedactedThinking(text)):
                assert isinstance(index, int)
                text.encode()
            case BlockDone(_, Thinking(text, signature)):
                (text + signature).encode()
            case BlockDone(_, ToolUse(call_id, name, given_)):
                (call_id + name + json.dumps(given_)).encode()
            case UsagePart(usage):
                assert usage == Usage.model_validate(usage.model_dump(), strict=True)
                assert min(usage.input_tokens, usage.output_tokens) >= 0
            case ReplyEnded(reason):
                reason.encode()
            case _:
                raise AssertionError(part)


@MANY
@given(replies=st.lists(spoilt_events(), min_size=AT_ONCE, max_size=AT_ONCE))
def test_N7_events_with_anything_in_them_and_in_any_order_are_read_or_end_the_attempt(replies: list[bytes]) -> None:
    asyncio.run(all_heard(replies))


@MANY
@given(replies=st.lists(spoilt_bytes() | st.binary(max_size=200), min_size=AT_ONCE, max_size=AT_ONCE))
def test_N7_any_bytes_are_read_or_end_the_attempt(replies: list[bytes]) -> None:
    asyncio.run(all_heard(replies))


async def all_heard(replies: list[bytes]) -> None:
    served = RawModel()
    async with raw_model(served) as model:
        for raw in replies:
            check(await Listening(served, model).heard(raw))


async def test_N7_a_reply_is_the_same_wherever_its_bytes_are_parted_and_however_its_lines_end(
    listening: Listening,
) -> None:
    plain = await listening.heard(WHOLE)
    assert isinstance(plain, list)
    assert plain[-1] == ReplyEnded("tool_use")
    assert TextPart(0, "Größe 😀") in plain
    for at in range(1, len(WHOLE), 7):
        assert await listening.heard(WHOLE[:at], WHOLE[at:]) == plain
    mixed = b"".join(framed(event, (b"\n", b"\r\n")[number % 2]) for number, event in enumerate(EVENTS))
    for raw in (b"\xef\xbb\xbf" + WHOLE, WHOLE.replace(b"\n", b"\r\n"), mixed, b": a comment\n\n" + WHOLE):
        assert await listening.heard(raw) == plain


async def test_N7_events_that_nobody_knows_change_nothing(listening: Listening) -> None:
    unknown = framed({"type": "news", "of": {"the": ["future"]}})
    assert await listening.heard(unknown.join(framed(event) for event in EVENTS)) == await listening.heard(WHOLE)


async def test_N7_a_line_of_ten_megabytes_is_read_or_ends_the_attempt(listening: Listening) -> None:
    long = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a" * 10_000_000}}
    check(await listening.heard(framed(EVENTS[0]), framed(EVENTS[1]), framed(long), *map(framed, EVENTS[4:])))
    check(await listening.heard(b"data: " + b"a" * 10_000_000))


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b"[]",
        b"null",
        b'"message_start"',
        b'{"type": "error", "error": "no"}',
        b'{"type": "message_start", "message": []}',
        b'{"type": "message_delta", "delta": {"stop_reason": 5}}',
        b'{"type": "content_block_start", "index": 0, "content_block": "text"}',
        b"{" + b'"a": ' + b"9" * 5_000 + b"}",
        b"\xff\xfe",
    ],
    ids=lambda data: data[:40].decode("latin-1"),
)
async def test_N7_what_cannot_be_an_event_ends_the_attempt_as_a_cut(listening: Listening, data: bytes) -> None:
    found = await listening.heard(framed(EVENTS[0]) + b"data: " + data + b"\n\n" + WHOLE)
    assert isinstance(found, ModelFailure)
    assert found.kind in (ModelFailureKind.CUT, ModelFailureKind.SERVER_ERROR)


async def test_N8_a_reply_that_does_not_heed_its_limit_is_ended_as_if_it_had(listening: Listening) -> None:
    word = "words " * 200
    delta = framed({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}})
    found = await listening.heard(framed(EVENTS[0]), framed(EVENTS[1]), *(delta for _ in range(1_000)))
    assert isinstance(found, list)
    assert found[-1] == ReplyEnded("max_tokens")
    assert isinstance(found[-2], BlockDone)
    assert isinstance(found[-2].block, Text)
    most = REQUEST.max_tokens * MAX_CHARACTERS_PER_TOKEN
    assert most < len(found[-2].block.text) <= most + len(word)


async def test_N8_a_line_without_end_ends_the_attempt_before_the_memory_does(listening: Listening) -> None:
    most = REQUEST.max_tokens * MAX_BYTES_PER_TOKEN + MAX_OVERHEAD_BYTES
    found = await listening.heard(framed(EVENTS[0]), *(b"a" * 1_000_000 for _ in range(100)))
    assert isinstance(found, ModelFailure)
    assert found.kind is ModelFailureKind.CUT
    assert listening.served.sent_bytes < 2 * most


async def test_N8_a_turn_with_a_model_that_never_stops_speaking_ends() -> None:
    delta = framed(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "on and on " * 50}}
    )

    def endless() -> Iterator[bytes]:
        yield framed(EVENTS[0]) + framed(EVENTS[1])
        while True:
            yield delta

    policy = policy_with(max_output_tokens=200, escalated_output_tokens=400)
    async with asyncio.timeout(LONGEST_S), raw_model(served := RawModel(endless)) as model:
        turn = run_turn(model, model_name="sprout-offline", system="Go.", messages=BEGIN, policy=policy)
        steps = [step async for step in turn]
    assert isinstance(steps[-1], TurnResult)
    assert served.asked <= 3 + policy.max_continuations
