"""A restart under many readers, in short; `make faults` plays it with 1,200."""

from asyncio.subprocess import Process

from faults.comebacks import all_back

CLIENTS = 60


async def test_N16_after_a_restart_all_come_back_spread_over_time_and_go_on_where_they_were(cradle: Process) -> None:
    outcome = await all_back(CLIENTS, runs=2, cradle=cradle)
    assert [len(one.back_s) for one in outcome.returns.values()] == [CLIENTS, CLIENTS]
    assert [one.refused for one in outcome.returns.values()] == [0, 0]
    told_s = outcome.returns["SIGTERM"].told_s
    assert len(told_s) == CLIENTS
    assert len({*told_s}) > CLIENTS / 2, "not all at the same time"
    assert outcome.returns["SIGKILL"].told_s == []
    assert outcome.errors == []
    assert outcome.verdict.faults == []
