"""How much of the next question is worked out for its learner."""

import pytest

from sprout.learning.lessons.fading import LITTLE_KNOWN, WELL_KNOWN, Fading, fading_after
from sprout.learning.lessons.help_ladder import GAP_LADDER, HelpLadder, HelpLevel, LadderStep

ALONE = HelpLadder().after_attempt(right=True)
WITH_HELP = HelpLadder().after_help().after_attempt(right=True)
LITTLE, SOME, MUCH = LITTLE_KNOWN - 0.01, LITTLE_KNOWN, WELL_KNOWN


@pytest.mark.parametrize("settled", [None, ALONE], ids=["nothing asked yet", "the last one done alone"])
@pytest.mark.parametrize(
    ("known", "form"), [(LITTLE, Fading.EXAMPLE), (SOME, Fading.ALONE), (MUCH, Fading.QUESTION_FIRST)]
)
def test_H6_a_new_idea_begins_with_an_example_or_with_the_question_by_what_is_known(
    known: float, form: Fading, settled: HelpLadder | None
) -> None:
    assert fading_after(known, settled) is form


@pytest.mark.parametrize("known", [LITTLE, SOME, MUCH])
@pytest.mark.parametrize(
    "settled",
    [GAP_LADDER.after_attempt(right=True), GAP_LADDER.show(), GAP_LADDER.change()],
    ids=["filled", "shown", "put away"],
)
def test_H6_after_a_gap_the_learner_works_alone_whatever_became_of_it(known: float, settled: HelpLadder) -> None:
    assert fading_after(known, settled) is Fading.ALONE


@pytest.mark.parametrize("known", [LITTLE, SOME, MUCH])
def test_H6_who_needed_the_solution_gets_the_same_with_a_step_left_out(known: float) -> None:
    assert fading_after(known, HelpLadder(HelpLevel.WORKED_STEP).after_help()) is Fading.GAP


@pytest.mark.parametrize("settled", [WITH_HELP, HelpLadder().change()], ids=["with help", "put away"])
def test_H6_who_needed_help_gets_the_same_idea_alone(settled: HelpLadder) -> None:
    assert fading_after(LITTLE, settled) is Fading.ALONE


def test_H3_filling_a_gap_is_practice_from_the_first_attempt_on() -> None:
    assert GAP_LADDER.level is HelpLevel.PARALLEL
    assert GAP_LADDER.is_new
    assert not GAP_LADDER.after_attempt(right=False).is_new
    assert GAP_LADDER.after_attempt(right=True).step is LadderStep.SOLVED


def test_H1a_who_cannot_fill_a_gap_gets_one_more_help_and_then_the_solution() -> None:
    helped = GAP_LADDER.after_attempt(right=False)
    assert (helped.level, helped.step) == (HelpLevel.WORKED_STEP, LadderStep.GIVE_HELP)
    assert helped.after_help().step is LadderStep.WORK_THROUGH
