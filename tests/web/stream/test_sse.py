"""The event stream, byte by byte."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
import pytest
from sqlalchemy import delete
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Scope

from harness.servers.in_process import serve_app
from harness.servers.web import Web
from sprout.errors import DatabaseUnavailable
from sprout.events import AgentStart, Guardrail, MessageDelta
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.run_store import StoredEvent
from sprout.runs.state import RunState
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent
from sprout.store.schema import run_tables
from sprout.store.schema.columns import table_of
from sprout.web.http.limits import WebLimits
from sprout.web.routes import web_app
from sprout.web.stream.sse import RunStream, frame, parse_cursor

START = AgentStart()
LAST = ["agent_done", "run_done"]


@dataclass(frozen=True)
class Frame:
    id: int | None
    event: str
    data: dict[str, object]


def frames(body: bytes) -> list[Frame]:
    """Frames as the contract's client reads them: blocks ended by LF LF, a space after each colon, one line of data."""
    *blocks, rest = body.decode().split("\n\n")
    assert rest == "", "the last frame is not terminated"
    read = []
    for block in blocks:
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        if "data" in fields:
            id_ = int(fields["id"]) if "id" in fields else None
            read.append(Frame(id_, fields["event"], json.loads(fields["data"])))
    return read


@asynccontextmanager
async def raw_request(web: Web, request: str) -> AsyncIterator[asyncio.StreamReader]:
    """A hand-written request; the reader gives the answer as it comes over the socket."""
    reader, writer = await asyncio.open_connection(web.served.host, web.served.port)
    writer.write(request.replace("\n", "\r\n").encode())
    await writer.drain()
    try:
        yield reader
    finally:
        writer.close()
        await writer.wait_closed()


async def test_the_frames_are_as_the_contract_has_them_byte_by_byte(web: Web) -> None:
    run = await web.a_run()
    await web.append_events(run, Guardrail(level=1, tool=None, noticed="two\nlines \r\n and a \u2028 🌱"))
    await web.end(run)
    body = (await web.client.get(f"/api/runs/{run.id}/events")).content
    assert b"\r" not in body
    assert body.count(b"retry:") == 1
    opening, first, second, *others = body.split(b"\n\n")
    assert opening == b"retry: 2000"
    assert first.startswith(b'id: 1\nevent: run_started\ndata: {"agent":"topic","runId":"')
    assert second.startswith(b"id: 2\nevent: guardrail\ndata: {")
    assert len(others) == 3
    assert others[-1] == b""
    assert [f.event for f in frames(body)] == ["run_started", "guardrail", *LAST]
    assert frames(body)[1].data["noticed"] == "two\nlines \r\n and a \u2028 🌱"


