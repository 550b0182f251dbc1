"""A web process and a worker killed under one run: its readers have what an undisturbed one has."""

import asyncio
import json
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from dataclasses import dataclass, field

from playwright.async_api import Browser

from harness.browser import open_page
from harness.clients.raw_http import ConnectionCut, iter_body, open_connection, write_request
from harness.models.small_path import DemoWithSmallPath
from harness.servers.deployment import USER
from harness.servers.machines import open_machines
from harness.servers.postgres import postgres_programs
from harness.services import require, require_part
from sprout.offline.pace import Pace
from tests.journeys.support.map_view import (
    assert_no_duplicates,
    assert_same_as_graph,
    read_map,
    wait_for_end,
    wait_for_nodes,
)
from tests.journeys.support.processes import CONNECTION_ERRORS, server_at

PACE = Pace(0.3, 60.0)
SOON = {
    "SPROUT_RUNS__LEASE_S": "2",
    "SPROUT_RUNS__HEARTBEAT_S": "0.5",
    "SPROUT_RUNS__SWEEP_S": "0.5",
    "SPROUT_LOG_LEVEL": "error",
}
WITHIN_S = 120.0
NOT_REPEATED = "status of 502"  # a PATCH may have been done
UNDER_WAY = 4  # events
Seen = tuple[str, str]  # kind and data of an event


@dataclass(slots=True)
class OldClient:
    """A client of the contract: POSTs, splits what comes at LF LF, and knows no ids. Who opens the topic again after a
    cut sends the same request.

    Args:
        streams: what each request has brought.
    """

    port: int
    topic_id: str
    streams: list[list[Seen]] = field(default_factory=list)

    async def open_topic(self) -> None:
        """Read until a stream ends with `run_done`."""
        while not (self.streams and self.streams[-1] and self.streams[-1][-1][0] == "run_done"):
            self.streams.append([])
            try:
                await self._read(self.streams[-1])
            except ConnectionCut:
                continue

    async def _read(self, seen: list[Seen]) -> None:
        path = f"/api/agents/topics/{self.topic_id}/run"
        async with open_connection(self.port) as (reader, writer):
            head = await write_request(reader, writer, "POST", path, {**USER, "small": True})
            waiting = b""
            async for part in iter_body(reader, head):
                *frames, waiting = (waiting + part).split(b"\n\n")
                seen += [event for frame in frames if (event := _event(frame)) is not None]


async def read_with_curl(url: str) -> tuple[list[bytes], int]:
    """The stored frames of a stream, by as many `curl -N` as it takes, and how many that were."""
    frames: list[bytes] = []
    for started in range(1, 100):
        last = ["-H", f"Last-Event-ID: {_number(frames[-1])}"] if frames else []
        curl = await asyncio.create_subprocess_exec("curl", "-sN", *last, url, stdout=PIPE)
        out, _ = await curl.communicate()
        frames += [frame for frame in out.split(b"\n\n")[:-1] if _number(frame) is not None]
        if frames and b"\nevent: run_done\n" in frames[-1]:
            return frames, started
    raise AssertionError("the stream has no end")


def _number(frame: bytes) -> int | None:
    first = frame.split(b"\n", 1)[0]
    return int(first.removeprefix(b"id: ")) if first.startswith(b"id: ") else None


def _event(frame: bytes) -> Seen | None:
    fields = dict(line.split(": ", 1) for line in frame.decode().split("\n") if ": " in line)
    return (fields["event"], fields["data"]) if "event" in fields else None


def of_kinds(seen: Sequence[Seen], kinds: set[str]) -> list[Seen]:
    return [one for one in seen if one[0] in kinds]


async def test_X5_an_old_client_curl_and_the_page_follow_a_run_whose_web_process_and_worker_are_killed(
    browser: Browser,
) -> None:
    for service in ("postgres", "redis", "nginx"):
        require(service)
    require_part("postgres", None if postgres_programs() else "there are no programs of PostgreSQL here")
    async with open_machines(PACE, settings=SOON, model=DemoWithSmallPath()) as site, asyncio.timeout(WITHIN_S):
        (web, other_web), (worker, other_worker) = site.webs, site.workers
        await asyncio.gather(web.start(), worker.start())  # alone, so that they have all streams and runs
        port = site.clients.server.port
        url = f"http://127.0.0.1:{port}"
        old = OldClient(port, await site.clients.create_topic())
        async with server_at(url) as api, asyncio.TaskGroup() as readers:
            readers.create_task(old.open_topic())
            while not (old.streams and len(old.streams[0]) >= UNDER_WAY):
                await asyncio.sleep(0)
            (path,) = await api.paths()
            events = f"{url}/api/runs/{path['activeRunId']}/events"
            curl = readers.create_task(read_with_curl(events))
            address = f"{url}/paths/{path['branch']['id']}"
            async with open_page(browser, address, allow=(*CONNECTION_ERRORS, NOT_REPEATED)) as page:
                await wait_for_nodes(page, 0)
                await asyncio.gather(other_web.start(), other_worker.start())
                await asyncio.gather(web.processes[0].kill(), worker.processes[0].kill())
                await wait_for_end(page)
                undisturbed, _ = await read_with_curl(events)
                async with open_page(browser, page.url) as fresh:
                    await wait_for_end(fresh)
                    assert await read_map(page) == await read_map(fresh)
                graph = await api.graph()
                assert_same_as_graph(await read_map(page), graph)
                assert_no_duplicates(graph)
        assert (graph["runs"][0]["state"], graph["runs"][0]["resumes"]) == ("completed", 1)
        frames, started = curl.result()
        assert (frames, started > 1) == (undisturbed, True)
        stored = [event for frame in undisturbed if (event := _event(frame)) is not None]
        kinds = {kind for kind, _ in stored}
        *cut, last = [of_kinds(seen, kinds) for seen in old.streams]
        assert last == stored
        assert cut
        assert all(seen == stored[: len(seen)] for seen in cut)
        assert json.loads(stored[-1][1])["status"] == "completed"
