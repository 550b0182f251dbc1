"""Calls that are cancelled while they wait at the gate: nobody else is harmed, and no place is lost."""

import asyncio

from sprout.runs.gate import FIRST_WIDTH, ModelGate


async def test_calls_that_are_cancelled_together_leave_no_trace_and_break_no_other() -> None:
    gate = ModelGate(per_root=10, most=32)
    held, leave = asyncio.Semaphore(0), asyncio.Event()

    async def call(root_id: str) -> None:
        async with gate.place("learner", root_id):
            held.release()
            await leave.wait()

    calls = [asyncio.create_task(call(f"root {number}")) for number in range(3 * FIRST_WIDTH)]
    for _ in range(FIRST_WIDTH):
        await held.acquire()
    assert (gate.going, gate.waiting) == (FIRST_WIDTH, 2 * FIRST_WIDTH)

    for each in calls[:-1]:
        each.cancel()
    outcomes = await asyncio.gather(*calls[:-1], return_exceptions=True)
    assert [type(one) for one in outcomes] == [asyncio.CancelledError] * len(outcomes)

    await held.acquire()  # the last one, which was not cancelled, has its place
    assert (gate.going, gate.waiting) == (1, 0)
    leave.set()
    await calls[-1]
    assert gate.going == 0
