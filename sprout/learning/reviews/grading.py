"""Grades of reviews: which one fits a marked answer, and which the learner may choose."""

from enum import StrEnum

from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.mastery.knowledge_tracing import NEUTRAL_SCORE
from sprout.learning.mastery.mastery import RIGHT_FROM
from sprout.learning.reviews.cards import ReviewGrade

_BASE_S, _PER_WORD_S, _PER_DIFFICULTY_S = 20.0, 0.4, 8.0  # reading at 150 words a minute, then thinking; judgement


class ReviewMark(StrEnum):
    """The outcome of a review's answer; of an open one none until its learner has compared it."""

    RIGHT = "right"
    PARTLY = "partly"
    NOT_YET = "not_yet"
    NOT_KNOWN = "not_known"
    UNREAD = "unread"  # it could be read in more than one way: nothing has happened, and it may be put otherwise
    TO_COMPARE = "to_compare"


_CHOICES = {
    ReviewMark.RIGHT: tuple(ReviewGrade),
    ReviewMark.PARTLY: (ReviewGrade.AGAIN, ReviewGrade.HARD),
    ReviewMark.NOT_YET: (ReviewGrade.AGAIN,),
    ReviewMark.NOT_KNOWN: (ReviewGrade.AGAIN,),
}


def mark_of(grade: Grade | None) -> ReviewMark:
    """The mark of a graded answer; without a grade it was "I don't know"."""
    if grade is None:
        return ReviewMark.NOT_KNOWN
    if grade.state is GradeState.SELF_MARKED:
        verdicts = {one.verdict for one in grade.results}
        if verdicts <= {"met"}:
            return ReviewMark.RIGHT
        return ReviewMark.NOT_YET if verdicts <= {"missing"} else ReviewMark.PARTLY
    if grade.state is not GradeState.GRADED or grade.score is None:
        return ReviewMark.TO_COMPARE if grade.must_be_compared else ReviewMark.UNREAD
    if grade.score >= RIGHT_FROM:
        return ReviewMark.RIGHT
    return ReviewMark.NOT_YET if grade.score < NEUTRAL_SCORE else ReviewMark.PARTLY


def fitting_grade(mark: ReviewMark, *, seconds: float, slow_after: float) -> ReviewGrade | None:
    """The grade that fits: good where it was right at once, hard where it took long or was right in part.

    None as long as there is no mark. Easy is never assumed.
    """
    match mark:
        case ReviewMark.RIGHT:
            return ReviewGrade.HARD if seconds > slow_after else ReviewGrade.GOOD
        case ReviewMark.PARTLY:
            return ReviewGrade.HARD
        case ReviewMark.NOT_YET | ReviewMark.NOT_KNOWN:
            return ReviewGrade.AGAIN
        case _:
            return None


def choices(mark: ReviewMark, *, self_marked: bool) -> tuple[ReviewGrade, ...]:
    """The grades that the learner may choose, lowest first; easy needs an answer that was marked by code."""
    found = _CHOICES.get(mark, ())
    return tuple(grade for grade in found if not (self_marked and grade is ReviewGrade.EASY))


def slow_after(text: str, difficulty: int) -> float:
    """Seconds after which a right answer is slow.

    Args:
        text: all that is to be read before it.
        difficulty: 1..5.
    """
    return _BASE_S + _PER_WORD_S * len(text.split()) + _PER_DIFFICULTY_S * difficulty
