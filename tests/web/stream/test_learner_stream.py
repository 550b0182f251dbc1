"""The learner's stream over HTTP, and what holds for every stream: cuts, caps, readers that are slow or gone."""

import asyncio
import logging
import random
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from harness.builders import a_topic
from harness.servers.web import WEB_LIMITS, Web, a_static_folder, serving_web
from sprout.events import MessageBlock
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.state import Run
from sprout.web.stream.learner_stream import parse_cursors
from tests.runs.streaming.event_streams import running_run
from tests.web.stream.event_streams import (
    ENOUGH_S,
    POLL_S,
    Frame,
    frames,
    open_sockets,
    open_stream,
    raw_stream,
    read_stream,
    some_events,
    stored_events,
    until_streams,
    with_root_id,
)

OTHER_USER = "somebody-else"
GARBAGE = ["abc", "-1", "1.5", "9" * 30, "x:", ":5", "x:-1", "x:1,,y:2", "x:1;y:2", "٣", "a" * 10_000, "x:1," * 5_000]


@pytest.fixture
async def narrow_web(tmp_path: Path) -> AsyncIterator[Web]:
    """A server that has room for few streams, and little patience."""
    limits = replace(WEB_LIMITS, streams_per_learner=3, streams_per_address=4, send_timeout_s=0.3)
    async with serving_web(tmp_path, a_static_folder(tmp_path), limits=limits) as web:
        yield web


async def somebodys_run(web: Web) -> Run:
    """A run of another learner, with something in its log."""
    return await running_run(web.store, await a_topic(web.paths, user_id=OTHER_USER), *some_events(3))


async def test_the_frames_are_as_the_contract_has_them_byte_by_byte(own_web: Web) -> None:
    run = await own_web.a_run()
    [started] = await stored_events(own_web, run)
    async with own_web.client.stream("GET", "/api/events") as answer:
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache, no-transform"
        assert answer.headers["x-accel-buffering"] == "no"
        chunks = answer.aiter_raw()
        assert await anext(chunks) == b"retry: 2000\n\n"
        wanted = f'id: {run.id}:1\nevent: run_started\ndata: {{"rootId":"{run.id}",{started.data[1:]}\n\n'
        assert await anext(chunks) == wanted.encode()


async def test_every_event_names_its_run_first_and_only_stored_ones_have_an_id(own_web: Web) -> None:
    one, other = [await own_web.a_run() for _ in range(2)]
    async with open_stream(own_web, f"/api/events?after={other.id}:9") as stream:
        await stream.until(3)
        own_web.live.begin_shutdown()
        got = await stream.rest()
    assert all(frame.raw.startswith('{"rootId":') for frame in got)
    assert {(frame.event, frame.root_id, frame.id is None) for frame in got} == {
        ("run_started", one.id, False),
        ("resync", other.id, True),
        ("run_started", other.id, False),
        ("reconnect", None, True),
    }


async def test_the_end_of_a_run_ends_that_run_and_not_the_stream(own_web: Web) -> None:
    one, other = [await own_web.a_run() for _ in range(2)]
    async with open_stream(own_web, "/api/events") as stream:
        await stream.until(2)
        await own_web.end(one)
        await own_web.end(other)
        got = await stream.until(6)
    for run in (one, other):
        assert [frame.raw for frame in got if frame.root_id == run.id] == [
            with_root_id(event) for event in await stored_events(own_web, run)
        ]


async def test_D13_another_learners_run_is_never_sent(own_web: Web) -> None:
    theirs, mine = await somebodys_run(own_web), await own_web.a_run()
    for after in ("", f"{theirs.id}:0", f"{theirs.id}:1,{mine.id}:0", f"{theirs.id}:99"):
        got = await read_stream(own_web, f"/api/events?after={after}", 1)
        assert [(frame.event, frame.root_id) for frame in got] == [("run_started", mine.id)]
        assert got[0].id == f"{mine.id}:1"


