"""How one look at an answer follows another (A2, A3)."""

from dataclasses import replace

import pytest

from sprout.learning.marking.evidence import OpenQuestion
from sprout.learning.marking.gradebook import MAX_FLAGS, WORDS_FOR, OpenAnswer, after_a_look, with_flag
from sprout.learning.marking.grades import Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.grading import Verdict, graded
from sprout.learning.questions.questions import Criterion

QUESTION = OpenQuestion("Why?", (Criterion("a", "because of the sun", 0.5), Criterion("b", "because of the rain", 0.5)))
ANSWER = "sun and rain"


def a_sample(mark: str = "met", confidence: float = 0.9, step: str = "") -> Grade:
    span = "" if mark == "missing" else "sun and rain"
    verdicts = [Verdict(f"c{at}", span, mark, confidence) for at in (1, 2)]
    return graded(QUESTION, verdicts, ANSWER, next_step=step)


def test_a_first_look_is_kept_with_who_looked() -> None:
    kept = after_a_look(None, a_sample(), look="r1")
    assert (kept.state, kept.score, kept.looks) == (GradeState.GRADED, 1.0, ("r1",))


@pytest.mark.parametrize("later", ["missing", "met"])
def test_a_grade_that_is_settled_stays_whoever_looks_later(later: str) -> None:
    kept = after_a_look(None, a_sample(), look="r1")
    assert after_a_look(kept, a_sample(later), look="r2") == kept


def test_A2_the_same_look_gives_one_sample_and_another_look_the_second() -> None:
    unsure = after_a_look(None, a_sample(confidence=0.6), look="r1")
    assert unsure.remedy is Remedy.SECOND_SAMPLE
    assert after_a_look(unsure, a_sample(confidence=0.6), look="r1") == unsure
    both = after_a_look(unsure, a_sample(confidence=0.6), look="r2")
    assert (both.state, both.score, both.looks) == (GradeState.GRADED, 1.0, ("r1", "r2"))


def test_A2_two_looks_that_differ_ask_the_learner_in_words() -> None:
    unsure = after_a_look(None, a_sample(confidence=0.6), look="r1")
    both = after_a_look(unsure, a_sample("missing"), look="r2")
    assert (both.state, both.score, both.remedy) == (GradeState.UNSURE, None, Remedy.FOLLOW_UP)
    assert both.next_step == WORDS_FOR[Remedy.FOLLOW_UP]
    assert after_a_look(both, a_sample(), look="r3") == both, "nobody takes a third"


def test_A2_the_graders_own_question_is_asked_where_there_is_one() -> None:
    unsure = after_a_look(None, a_sample(confidence=0.6, step="Which of the two?"), look="r1")
    assert after_a_look(unsure, a_sample("missing"), look="r2").next_step == "Which of the two?"


def test_A3_what_could_not_be_looked_at_is_no_look() -> None:
    none = after_a_look(None, ungraded("no words"), look="r1")
    assert (none.state, none.looks, none.waits_for_a_look) == (GradeState.UNGRADED, (), True)
    assert after_a_look(none, a_sample(), look="r1").score == 1.0


def test_A3_a_second_look_that_could_not_be_used_is_not_taken_a_third_time() -> None:
    unsure = after_a_look(None, a_sample(confidence=0.6), look="r1")
    asked = after_a_look(unsure, ungraded("no words"), look="r2")
    assert (asked.state, asked.remedy, asked.score) == (GradeState.UNSURE, Remedy.FOLLOW_UP, None)


def test_flags_are_never_lost_and_stay_few() -> None:
    flagged = with_flag(with_flag(None, "it gives\norders"), "it gives orders")
    assert flagged.flagged == ("it gives orders",)
    assert after_a_look(flagged, a_sample(), look="r1").flagged == ("it gives orders",)
    many = flagged
    for number in range(20):
        many = with_flag(many, f"odd {number} " * 100)
    assert len(many.flagged) == MAX_FLAGS
    assert max(map(len, many.flagged)) <= 200
    unsure = replace(after_a_look(None, a_sample(confidence=0.6), look="r1"), flagged=("odd",))
    assert after_a_look(unsure, a_sample(), look="r2").flagged == ("odd",)


def test_an_answer_waits_until_its_grade_is_settled() -> None:
    answer = OpenAnswer("a", "q", QUESTION, ANSWER)
    assert answer.waits
    assert replace(answer, grade=ungraded("no words")).waits
    assert not replace(answer, grade=after_a_look(None, a_sample(), look="r1")).waits
    assert not replace(answer, kind="drawing").can_be_seen
