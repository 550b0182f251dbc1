"""EventSource of a real browser on our frames, in every case that the wire can bring (faults.md N15)."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest
from playwright.async_api import Browser
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from harness.servers.in_process import serve_app
from sprout.events import EVENT, ReasoningBlock, wire_data
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import EphemeralEvent
from sprout.runs.streaming.multiplex import TaggedEvent
from sprout.web.stream.learner_stream import tagged_frame
from sprout.web.stream.sse import frame

AT_ONCE = b"retry: 1\n\n"  # as a stream of ours begins, only with less to wait
PING = b": ping\n\n"
KINDS: list[str] = [*EVENT.json_schema()["discriminator"]["mapping"]]
HOSTILE = "a\r\nb\rc\nd\u2028e\u0085f\x00g: h\n\ndata: no\n\n🌱 ü \ufeff"
LISTEN = """([url, kinds]) => new Promise((resolve) => {
  const received = [], source = new EventSource(url);
  const tell = ({ type, data, lastEventId }) => received.push([type, lastEventId, data]);
  for (const kind of kinds) source.addEventListener(kind, tell);
  source.onerror = () => { if (source.readyState === EventSource.CLOSED) resolve(received); };
})"""
Heard = tuple[str, str, str]  # kind, id, data


@dataclass
class Wire:
    """A server that answers one connection after the other as it was told, then with what its log has past the cursor,
    and then with 204."""

    answers: list[Sequence[bytes | Exception]]
    log: Sequence[StoredEvent] = ()
    status: int = 200
    last_ids: list[str | None] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        last_id = request.headers.get("last-event-id")
        self.last_ids.append(last_id)
        parts = self.answers.pop(0) if self.answers else [frame(one) for one in self.log if one.seq > int(last_id or 0)]
        if not parts:
            return Response(status_code=204)
        return StreamingResponse(_sent(parts), self.status, media_type="text/event-stream")

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/events", self.answer), Route("/", _page)])


async def _page(request: Request) -> Response:
    return HTMLResponse("<!doctype html><link rel=icon href=data:,>")


async def _sent(parts: Sequence[bytes | Exception]) -> AsyncIterator[bytes]:
    for part in parts:
        if isinstance(part, Exception):
            raise part  # uvicorn cuts the connection in the middle of the answer
        yield part


async def heard(browser: Browser, wire: Wire) -> list[Heard]:
    """Events that an EventSource receives until a 204, or another refusal, stops it."""
    async with serve_app(wire.app) as served:
        context = await browser.new_context()
        try:
            page = await context.new_page()
            await page.goto(served.url)
            received = await page.evaluate(LISTEN, [f"{served.url}/events", KINDS])
            return [(kind, last_id, data) for kind, last_id, data in received]
        finally:
            await context.close()


def reasoning_event(seq: int, text: str = "so") -> StoredEvent:
    event = ReasoningBlock(block_id="b", text=text)
    return StoredEvent("root", seq, event.kind, wire_data(event), "root", "b")


def as_heard(*from_log: StoredEvent) -> list[Heard]:
    return [(one.kind, str(one.seq), one.data) for one in from_log]


async def test_N15_every_kind_arrives_under_its_name_with_its_number_and_its_data(browser: Browser) -> None:
    all_kinds = [StoredEvent("root", seq, kind, f'{{"n":{seq}}}', "root") for seq, kind in enumerate(KINDS, 1)]
    assert await heard(browser, Wire([[AT_ONCE, *map(frame, all_kinds)]])) == as_heard(*all_kinds)


async def test_N15_what_passes_repeats_the_last_number_and_moves_no_cursor(browser: Browser) -> None:
    passing = EphemeralEvent("root", "message_delta", '{"text":"x"}')
    wire = Wire([[AT_ONCE, frame(passing), frame(reasoning_event(7)), frame(passing)]])
    assert await heard(browser, wire) == [
        (passing.kind, "", passing.data),
        *as_heard(reasoning_event(7)),
        (passing.kind, "7", passing.data),
    ]
    assert wire.last_ids == [None, "7"]


async def test_N15_an_event_without_fields_is_told(browser: Browser) -> None:
    bare = EphemeralEvent("root", "message_delta", "{}")
    assert await heard(browser, Wire([[AT_ONCE, frame(bare)]])) == [(bare.kind, "", "{}")]


async def test_N15_comments_are_told_to_nobody_wherever_they_stand(browser: Browser) -> None:
    wire = Wire([[PING, AT_ONCE, PING, frame(reasoning_event(1)), PING, PING, frame(reasoning_event(2)), PING]])
    assert await heard(browser, wire) == as_heard(reasoning_event(1), reasoning_event(2))


async def test_N15_a_frame_cut_at_any_byte_into_two_pieces_or_into_single_bytes_is_the_same(browser: Browser) -> None:
    whole = [frame(reasoning_event(seq, "🌱 grün ∑")) for seq in range(1, 400)]
    cut = [piece for at, one in enumerate(whole) for piece in (one[: at % len(one)], one[at % len(one) :]) if piece]
    single = [bytes([byte]) for byte in frame(reasoning_event(400, "🌱 grün ∑"))]
    assert len(whole[0]) < len(whole), "every byte was cut at"
    wanted = as_heard(*(reasoning_event(seq, "🌱 grün ∑") for seq in range(1, 401)))
    assert await heard(browser, Wire([[AT_ONCE, *cut, *single]])) == wanted


async def test_N15_no_text_ends_a_line_or_an_event(browser: Browser) -> None:
    raw = frame(reasoning_event(1, HOSTILE))
    assert b"\r" not in raw
    assert raw.count(b"\n\n") == 1
    ((_, last_id, data),) = await heard(browser, Wire([[AT_ONCE, raw]]))
    assert (last_id, json.loads(data)["text"]) == ("1", HOSTILE)


async def test_N15_a_line_of_a_megabyte_comes_whole(browser: Browser) -> None:
    long = reasoning_event(1, "🌱" * 250_000)
    assert await heard(browser, Wire([[AT_ONCE, frame(long)]])) == as_heard(long)


async def test_N15_after_the_servers_end_the_browser_comes_back_with_the_last_number(browser: Browser) -> None:
    wire = Wire([[AT_ONCE, frame(reasoning_event(1))], [frame(reasoning_event(2)), frame(reasoning_event(3))]])
    assert await heard(browser, wire) == as_heard(reasoning_event(1), reasoning_event(2), reasoning_event(3))
    assert wire.last_ids == [None, "1", "3"]


@pytest.mark.parametrize("at", [1, 4, 20, -1])
async def test_N15_half_a_frame_before_a_cut_is_sent_once_and_its_number_is_not_reached(
    browser: Browser, at: int
) -> None:
    log = [reasoning_event(1), reasoning_event(2)]
    wire = Wire([[AT_ONCE, frame(log[0]), frame(log[1])[:at], RuntimeError("cut")]], log)
    assert await heard(browser, wire) == as_heard(*log)
    # Data and cut may reach the browser at once; then it drops the data too, and says so by its cursor.
    assert wire.last_ids in ([None, "1", "2"], [None, None, "2"])


async def test_N15_the_learners_cursor_comes_back_byte_for_byte(browser: Browser) -> None:
    cursor = "0199-a.b_c:7,0199-d:12"
    event = TaggedEvent(reasoning_event(7), cursor)
    wire = Wire([[AT_ONCE, tagged_frame(event)]])
    assert await heard(browser, wire) == [
        ("agent_reasoning", cursor, f'{{"rootId":"root",{reasoning_event(7).data[1:]}')
    ]
    assert wire.last_ids == [None, cursor]


async def test_N15_a_goodbye_says_when_to_come_back(browser: Browser) -> None:
    slow, word = b"retry: 3600000\n\n", frame(EphemeralEvent("root", "reconnect", '{"retryMs":1}'))
    wire = Wire([[slow, word]])
    assert await heard(browser, wire) == [("reconnect", "", '{"retryMs":1}')]
    assert len(wire.last_ids) == 2, "within the hour"


@pytest.mark.parametrize("status", [204, 400, 404, 429, 503])
async def test_N15_a_refusal_stops_the_browser(browser: Browser, status: int) -> None:
    wire = Wire([] if status == 204 else [[b'{"error":"no"}']], status=status)
    assert await heard(browser, wire) == []
    assert wire.last_ids == [None]