async def test_N11_a_cursor_that_cannot_be_read_starts_over(own_web: Web) -> None:
    run = await own_web.a_run()
    for cursor in GARBAGE:
        got = await read_stream(own_web, "/api/events", 2, last_id=cursor)
        told = [(frame.event, frame.root_id) for frame in got]
        assert told == [("resync", run.id), ("run_started", run.id)], cursor[:10]


@pytest.mark.parametrize("address", ["/api/events", "/api/runs/{id}/events"])
async def test_N11_an_id_that_can_be_no_header_or_parameter_is_400(own_web: Web, address: str) -> None:
    run = await own_web.a_run()
    path = address.format(id=run.id)
    for after in ("%00", "a" * 10_000):
        assert (await own_web.client.get(f"{path}?after={after}")).status_code == 400
    async with raw_stream(own_web, path, headers="Last-Event-ID: a\0b\r\n") as client:
        assert (await asyncio.get_running_loop().sock_recv(client, 13)) == b"HTTP/1.1 400 "


def test_the_header_goes_before_the_parameter() -> None:
    assert parse_cursors("a:1", "b:2") == {"a": 1}
    assert parse_cursors("", " b:2,c:0 ") == {"b": 2, "c": 0}
    assert parse_cursors(None, None) == {}


async def two_streams(web: Web) -> tuple[list[Run], list[bytes]]:
    """Two runs that have ended, as the learner's stream told them, and the first of them as its own did."""
    runs = [await web.a_run() for _ in range(2)]
    async with open_stream(web, "/api/events") as stream:
        await stream.until(2)
        for event in some_events(10):
            for run in runs:
                await web.append_events(run, event)
        for run in runs:
            await web.end(run)
        await stream.until(2 * 13)
    async with open_stream(web, f"/api/runs/{runs[0].id}/events") as own:
        await own.rest()
    return runs, [stream.received, own.received]


def cuts(recorded: bytes) -> dict[str, list[Frame]]:
    """By last id, what a client has whose connection was cut at any byte."""
    found: dict[str, list[Frame]] = {}
    for at in range(len(recorded) + 1):
        whole = frames(recorded[:at])
        ids = [frame.id for frame in whole if frame.id]
        found[ids[-1] if ids else ""] = whole
    return found


async def test_I3_a_runs_stream_cut_at_any_byte_and_taken_up_again_is_the_log_byte_for_byte(own_web: Web) -> None:
    runs, [_, recorded] = await two_streams(own_web)
    whole = [(str(event.seq), event.kind, event.data) for event in await stored_events(own_web, runs[0])]
    found = cuts(recorded)
    assert len(found) == len(whole) + 1
    for last_id, before in found.items():
        answer = await own_web.client.get(f"/api/runs/{runs[0].id}/events", headers={"Last-Event-ID": last_id})
        after = frames(answer.content)  # 204 where there is no more
        assert [(frame.id, frame.event, frame.raw) for frame in before + after] == whole


async def test_I3_the_learners_stream_cut_at_any_byte_and_taken_up_again_is_the_logs_byte_for_byte(
    own_web: Web,
) -> None:
    runs, [recorded, _] = await two_streams(own_web)
    going = await own_web.a_run()
    whole = {run.id: [with_root_id(event) for event in await stored_events(own_web, run)] for run in (*runs, going)}
    found = cuts(recorded)
    assert len(found) == 2 * 13 + 1
    for last_id, before in found.items():
        missing = sum(map(len, whole.values())) - len(before)
        if not last_id:
            continue  # nobody knows of runs that ended before the first byte
        after = await read_stream(own_web, "/api/events", missing, last_id)
        frames = {run: [frame.raw for frame in before + after if frame.root_id == run] for run in whole}
        assert frames == whole, last_id


@dataclass
class Client:
    """State of a page: the events of each run by number; `resync` drops those of a run."""

    has: dict[str, dict[int, str]] = field(default_factory=dict)

    def takes(self, got: Sequence[Frame], run: Run | None = None) -> "Client":
        """With these events too, which are of this run where they do not say of which."""
        for frame in got:
            root = run.id if run else str(frame.root_id)
            if frame.event == "resync":
                self.has[root] = {}
            elif frame.id:
                seq = int(frame.id) if run else (parse_cursors(None, frame.id) or {})[root]
                self.has.setdefault(root, {})[seq] = frame.raw
        return self


