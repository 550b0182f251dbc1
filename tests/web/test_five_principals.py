"""Five people send requests at once, and nobody gets what is another's: in short.

`make faults ARGS=five` plays the long form, 20,000 requests.
"""

from faults.http.five_principals import send_as_five

COUNT = 300


async def test_Z1_five_people_at_once_get_no_5xx_and_nothing_of_each_other() -> None:
    outcome = await send_as_five(COUNT, seed=20_26, cases=1)
    assert outcome.faults == []
    assert outcome.log_errors == []
    assert outcome.requests == COUNT
    assert set(outcome.by_person.values()) == {COUNT // 5}
    assert outcome.foreign > COUNT / 20, "ids of the others are among those that are asked for"
    assert outcome.ids > COUNT / 2, "answers have ids whose owner is known"
