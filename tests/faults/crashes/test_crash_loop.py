"""A run that kills its process whenever it is at work, beside others; `make faults` plays a restart loop too."""

from asyncio.subprocess import Process

from faults.crashes.crash_loop import restart_until_ended
from sprout.runs.state import MAX_CRASHES


async def test_P10_the_run_that_kills_the_process_is_given_up_in_time_and_those_beside_it_are_not(
    fork_server: Process,
) -> None:
    outcome = await restart_until_ended(4, deadly=1, fork_server=fork_server)
    assert outcome.deadly == ["crash_loop"]
    assert outcome.others == ["end_turn"] * 4
    assert MAX_CRASHES <= outcome.deaths <= MAX_CRASHES + 1, "its reply may be kept between the first and the second"
    assert outcome.verdict.faults == []
