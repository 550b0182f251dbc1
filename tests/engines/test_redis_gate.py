"""Limit on concurrent model calls over several processes (scale.md; runs.md R4)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from redis.asyncio import Redis

from harness.servers.redis import REDIS_URL, redis_server
from sprout.engines.redis_gate import RedisGate
from sprout.engines.redis_server import connect
from sprout.runs.fair_queue import Urgency

ENOUGH_S = 20.0
NOWHERE = "redis://127.0.0.1:1"

OpenGate = Callable[..., Awaitable[RedisGate]]


class Caller:
    """Holds a place in a gate until it is told to leave."""

    def __init__(
        self,
        gate: RedisGate,
        learner: str,
        root: str,
        order: list[str] | None = None,
        urgency: Urgency = Urgency.GROWING,
    ) -> None:
        self.inside = asyncio.Event()
        self.leave = asyncio.Event()
        self.task = asyncio.create_task(self._hold(gate, learner, root, order, urgency))

    async def _hold(self, gate: RedisGate, learner: str, root: str, order: list[str] | None, urgency: Urgency) -> None:
        async with gate.slot(learner, root, urgency=urgency):
            if order is not None:
                order.append(learner)
            self.inside.set()
            await self.leave.wait()


async def entered(caller: Caller) -> None:
    async with asyncio.timeout(ENOUGH_S):
        await caller.inside.wait()


async def in_redis(redis: Redis, prefix: str, *, active: int, waiting: int) -> None:
    """Return once so many calls of all processes have a place, and so many wait for one."""
    async with asyncio.timeout(ENOUGH_S):
        while (
            await redis.zcard(f"{{{prefix}}}:active"),
            await redis.zcard(f"{{{prefix}}}:waiting"),
        ) != (active, waiting):
            await asyncio.sleep(0.01)


async def finish(callers: list[Caller]) -> None:
    for caller in callers:
        caller.leave.set()
    await asyncio.gather(*(caller.task for caller in callers), return_exceptions=True)


@pytest.fixture
async def open_gate(redis: Redis, prefix: str) -> AsyncIterator[OpenGate]:
    """Open a gate as a process of its own would: each has its own connections."""
    async with AsyncExitStack() as stack:

        async def open_one(*, per_root: int = 99, limit: int = 32, url: str = REDIS_URL) -> RedisGate:
            client = await stack.enter_async_context(connect(url))
            gate = RedisGate(client, per_root=per_root, limit=limit, prefix=prefix)
            await stack.enter_async_context(gate.running())
            return gate

        yield open_one


async def test_R4_the_places_are_those_of_all_processes_and_grow_with_every_answer(
    open_gate: OpenGate, redis: Redis, prefix: str
) -> None:
    gates = [await open_gate(limit=6), await open_gate(limit=6)]
    callers = [Caller(gates[at % 2], f"learner {at}", f"root {at}") for at in range(8)]
    await in_redis(redis, prefix, active=3, waiting=5)
    gates[0].record_success()
    await in_redis(redis, prefix, active=4, waiting=4)
    for gate in gates * 3:
        gate.record_success()
    await in_redis(redis, prefix, active=6, waiting=2)
    callers[0].leave.set()
    await in_redis(redis, prefix, active=6, waiting=1)
    assert sum(gate.waiting for gate in gates) <= 2
    await finish(callers)
    await in_redis(redis, prefix, active=0, waiting=0)


async def test_R4_a_refusal_of_the_provider_halves_the_width_for_all(
    open_gate: OpenGate, redis: Redis, prefix: str
) -> None:
    one, other = await open_gate(limit=10), await open_gate(limit=10)
    for _ in range(7):
        one.record_success()
    callers = [Caller(one, f"learner {at}", f"root {at}") for at in range(11)]
    await in_redis(redis, prefix, active=10, waiting=1)
    other.record_overload()
    async with asyncio.timeout(ENOUGH_S):
        while other.width != 5:
            await asyncio.sleep(0.01)
    for caller in callers[:5]:
        caller.leave.set()
    await asyncio.gather(*(caller.task for caller in callers[:5]))
    await in_redis(redis, prefix, active=5, waiting=1)
    callers[5].leave.set()
    await in_redis(redis, prefix, active=5, waiting=0)
    await finish(callers)


async def test_R4_one_root_run_has_no_more_than_its_share_on_all_processes(
    open_gate: OpenGate, redis: Redis, prefix: str
) -> None:
    gates = [await open_gate(per_root=2), await open_gate(per_root=2)]
    callers = [Caller(gates[at % 2], "ann", "one") for at in range(3)]
    await in_redis(redis, prefix, active=2, waiting=1)
    other = Caller(gates[0], "ann", "two")
    await entered(other)
    await in_redis(redis, prefix, active=3, waiting=1)
    await finish([*callers, other])


async def test_R4_learners_of_different_processes_take_turns(open_gate: OpenGate, redis: Redis, prefix: str) -> None:
    here, there = await open_gate(limit=1), await open_gate(limit=1)
    order: list[str] = []
    callers = [Caller(here, "ann", "a", order)]
    await entered(callers[0])
    for at in range(3):
        callers.append(Caller(here, "ann", "a", order))
        await in_redis(redis, prefix, active=1, waiting=at + 1)
    callers.append(Caller(there, "bob", "b", order))
    await in_redis(redis, prefix, active=1, waiting=4)
    for caller in callers:
        caller.leave.set()
    await asyncio.gather(*(caller.task for caller in callers))
    assert order == ["ann", "bob", "ann", "ann", "ann"]


async def test_R4_a_lesson_in_one_process_goes_before_the_paths_that_grow_in_another(
    open_gate: OpenGate, redis: Redis, prefix: str
) -> None:
    here, there = await open_gate(limit=1), await open_gate(limit=1)
    order: list[str] = []
    callers = [Caller(here, "ann", "a", order)]
    await entered(callers[0])
    waiting = [(here, "ann", Urgency.GROWING), (here, "bob", Urgency.GROWING), (there, "cleo", Urgency.LESSON)]
    for at, (gate, learner, urgency) in enumerate(waiting):
        callers.append(Caller(gate, learner, learner, order, urgency))
        await in_redis(redis, prefix, active=1, waiting=at + 1)
    for caller in callers:
        caller.leave.set()
    await asyncio.gather(*(caller.task for caller in callers))
    assert order == ["ann", "cleo", "bob", "ann"]


async def test_a_call_that_is_cancelled_while_it_waits_or_runs_leaves_no_trace(
    open_gate: OpenGate, redis: Redis, prefix: str
) -> None:
    gate = await open_gate(limit=1)
    first = Caller(gate, "ann", "a")
    await entered(first)
    second, third = Caller(gate, "ann", "a"), Caller(gate, "ann", "a")
    await in_redis(redis, prefix, active=1, waiting=2)
    second.task.cancel()
    first.task.cancel()
    await entered(third)
    await in_redis(redis, prefix, active=1, waiting=0)
    await finish([third])
    assert (gate.active, gate.waiting) == (0, 0)


async def test_the_places_of_a_process_that_is_gone_are_free_again(
    open_gate: OpenGate, redis: Redis, prefix: str
) -> None:
    gate = await open_gate(limit=1)
    gone = f"{{{prefix}}}"
    await redis.hset(f"{gone}:callers", "0-of-the-dead", '["eve", "e"]')
    time_s, _ = await redis.time()
    await redis.zadd(f"{gone}:active", {"0-of-the-dead": time_s + 1})
    waiting = Caller(gate, "ann", "a")
    await entered(waiting)
    await finish([waiting])


async def test_without_redis_a_process_goes_by_a_gate_of_its_own(open_gate: OpenGate) -> None:
    gate = await open_gate(limit=2, url=NOWHERE)
    callers = [Caller(gate, "ann", "a") for _ in range(3)]
    await entered(callers[0])
    await entered(callers[1])
    async with asyncio.timeout(ENOUGH_S):
        while (gate.active, gate.waiting) != (2, 1):
            await asyncio.sleep(0.01)
    assert not callers[2].inside.is_set()
    callers[0].leave.set()
    await entered(callers[2])
    await finish(callers)
    assert (gate.active, gate.waiting) == (0, 0)


async def test_a_call_that_waits_while_redis_is_lost_goes_on(open_gate: OpenGate, prefix: str, tmp_path: Path) -> None:
    async with redis_server(tmp_path) as server:
        async with connect(server.url) as client:
            gate = await open_gate(limit=1, url=server.url)
            held = Caller(gate, "ann", "a")
            await entered(held)
            waits = Caller(gate, "ann", "a")
            while not await client.zcard(f"{{{prefix}}}:waiting"):
                await asyncio.sleep(0.01)
        await server.kill()
        await entered(waits)
    await finish([held, waits])
    assert (gate.active, gate.waiting) == (0, 0)