async def test_I3_from_an_id_that_is_not_its_own_a_client_ends_with_the_logs_wherever_it_was_cut(own_web: Web) -> None:
    runs, [recorded, _] = await two_streams(own_web)
    theirs = await somebodys_run(own_web)
    one, other = runs[0].id, runs[1].id
    whole = {run.id: {event.seq: with_root_id(event) for event in await stored_events(own_web, run)} for run in runs}
    found = cuts(recorded)
    for kind, wrong, resyncs, known in (
        ("old", f"{one}:0,{other}:1", 0, 1),
        ("future", f"{one}:99,{other}:14", 2, 0),
        ("huge", f"{one}:{10**18 - 1},{other}:{10**18 - 1}", 2, 0),
        ("foreign", f"{one}:0,{theirs.id}:2,{other}:0", 0, 0),
        ("unknown", f"{one}:0,no-such-run:7,{other}:0", 0, 0),
    ):
        got = await read_stream(own_web, "/api/events", 2 * 13 + resyncs - known, last_id=wrong)
        assert [frame.event for frame in got].count("resync") == resyncs, kind
        for before in found.values():
            has = Client().takes(before).takes(got).has
            if kind == "old":
                has[other].setdefault(1, whole[other][1])  # a client that names a number has what is up to it
            assert has == whole, kind


async def test_I3_from_any_id_a_runs_stream_brings_a_client_to_the_log_wherever_it_was_cut(own_web: Web) -> None:
    runs, [_, recorded] = await two_streams(own_web)
    run = runs[0]
    whole = {run.id: {event.seq: event.data for event in await stored_events(own_web, run)}}
    found = cuts(recorded)
    for wrong in ("0", "3", "14", "abc", "-1", "1.5", "9" * 30, "a" * 10_000, "run:3", str(10**18 - 1)):
        answer = await own_web.client.get(f"/api/runs/{run.id}/events", headers={"Last-Event-ID": wrong})
        got = frames(answer.content)
        assert ([frame.event for frame in got].count("resync") == 1) == (wrong not in ("0", "3")), wrong[:10]
        for before in found.values():
            if wrong != "3" or len(before) >= 3:
                assert Client().takes(before, run).takes(got, run).has == whole, wrong[:10]


async def test_D9_a_learner_has_room_for_so_many_streams_of_both_kinds(narrow_web: Web) -> None:
    run = await narrow_web.a_run()
    paths = ["/api/events", f"/api/runs/{run.id}/events", "/api/events"]
    async with AsyncExitStack() as stack:
        for path in paths:
            await stack.enter_async_context(narrow_web.client.stream("GET", path))
        await until_streams(narrow_web, 3)
        _, root = await narrow_web.a_topic()
        start = (f"/api/agents/topics/{root.id}/run", {"userId": DEFAULT_USER_ID})
        for refused in (
            await narrow_web.client.get("/api/events"),
            await narrow_web.client.get(f"/api/runs/{run.id}/events"),
            await narrow_web.client.post(start[0], json=start[1]),
        ):
            assert (refused.status_code, list(refused.json())) == (429, ["error", "code", "params"])
            assert int(refused.headers["retry-after"]) >= 1
        assert [one.id for one in await narrow_web.store.runs(user_id=DEFAULT_USER_ID)] == [run.id]
        without_stream = await narrow_web.client.post(start[0] + "?wait=false", json=start[1])
        assert without_stream.status_code == 202
    await until_streams(narrow_web, 0)
    assert len(await read_stream(narrow_web, "/api/events", 1)) == 1


async def test_D9_an_address_has_room_for_so_many_streams_of_any_learner(tmp_path: Path) -> None:
    limits = replace(WEB_LIMITS, streams_per_address=2)
    async with serving_web(tmp_path, a_static_folder(tmp_path), limits=limits) as web:
        async with web.client.stream("GET", "/api/events"), web.client.stream("GET", "/api/events"):
            await until_streams(web, 2)
            assert (await web.client.get("/api/events")).status_code == 429


