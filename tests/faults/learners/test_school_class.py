"""A class at once, in short: what its lessons cost, and what each sees of the others; `make faults` has 35 pupils."""

from faults.learners.school_class import teach_class

PUPILS = 4


async def test_a_class_learns_at_once_pays_to_the_cent_and_nobody_sees_anything_of_another() -> None:
    outcome = await teach_class(PUPILS)
    assert outcome.faults() == []
    assert len(outcome.page["learners"]) == PUPILS
    assert all(one.answers > 1 for one in outcome.pupils)
