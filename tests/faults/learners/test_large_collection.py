"""A day with four hundred reviews due, over HTTP on a real file; `make faults ARGS=cards` has ten thousand."""

from asyncio.subprocess import Process

from faults.learners.large_collection import open_day


async def test_V5_a_day_with_four_hundred_due_has_its_size_and_all_of_the_rest_comes_later(
    fork_server: Process,
) -> None:
    day = await open_day(400, fork_server=fork_server)
    assert day.wrong == []