async def test_N9_clients_that_leave_at_any_moment_leave_nothing_behind(own_web: Web) -> None:
    run = await own_web.a_run()
    chance = random.Random(9)

    async def leave_somewhere() -> None:
        path = chance.choice(["/api/events", f"/api/runs/{run.id}/events"])
        async with raw_stream(own_web, path) as client:
            wanted = chance.choice([0, 1, 40, 400])
            if wanted:
                await asyncio.get_running_loop().sock_recv(client, wanted)
            if chance.random() < 0.5:  # a reset instead of a good-bye
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    async def many(times: int) -> None:
        for _ in range(times):
            await asyncio.gather(*(leave_somewhere() for _ in range(10)))
        await until_streams(own_web, 0)

    await many(1)
    tasks, sockets = len(asyncio.all_tasks()), open_sockets()
    await many(20)
    async with asyncio.timeout(ENOUGH_S):
        while len(asyncio.all_tasks()) > tasks or open_sockets() > sockets:
            await asyncio.sleep(POLL_S)


async def test_N10_readers_that_take_nothing_harm_no_other_and_are_disconnected(
    narrow_web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    run = await narrow_web.a_run()
    tasks = len(asyncio.all_tasks())
    async with AsyncExitStack() as stack:
        for path in ("/api/events", f"/api/runs/{run.id}/events"):
            await stack.enter_async_context(raw_stream(narrow_web, path, receive_buffer=1))
        await until_streams(narrow_web, 2)
        async with open_stream(narrow_web, "/api/events") as good:
            await good.until(1)
            whole = asyncio.create_task(good.until(103))
            for number in range(100):
                await narrow_web.append_events(run, MessageBlock(block_id=f"b{number}", text="a" * 100_000))
            await narrow_web.end(run)
            got = await whole
        assert [frame.raw for frame in got] == [with_root_id(event) for event in await stored_events(narrow_web, run)]
        await until_streams(narrow_web, 0)
    async with asyncio.timeout(ENOUGH_S):
        while len(asyncio.all_tasks()) > tasks:
            await asyncio.sleep(POLL_S)
    assert not [record for record in caplog.records if record.exc_info]


async def test_D10_the_server_goes_away_and_the_learners_stream_says_so_and_ends_properly(
    own_web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    async with own_web.client.stream("GET", "/api/events") as answer:
        await own_web.runs.until_followers(DEFAULT_USER_ID, 1)
        own_web.live.begin_shutdown()
        own_web.served.request_stop()
        received = b"".join([chunk async for chunk in answer.aiter_raw()])
    [last] = frames(received)
    assert (last.event, last.root_id) == ("reconnect", None)
    assert f"\n\nretry: {last.data['retryMs']}\n".encode() in received
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_HEAD_opens_no_stream(own_web: Web) -> None:
    answer = await own_web.client.head("/api/events")
    assert (answer.status_code, answer.content) == (200, b"")
    await until_streams(own_web, 0)


async def test_N13_without_following_a_stream_tells_what_there_is_and_ends(own_web: Web) -> None:
    one, other = [await own_web.a_run() for _ in range(2)]
    await own_web.append_events(one, *some_events(250))
    whole = {run.id: await stored_events(own_web, run) for run in (one, other)}
    async with asyncio.timeout(ENOUGH_S):
        first = await own_web.client.get("/api/events", params={"follow": "false"})
        got = frames(first.content)
        assert {frame.event for frame in got}.isdisjoint({"reconnect", "resync"})
        for run_id, event in whole.items():
            assert [frame.raw for frame in got if frame.root_id == run_id] == [with_root_id(one) for one in event]
        assert got[-1].id is not None
        after = {"follow": "false", "after": got[-1].id}
        nothing = await own_web.client.get("/api/events", params=after)
        assert frames(nothing.content) == []
        await own_web.append_events(other, MessageBlock(block_id="b", text="more"))
        more = await own_web.client.get("/api/events", params=after)
    assert [(frame.event, frame.root_id) for frame in frames(more.content)] == [("message", other.id)]
