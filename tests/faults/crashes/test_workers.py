"""A web process and two workers on one PostgreSQL: who carries the runs, and what becomes of them (scale.md)."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg

from harness.clients.raw_http import send_request
from harness.clients.run_follower import RunFollower
from harness.invariants.database_check import InvariantReport, check_database
from harness.models.small_path import QUESTION, DemoWithSmallPath
from harness.servers.deployment import USER
from harness.servers.server_process import ServerSite
from harness.servers.topology import Topology, open_topology
from harness.services import require
from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.pace import Pace

QUICK, SLOW = Pace(0.1, 400.0), Pace(0.3, 40.0)
SOON = {"SPROUT_RUNS__LEASE_S": "2", "SPROUT_RUNS__HEARTBEAT_S": "0.5", "SPROUT_RUNS__SWEEP_S": "0.5"}
LATE = {"SPROUT_RUNS__LEASE_S": "600", "SPROUT_RUNS__HEARTBEAT_S": "300", "SPROUT_RUNS__SWEEP_S": "300"}
ENDS_WITHIN_S = 120.0
UNDER_WAY = 6  # events


@asynccontextmanager
async def two_workers(
    pace: Pace, settings: dict[str, str], model: OfflineModel | None = None
) -> AsyncIterator[Topology]:
    require("postgres")
    async with open_topology(pace, settings=settings, model=model) as topology, topology.web.time_limit(ENDS_WITHIN_S):
        yield topology


async def started(topology: Topology, runs: int) -> list[RunFollower]:
    return [topology.web.add_reader(await topology.web.start_run()) for _ in range(runs)]


async def documents_of(topology: Topology, topic_id: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = await get(topology, f"/api/nodes/{topic_id}/documents")
    return found


async def get(topology: Topology, path: str) -> Any:
    return (await topology.web.request_until_answered("GET", path)).body


async def read_to_end(readers: list[RunFollower]) -> None:
    await asyncio.gather(*(reader.read_to_end() for reader in readers))


async def verdict_of(topology: Topology) -> InvariantReport:
    return await asyncio.to_thread(check_database, topology.web.server.database, topology.web.readers)


def carried(place: ServerSite) -> int:
    """How many runs were started or taken over there."""
    log = place.log.read_text()
    return log.count("agent_run.started") + log.count("agent_run.resumed")


def queued(topology: Topology) -> int:
    with psycopg.connect(topology.web.server.database) as connection:
        return len(connection.execute("select id from runs where state = 'queued'").fetchall())


async def test_a_web_process_carries_no_run_and_the_children_of_one_spread_over_the_workers() -> None:
    """Nor does it read documents: those that it is sent wait for a worker."""
    async with two_workers(QUICK, LATE) as topology:
        topic_id = await topology.web.create_topic()
        await topology.web.upload_notes(topic_id)
        readers = await started(topology, 2)  # before there is a worker
        await topology.start_workers()
        readers += await started(topology, 2)  # the first worker may have taken the others before there was a second
        await read_to_end(readers)
        while (await documents_of(topology, topic_id))[0]["extractionStatus"] != "completed":
            await asyncio.sleep(0)
        verdict = await verdict_of(topology)
        assert verdict.faults == []
        assert verdict.reasons.keys() == {"end_turn"}
        assert carried(topology.web.server) == 0
        assert all(carried(worker) for worker in topology.workers)
        assert sum(map(carried, topology.workers)) == verdict.runs


async def test_the_runs_of_a_killed_worker_go_on_elsewhere_and_nothing_is_lost_or_doubled() -> None:
    async with two_workers(SLOW, SOON) as topology:
        await topology.workers[0].start()
        readers = await started(topology, 2)
        async with asyncio.TaskGroup() as people:
            for reader in readers:
                people.create_task(reader.read_to_end())
            for reader in readers:
                await reader.wait_for_events(UNDER_WAY)
            await topology.workers[1].start()
            await topology.workers[0].processes[0].kill()
        verdict = await verdict_of(topology)
        assert verdict.faults == []
        assert verdict.reasons.keys() == {"end_turn"}
        assert all(any(one.kind == "run_resumed" for one in reader.received) for reader in readers)


async def test_a_worker_that_is_asked_to_go_hands_its_runs_over_at_once() -> None:
    """No lease expires and no sweep comes by: the lanes are woken by who leaves them."""
    async with two_workers(SLOW, LATE) as topology:
        await topology.workers[0].start()
        readers = await started(topology, 2)
        async with asyncio.TaskGroup() as people:
            for reader in readers:
                people.create_task(reader.read_to_end())
            for reader in readers:
                await reader.wait_for_events(UNDER_WAY)
            await topology.workers[1].start()
            leaving = topology.workers[0].processes[0]
            leaving.send_signal(signal.SIGTERM)
            assert await leaving.wait_ended(20) == 0
        verdict = await verdict_of(topology)
        assert verdict.faults == []
        assert verdict.reasons.keys() == {"end_turn"}
        assert topology.workers[0].errors() == []


async def test_X1_a_run_is_cancelled_where_it_works_and_not_at_its_next_heartbeat() -> None:
    async with two_workers(SLOW, LATE) as topology:
        await topology.start_workers()
        (reader,) = await started(topology, 1)
        async with asyncio.TaskGroup() as people:
            people.create_task(reader.read_to_end())
            await reader.wait_for_events(UNDER_WAY)
            await topology.web.request_until_answered("POST", f"/api/runs/{reader.root_id}/cancel", USER)
        verdict = await verdict_of(topology)
        assert verdict.faults == []
        assert "cancelled" in verdict.reasons


async def test_W1_a_run_that_waits_for_a_person_holds_nothing_and_goes_on_with_the_answer() -> None:
    asks = {"SPROUT_EXTRA_AGENTS": "harness.models.topic_agents:asking_topic"}
    async with two_workers(QUICK, LATE | asks) as topology:
        await topology.workers[0].start()
        (reader,) = await started(topology, 1)
        async with asyncio.TaskGroup() as people:
            people.create_task(reader.read_to_end())
            await reader.wait_until(lambda one: any(event.kind == "waiting_on_human" for event in one.received))
            topology.workers[0].processes[0].send_signal(signal.SIGTERM)
            assert await topology.workers[0].processes[0].wait_ended(20) == 0
            answered = await topology.web.request_until_answered(
                "POST", f"/api/runs/{reader.root_id}/answer", {**USER, "answer": "To the light."}
            )
            assert answered.status == 200, answered
            await topology.workers[1].start()
        verdict = await verdict_of(topology)
        assert verdict.faults == []
        assert verdict.reasons.keys() == {"end_turn"}
        assert QUESTION in str(reader.received)


async def test_a_lesson_has_its_turn_while_growth_fills_the_places() -> None:
    async with two_workers(QUICK, LATE | {"SPROUT_WORKER_RUNS": "3"}, DemoWithSmallPath()) as topology:
        await topology.workers[0].start()
        topic_id = await topology.web.create_topic()
        await topology.web.add_reader(await topology.web.start_run(topic_id)).read_to_end()
        concept = (await get(topology, f"/api/nodes/{topic_id}/children"))[0]
        part = (await get(topology, f"/api/nodes/{concept['id']}/children"))[0]
        lesson = await topology.web.request_until_answered("POST", "/api/chat/sessions", {**USER, "nodeId": part["id"]})
        await started(topology, 4)
        turn = await topology.web.request_until_answered(
            "POST", f"/api/chat/sessions/{lesson.body['id']}/tutor", {**USER, "content": ""}
        )
        assert turn.body["message"]
        assert queued(topology) > 0, "growth waits for its place"


async def test_X5_a_turn_that_waits_at_a_web_process_which_is_asked_to_go_gets_its_reply() -> None:
    async with two_workers(SLOW, LATE, DemoWithSmallPath()) as topology:
        await topology.workers[0].start()
        part = await get(topology, f"/api/nodes/{await topology.web.create_topic()}")
        for kind in ("concept", "subconcept"):
            node = {**USER, "type": kind, "title": kind, "branchId": part["branchId"], "parentId": part["id"]}
            part = (await topology.web.request_until_answered("POST", "/api/nodes", node)).body
        lesson = await topology.web.request_until_answered("POST", "/api/chat/sessions", {**USER, "nodeId": part["id"]})
        path = f"/api/chat/sessions/{lesson.body['id']}/tutor"
        async with asyncio.TaskGroup() as people:
            turn = people.create_task(send_request(topology.web.server.port, "POST", path, {**USER, "content": ""}))
            while not carried(topology.workers[0]):
                await asyncio.sleep(0)
            topology.web.server.processes[0].send_signal(signal.SIGTERM)
        assert turn.result().status == 200
        assert turn.result().body["message"]
        assert not turn.result().body["message"].startswith(fixed_text("slow", "en"))
        assert await topology.web.server.processes[0].wait_ended() == 0


async def test_a_web_process_that_is_asked_to_go_sends_its_readers_back_and_the_run_goes_on() -> None:
    async with two_workers(SLOW, LATE) as topology:
        await topology.workers[0].start()
        (reader,) = await started(topology, 1)
        async with asyncio.TaskGroup() as people:
            people.create_task(reader.read_to_end())
            await reader.wait_for_events(UNDER_WAY)
            leaving = topology.web.server.processes[0]
            leaving.send_signal(signal.SIGTERM)
            assert await leaving.wait_ended(20) == 0
            await topology.web.server.start()
        assert (reader.reconnects, reader.resyncs) == (1, 0)
        assert not any(event.kind == "run_resumed" for event in reader.received)
        assert (await verdict_of(topology)).faults == []