async def test_the_headers_name_the_run_and_keep_proxies_from_buffering(web: Web) -> None:
    run = await web.end(await web.a_run())
    answer = await web.client.get(f"/api/runs/{run.id}/events", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache, no-transform"
    assert answer.headers["x-accel-buffering"] == "no"
    assert answer.headers["connection"] == "keep-alive"
    assert answer.headers["x-run-id"] == run.id
    assert answer.headers["transfer-encoding"] == "chunked"
    assert "content-encoding" not in answer.headers


async def test_the_first_byte_comes_before_the_first_event(web: Web) -> None:
    run = await web.a_run()
    async with web.client.stream("GET", f"/api/runs/{run.id}/events?after=1") as answer:
        chunks = answer.aiter_raw()
        assert await anext(chunks) == b"retry: 2000\n\n"
        await web.append_events(run, START)
        assert frames(await anext(chunks))[0].event == "agent_start"


async def test_a_replay_goes_out_in_one_write(web: Web) -> None:
    run = await web.a_run()
    await web.append_events(run, *[START] * 50)
    async with web.client.stream("GET", f"/api/runs/{run.id}/events") as answer:
        chunks = answer.aiter_raw()
        await anext(chunks)
        assert len(frames(await anext(chunks))) == 51


@pytest.mark.parametrize("how", ["header", "parameter", "header before parameter"])
async def test_V2_a_replay_goes_on_right_after_the_cursor(web: Web, how: str) -> None:
    run = await web.a_run()
    await web.append_events(run, *[START] * 37)
    await web.end(run)
    for after in (0, 1, 17, 39):
        headers = {"Last-Event-ID": str(after)} if "header" in how else {}
        query = {"parameter": f"?after={after}", "header before parameter": "?after=3"}.get(how, "")
        answer = await web.client.get(f"/api/runs/{run.id}/events{query}", headers=headers)
        assert [f.id for f in frames(answer.content)] == list(range(after + 1, 41))


async def test_V2_a_client_that_leaves_and_comes_back_all_the_time_misses_and_repeats_nothing(web: Web) -> None:
    run = await web.a_run()

    async def happens() -> None:
        for number in range(60):
            await web.append_events(run, Guardrail(level=number, tool=None, noticed="something"))
        await web.end(run)

    happening = asyncio.create_task(happens())
    seen: list[int | None] = []
    while len(seen) < 63:
        headers = {"Last-Event-ID": str(len(seen))}
        async with web.client.stream("GET", f"/api/runs/{run.id}/events", headers=headers) as answer:
            chunks = answer.aiter_raw()
            await anext(chunks)
            seen += [f.id for f in frames(await anext(chunks))]
    await happening
    assert seen == list(range(1, 64))


@pytest.mark.parametrize("cursor", ["-1", "abc", "1.5", "9" * 30, "٣", "1 2", "0x1"])
async def test_B3_a_cursor_that_is_no_number_is_asked_to_start_over(web: Web, cursor: str) -> None:
    run = await web.end(await web.a_run())
    answer = await web.client.get(f"/api/runs/{run.id}/events", params={"after": cursor})
    ids = [(f.id, f.event) for f in frames(answer.content)]
    assert ids == [(None, "resync"), (1, "run_started"), (2, "agent_done"), (3, "run_done")]


async def test_B3_a_cursor_ahead_of_the_log_is_asked_to_start_over(web: Web) -> None:
    run = await web.end(await web.a_run())
    for after in (4, 7, 10**18 - 1):
        answer = await web.client.get(f"/api/runs/{run.id}/events?after={after}")
        assert [f.event for f in frames(answer.content)] == ["resync", "run_started", *LAST]


async def test_a_run_that_is_over_and_fully_known_tells_the_browser_not_to_come_back(web: Web) -> None:
    run = await web.end(await web.a_run())
    answer = await web.client.get(f"/api/runs/{run.id}/events", headers={"Last-Event-ID": "3"})
    assert (answer.status_code, answer.content) == (204, b"")


async def test_V3_posting_a_run_answers_with_its_stream(web: Web) -> None:
    _, root = await web.a_topic()
    body = {"userId": DEFAULT_USER_ID, "small": True}
    async with web.client.stream("POST", f"/api/agents/topics/{root.id}/run", json=body) as answer:
        assert answer.status_code == 200
        run = await web.live.run(answer.headers["x-run-id"], user_id=DEFAULT_USER_ID)
        assert (run.node_id, run.small, run.agent) == (root.id, True, "topic")
        web.agent.finish(run.id)
        received = b"".join([chunk async for chunk in answer.aiter_raw()])
    assert [f.event for f in frames(received)] == ["run_started", *LAST]


async def test_V3_without_waiting_the_run_is_the_answer_and_a_second_post_joins_it(web: Web) -> None:
    _, root = await web.a_topic()
    address, body = f"/api/agents/topics/{root.id}/run?wait=false", {"userId": DEFAULT_USER_ID}
    first = await web.client.post(address, json=body)
    second = await web.client.post(address, json=body)
    assert (first.status_code, second.status_code) == (202, 200)
    assert first.json()["id"] == second.json()["id"]
    assert first.headers["location"] == f"/api/runs/{first.json()['id']}"


async def test_X3_a_client_that_leaves_does_not_stop_the_run(web: Web) -> None:
    run = await web.a_run()
    async with web.client.stream("GET", f"/api/runs/{run.id}/events"):
        await web.runs.until_followers(run.id, 1)
    await web.runs.until_followers(run.id, 0)
    assert (await web.end(run)).state is RunState.COMPLETED


async def test_X3_a_client_that_asked_for_it_stops_the_run_by_leaving(web: Web) -> None:
    _, root = await web.a_topic()
    address = f"/api/agents/topics/{root.id}/run?cancel_on_disconnect=true"
    async with web.client.stream("POST", address, json={"userId": DEFAULT_USER_ID}) as answer:
        run = await web.live.run(answer.headers["x-run-id"], user_id=DEFAULT_USER_ID)
        await web.runs.until_followers(run.id, 1)
    await web.runs.until_asked_to_stop(run.id)
    assert (await web.end(run)).state is RunState.CANCELLED


async def test_X3_leaving_a_run_that_was_deleted_meanwhile_breaks_nothing(own_web: Web) -> None:
    run = await own_web.a_run()
    sent: list[Message] = []

    async def receive() -> Message:
        await own_web.runs.until_followers(run.id, 1)
        await own_web.database.write_tx(lambda write: write.connection.execute(delete(table_of(run_tables.Run))))
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {
        "type": "http",
        "method": "GET",
        "path": f"/api/runs/{run.id}/events",
        "query_string": b"cancel_on_disconnect=true",
        "headers": [(b"host", b"localhost")],
    }
    async with asyncio.timeout(10):
        await web_app(own_web.dependencies)(scope, receive, send)
    assert sent[0]["status"] == 200


async def test_X3_reading_to_the_end_is_not_leaving(web: Web) -> None:
    run = await web.end(await web.a_run())
    await web.client.get(f"/api/runs/{run.id}/events?cancel_on_disconnect=true")
    after = await web.live.run(run.id, user_id=DEFAULT_USER_ID)
    assert (after.state, after.cancel_requested) == (RunState.COMPLETED, False)


async def test_D10_at_shutdown_a_stream_says_reconnect_and_ends_properly(
    own_web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    run = await own_web.a_run()
    async with own_web.client.stream("GET", f"/api/runs/{run.id}/events?after=1") as answer:
        await own_web.runs.until_followers(run.id, 1)
        own_web.live.begin_shutdown()
        own_web.served.request_stop()
        received = b"".join([chunk async for chunk in answer.aiter_raw()])
    assert frames(received)[0].event == "reconnect"
    assert b"\n\nretry: " in received
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def served_stream(batches: AsyncIterator[list[BusMessage]], limits: WebLimits) -> Starlette:
    """An application that has nothing but one stream."""

    async def answer(request: Request) -> Response:
        return RunStream(batches, run_id="r", limits=limits)

    return Starlette(routes=[Route("/", answer)])


async def test_a_bug_in_the_stream_is_logged_and_told_as_reconnect(caplog: pytest.LogCaptureFixture) -> None:
    async def broken() -> AsyncIterator[list[BusMessage]]:
        yield [StoredEvent("r", 1, "agent_start", "{}", "r")]
        raise RuntimeError("/secret/path broke: SELECT * FROM secrets")

    async with serve_app(served_stream(broken(), WebLimits())) as served, httpx2.AsyncClient(verify=False) as client:
        answer = await client.get(served.url)
    assert [(f.event, f.data) for f in frames(answer.content)] == [
        ("agent_start", {}),
        ("reconnect", {"retryMs": 5000}),
    ]
    assert "secret" not in answer.text
    assert "SELECT * FROM secrets" in caplog.text


async def test_X5_a_stream_that_loses_the_database_says_reconnect_and_logs_no_error_of_its_own(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def cut_off() -> AsyncIterator[list[BusMessage]]:
        yield [StoredEvent("r", 1, "agent_start", "{}", "r")]
        raise DatabaseUnavailable

    async with serve_app(served_stream(cut_off(), WebLimits())) as served, httpx2.AsyncClient(verify=False) as client:
        answer = await client.get(served.url)
    assert [f.event for f in frames(answer.content)] == ["agent_start", "reconnect"]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_V4_a_silent_stream_is_kept_alive_by_comments() -> None:
    async def silent() -> AsyncIterator[list[BusMessage]]:
        await asyncio.Event().wait()
        yield []

    app = served_stream(silent(), WebLimits(ping_s=0.01))
    async with (
        serve_app(app) as served,
        httpx2.AsyncClient(verify=False) as client,
        client.stream("GET", served.url) as answer,
    ):
        chunks = answer.aiter_raw()
        assert [await anext(chunks) for _ in range(3)] == [b"retry: 2000\n\n", b": ping\n\n", b": ping\n\n"]


async def test_V5_a_reader_that_takes_nothing_is_cut_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    closed = asyncio.Event()

    async def endless() -> AsyncIterator[list[BusMessage]]:
        try:
            while True:
                yield [StoredEvent("r", 1, "agent_reasoning", f'{{"text":"{"a" * 100_000}"}}', "r")]
        finally:
            closed.set()

    caplog.set_level(logging.INFO)
    async with serve_app(served_stream(endless(), WebLimits(send_timeout_s=0.1))) as served:
        reader, writer = await asyncio.open_connection(served.host, served.port, limit=1000)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await closed.wait()
        writer.transport.abort()
        del reader
    assert "stream.reader_too_slow" in caplog.text
    assert not [record for record in caplog.records if record.exc_info]


async def test_HEAD_opens_no_stream(web: Web) -> None:
    run = await web.a_run()
    answer = await web.client.head(f"/api/runs/{run.id}/events")
    assert (answer.status_code, web.runs.followers(run.id)) == (200, 0)


async def test_what_arrives_over_the_socket_is_well_formed_chunks(web: Web) -> None:
    run = await web.end(await web.a_run())
    request = f"GET /api/runs/{run.id}/events HTTP/1.1\nHost: localhost\nConnection: close\n\n"
    async with raw_request(web, request) as reader:
        received = await reader.read()
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert body.endswith(b"\n\n\r\n0\r\n\r\n")


def test_only_stored_events_carry_an_id() -> None:
    delta = EphemeralEvent("r", "message_delta", MessageDelta(block_id="b", text="a").model_dump_json(), block_id="b")
    assert b"id: " not in frame(delta)


@pytest.mark.parametrize(
    ("header", "parameter", "cursor"),
    [
        (None, None, 0),
        ("", "", 0),
        ("4", "2", 4),
        ("", "2", 2),
        (" 5 ", None, 5),
        ("x", "2", None),
        (None, "-1", None),
        (None, "²", None),
    ],
)
def test_the_header_goes_before_the_parameter(header: str | None, parameter: str | None, cursor: int | None) -> None:
    assert parse_cursor(header, parameter) == cursor
