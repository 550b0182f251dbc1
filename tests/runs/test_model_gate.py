"""Limit on concurrent model calls (runs.md R4)."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from harness.loop.scripted_turn import claude_at
from sprout.errors import ModelFailure
from sprout.loop.model import Message, ModelRequest, ReplyEnded, Text
from sprout.offline.faults.scenarios import Fault
from sprout.offline.script import Reply, Scripted, TextOut
from sprout.offline.server import running_offline_server
from sprout.runs.fair_queue import Urgency
from sprout.runs.metered_model import MeteredModel
from sprout.runs.model_gate import ModelGate, RunGate

REQUEST = ModelRequest("sprout-offline", "s", (Message("user", (Text("go"),)),), (), 100)


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


class Caller:
    """Holds a place in the gate until it is told to leave."""

    def __init__(self, gate: ModelGate, learner: str, root: str, urgency: Urgency = Urgency.GROWING) -> None:
        self.inside = False
        self.leave = asyncio.Event()
        self.task = asyncio.create_task(self._hold(gate, learner, root, urgency))

    async def _hold(self, gate: ModelGate, learner: str, root: str, urgency: Urgency) -> None:
        async with gate.slot(learner, root, urgency=urgency):
            self.inside = True
            await self.leave.wait()


async def finish(callers: list[Caller]) -> None:
    for caller in callers:
        caller.leave.set()
    await asyncio.gather(*(caller.task for caller in callers), return_exceptions=True)


async def test_R4_three_calls_go_at_first_and_one_more_with_every_answer() -> None:
    gate = ModelGate(per_root=10, limit=6)
    callers = [Caller(gate, "ann", "root") for _ in range(8)]
    await settle()
    assert sum(caller.inside for caller in callers) == 3
    gate.record_success()
    await settle()
    assert sum(caller.inside for caller in callers) == 4
    for _ in range(9):
        gate.record_success()
    await settle()
    assert sum(caller.inside for caller in callers) == 6
    await finish(callers)


async def test_R4_the_width_halves_when_the_provider_says_too_much() -> None:
    gate = ModelGate(per_root=10, limit=32)
    for _ in range(7):
        gate.record_success()
    gate.record_overload()
    assert gate.width == 5
    for _ in range(9):
        gate.record_overload()
    assert gate.width == 1


async def test_R4_one_root_run_has_no_more_than_its_share() -> None:
    gate = ModelGate(per_root=2, limit=32)
    callers = [Caller(gate, "ann", "one") for _ in range(3)] + [Caller(gate, "ann", "two")]
    await settle()
    assert [caller.inside for caller in callers] == [True, True, False, True]
    await finish(callers)


async def test_R4_learners_take_turns() -> None:
    gate = ModelGate(per_root=99, limit=1)
    first = Caller(gate, "ann", "a")
    await settle()
    greedy = [Caller(gate, "ann", "a") for _ in range(5)]
    await settle()
    modest = Caller(gate, "bob", "b")
    await settle()
    first.leave.set()
    await settle()
    greedy[0].leave.set()
    await settle()
    assert modest.inside
    assert not any(caller.inside for caller in greedy[1:])
    await finish([*greedy, modest])


async def test_R4_a_lesson_goes_before_paths_that_grow() -> None:
    gate = ModelGate(per_root=99, limit=1)
    first = Caller(gate, "ann", "a")
    growing = [Caller(gate, name, name) for name in ("ann", "bob")]
    await settle()
    lesson = Caller(gate, "cleo", "c", Urgency.LESSON)
    await settle()
    first.leave.set()
    await settle()
    assert lesson.inside
    assert not any(caller.inside for caller in growing)
    await finish([*growing, lesson])


async def test_a_caller_who_gives_up_waiting_leaves_no_trace() -> None:
    gate = ModelGate(per_root=99, limit=1)
    first, second, third = (Caller(gate, "ann", "a") for _ in range(3))
    await settle()
    second.task.cancel()
    await settle()
    first.leave.set()
    await settle()
    assert third.inside
    await finish([third])


async def test_a_gated_model_widens_the_gate_by_its_answers_and_narrows_it_by_refusals() -> None:
    gate = ModelGate(per_root=10, limit=10)
    script = Scripted([Reply([TextOut("Yes.")]), Fault("overloaded"), Fault("bad_key")])
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running_offline_server(script))
        claude = await stack.enter_async_context(claude_at(server))
        model = MeteredModel(claude, RunGate(gate, learner="ann", root_id="a").admit)
        parts = [part async for part in model.reply(REQUEST)]
        assert isinstance(parts[-1], ReplyEnded)
        assert gate.width == 4
        for width in (2, 2):
            with pytest.raises(ModelFailure):
                [part async for part in model.reply(REQUEST)]
            assert gate.width == width
