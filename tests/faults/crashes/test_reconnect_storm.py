"""A restart under many readers, in short; `make faults` plays it with 1,200."""

from asyncio.subprocess import Process

from faults.crashes.reconnect_storm import reconnect_all

CLIENTS = 60


async def test_N16_after_a_restart_all_come_back_spread_over_time_and_go_on_where_they_were(
    fork_server: Process,
) -> None:
    outcome = await reconnect_all(CLIENTS, runs=2, fork_server=fork_server)
    assert [len(one.back_s) for one in outcome.returns.values()] == [CLIENTS, CLIENTS]
    assert [one.refused for one in outcome.returns.values()] == [0, 0]
    told_s = outcome.returns["SIGTERM"].advised_wait_s
    assert len(told_s) == CLIENTS
    assert len({*told_s}) > CLIENTS / 2, "not all at the same time"
    assert outcome.returns["SIGKILL"].advised_wait_s == []
    assert outcome.errors == []
    assert outcome.verdict.faults == []
