"""A run that kills its process whenever it is at work, beside others; `make faults` plays a restart loop too."""

from asyncio.subprocess import Process

from faults.restarts import restarted
from sprout.runs.state import MOST_CRASHES


async def test_P10_the_run_that_kills_the_process_is_given_up_in_time_and_those_beside_it_are_not(
    cradle: Process,
) -> None:
    outcome = await restarted(4, deadly=1, cradle=cradle)
    assert outcome.deadly == ["crash_loop"]
    assert outcome.others == ["end_turn"] * 4
    assert MOST_CRASHES <= outcome.deaths <= MOST_CRASHES + 1, "its reply may be kept between the first and the second"
    assert outcome.verdict.faults == []
