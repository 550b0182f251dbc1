"""Calls that are cancelled while they wait at the gate: nobody else is harmed, and no place is lost."""

import asyncio

from sprout.runs.model_gate import INITIAL_WIDTH, ModelGate


async def test_calls_that_are_cancelled_together_leave_no_trace_and_break_no_other() -> None:
    gate = ModelGate(per_root=10, limit=32)
    held, leave = asyncio.Semaphore(0), asyncio.Event()

    async def call(root_id: str) -> None:
        async with gate.slot("learner", root_id):
            held.release()
            await leave.wait()

    calls = [asyncio.create_task(call(f"root {number}")) for number in range(3 * INITIAL_WIDTH)]
    for _ in range(INITIAL_WIDTH):
        await held.acquire()
    assert (gate.active, gate.waiting) == (INITIAL_WIDTH, 2 * INITIAL_WIDTH)

    for each in calls[:-1]:
        each.cancel()
    outcomes = await asyncio.gather(*calls[:-1], return_exceptions=True)
    assert [type(one) for one in outcomes] == [asyncio.CancelledError] * len(outcomes)

    await held.acquire()  # the last one, which was not cancelled, has its place
    assert (gate.active, gate.waiting) == (1, 0)
    leave.set()
    await calls[-1]
    assert gate.active == 0
