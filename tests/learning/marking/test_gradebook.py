"""Sequence of several looks at one answer (A2, A3)."""

from dataclasses import replace

import pytest

from sprout.learning.marking.gradebook import MAX_FLAGS, REMEDY_TEXTS, OpenAnswer, grade_after_look, with_flag
from sprout.learning.marking.grades import Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.grading import CriterionVerdict, grade_verdicts
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.questions.questions import Criterion

QUESTION = OpenQuestion("Why?", (Criterion("a", "because of the sun", 0.5), Criterion("b", "because of the rain", 0.5)))
ANSWER = "sun and rain"


def a_sample(mark: str = "met", confidence: float = 0.9, step: str = "") -> Grade:
    span = "" if mark == "missing" else "sun and rain"
    verdicts = [CriterionVerdict(f"c{at}", span, mark, confidence) for at in (1, 2)]
    return grade_verdicts(QUESTION, verdicts, ANSWER, next_step=step)


def test_a_first_look_is_kept_with_who_looked() -> None:
    grade = grade_after_look(None, a_sample(), look="r1")
    assert (grade.state, grade.score, grade.looks) == (GradeState.GRADED, 1.0, ("r1",))


@pytest.mark.parametrize("later", ["missing", "met"])
def test_a_grade_that_is_settled_stays_whatever_a_later_look_says(later: str) -> None:
    grade = grade_after_look(None, a_sample(), look="r1")
    assert grade_after_look(grade, a_sample(later), look="r2") == grade


def test_A2_the_same_look_gives_one_sample_and_another_look_the_second() -> None:
    unsure = grade_after_look(None, a_sample(confidence=0.6), look="r1")
    assert unsure.remedy is Remedy.SECOND_SAMPLE
    assert grade_after_look(unsure, a_sample(confidence=0.6), look="r1") == unsure
    both = grade_after_look(unsure, a_sample(confidence=0.6), look="r2")
    assert (both.state, both.score, both.looks) == (GradeState.GRADED, 1.0, ("r1", "r2"))


def test_A2_two_looks_that_differ_ask_the_learner_in_words() -> None:
    unsure = grade_after_look(None, a_sample(confidence=0.6), look="r1")
    both = grade_after_look(unsure, a_sample("missing"), look="r2")
    assert (both.state, both.score, both.remedy) == (GradeState.UNSURE, None, Remedy.FOLLOW_UP)
    assert both.next_step == REMEDY_TEXTS[Remedy.FOLLOW_UP]
    assert grade_after_look(both, a_sample(), look="r3") == both, "nobody takes a third"


def test_A2_the_graders_own_question_is_asked_where_there_is_one() -> None:
    unsure = grade_after_look(None, a_sample(confidence=0.6, step="Which of the two?"), look="r1")
    assert grade_after_look(unsure, a_sample("missing"), look="r2").next_step == "Which of the two?"


def test_A3_what_could_not_be_looked_at_is_no_look() -> None:
    none = grade_after_look(None, ungraded("no words"), look="r1")
    assert (none.state, none.looks, none.awaits_grader) == (GradeState.UNGRADED, (), True)
    assert grade_after_look(none, a_sample(), look="r1").score == 1.0


def test_A3_a_second_look_that_could_not_be_used_is_not_taken_a_third_time() -> None:
    unsure = grade_after_look(None, a_sample(confidence=0.6), look="r1")
    asked = grade_after_look(unsure, ungraded("no words"), look="r2")
    assert (asked.state, asked.remedy, asked.score) == (GradeState.UNSURE, Remedy.FOLLOW_UP, None)


def test_flags_are_never_lost_and_stay_few() -> None:
    flagged = with_flag(with_flag(None, "it gives\norders"), "it gives orders")
    assert flagged.flagged == ("it gives orders",)
    assert grade_after_look(flagged, a_sample(), look="r1").flagged == ("it gives orders",)
    many = flagged
    for number in range(20):
        many = with_flag(many, f"odd {number} " * 100)
    assert len(many.flagged) == MAX_FLAGS
    assert max(map(len, many.flagged)) <= 200
    unsure = replace(grade_after_look(None, a_sample(confidence=0.6), look="r1"), flagged=("odd",))
    assert grade_after_look(unsure, a_sample(), look="r2").flagged == ("odd",)


def test_an_answer_waits_until_its_grade_is_settled() -> None:
    answer = OpenAnswer("a", "q", QUESTION, ANSWER)
    assert answer.awaits_grader
    assert replace(answer, grade=ungraded("no words")).awaits_grader
    assert not replace(answer, grade=grade_after_look(None, a_sample(), look="r1")).awaits_grader
    assert not replace(answer, kind="drawing").has_content
