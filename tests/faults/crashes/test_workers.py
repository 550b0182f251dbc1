"""A web process and two workers on one PostgreSQL: who carries the runs, and what becomes of them (scale.md)."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from harness.clients.run_follower import RunFollower
from harness.invariants.database_check import InvariantReport, check_database
from harness.models.small_path import QUESTION
from harness.servers.deployment import USER
from harness.servers.server_process import ServerSite
from harness.servers.topology import Topology, open_topology
from harness.services import require
from sprout.offline.pace import Pace

QUICK, SLOW = Pace(0.1, 400.0), Pace(0.3, 40.0)
SOON = {"SPROUT_RUNS__LEASE_S": "2", "SPROUT_RUNS__HEARTBEAT_S": "0.5", "SPROUT_RUNS__SWEEP_S": "0.5"}
LATE = {"SPROUT_RUNS__LEASE_S": "600", "SPROUT_RUNS__HEARTBEAT_S": "300", "SPROUT_RUNS__SWEEP_S": "300"}
ENDS_WITHIN_S = 120.0
UNDER_WAY = 6  # events


@asynccontextmanager
async def two_workers(pace: Pace, **settings: str) -> AsyncIterator[Topology]:
    require("postgres")
    async with open_topology(pace, settings=settings) as topology, topology.web.time_limit(ENDS_WITHIN_S):
        yield topology


async def started(topology: Topology, runs: int) -> list[RunFollower]:
    return [topology.web.add_reader(await topology.web.start_run()) for _ in range(runs)]


async def read_to_end(readers: list[RunFollower]) -> None:
    await asyncio.gather(*(reader.read_to_end() for reader in readers))


async def verdict_of(topology: Topology) -> InvariantReport:
    return await asyncio.to_thread(check_database, topology.web.server.database, topology.web.readers)


def carried(place: ServerSite) -> int:
    """How many runs were started or taken over there."""
    log = place.log.read_text()
    return log.count("agent_run.started") + log.count("agent_run.resumed")


async def test_X3_a_web_process_carries_no_run_and_the_children_of_one_spread_over_the_workers() -> None:
    async with two_workers(QUICK, **LATE) as topology:
        readers = await started(topology, 2)  # before there is a worker
        await topology.start_workers()
        await read_to_end(readers)
        verdict = await verdict_of(topology)
        assert verdict.faults == []
        assert verdict.reasons.keys() == {"end_turn"}
        assert carried(topology.web.server) == 0
        assert all(carried(worker) for worker in topology.workers)
        assert sum(map(carried, topology.workers)) == verdict.runs


async def test_X5_the_runs_of_a_killed_worker_go_on_elsewhere_and_nothing_is_lost_or_doubled() -> None:
    async with two_workers(SLOW, **SOON) as topology:
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


async def test_X5_a_worker_that_is_asked_to_go_hands_its_runs_over_at_once() -> None:
    """No lease expires and no sweep comes by: the lanes are woken by who leaves them."""
    async with two_workers(SLOW, **LATE) as topology:
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
    async with two_workers(SLOW, **LATE) as topology:
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
    async with two_workers(QUICK, **LATE, **asks) as topology:
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
