"""Grades: the stored result of grading an answer, and the part that its learner may see."""

from dataclasses import dataclass
from enum import StrEnum

from sprout.events import Mark

MIN_CONFIDENCE = 0.7  # a judgement, to be tuned on graded answers


class GradeState(StrEnum):
    """UNSURE has been looked at and needs another look; UNGRADED could not be looked at. Neither is a mark.

    SELF_MARKED was compared with the model answer by its learner: practice, no evidence.
    """

    GRADED = "graded"
    SELF_MARKED = "self_marked"
    UNSURE = "unsure"
    UNGRADED = "ungraded"


class Remedy(StrEnum):
    """The next step for a grade that is not settled."""

    RETRY = "retry"  # the same call once more; the doubts say what was wrong with it
    SECOND_SAMPLE = "second_sample"
    FOLLOW_UP = "follow_up"  # ask the learner
    FINISH = "finish"  # ask the learner for the last step alone: what was said holds the right value
    COMPARE = "compare"  # the learner compares it with the model answer
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """One criterion of an answer as judged.

    Args:
        criterion: its id, as in `criterion_ids`.
        verdict: None where nothing usable was said about it.
        span: the learner's words that show it, literally; of a drawing the part that shows it.
        confidence: 0..1.
    """

    criterion: str
    label: str
    weight: float
    verdict: Mark | None
    span: str = ""
    confidence: float = 0.0
    misconception: str | None = None


@dataclass(frozen=True, slots=True)
class Grade:
    """The outcome for one answer; `score` (0..1) and `correct` are there when it is graded, and only then.

    Args:
        results: for open questions, in the order of the criteria.
        misconceptions: the misconceptions that a graded answer reveals.
        slip: the slip of the pen or the misreading that a wrong answer comes from, where it shows no belief.
        next_step: one or two sentences for the learner.
        remedy: what to do next, unless it is graded.
        flagged: what is odd about the answer or its marks; never changes a mark.
        doubts: why it is not graded, in words that hold nothing secret.
        cut: whether the answer was too long, and its end not graded.
        looks: who has looked at it, as the ids of runs: two samples are two only if they come from two looks.
    """

    state: GradeState
    score: float | None = None
    correct: bool | None = None
    results: tuple[CriterionResult, ...] = ()
    misconceptions: tuple[str, ...] = ()
    slip: str = ""
    next_step: str = ""
    remedy: Remedy | None = None
    flagged: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    cut: bool = False
    looks: tuple[str, ...] = ()

    @property
    def awaits_grader(self) -> bool:
        """Whether the next step is a grader's, and not the learner's or a person's."""
        return self.remedy in (Remedy.RETRY, Remedy.SECOND_SAMPLE)

    @property
    def must_be_compared(self) -> bool:
        """Whether no grader will mark it, and asking the learner for more words would not help."""
        return self.remedy in (Remedy.COMPARE, Remedy.PERSON)


@dataclass(frozen=True, slots=True)
class VisibleCriterion:
    """`verdict` is None where it is not sure."""

    label: str
    verdict: Mark | None
    span: str


@dataclass(frozen=True, slots=True)
class VisibleGrade:
    state: GradeState
    score: float | None
    correct: bool | None
    criteria: tuple[VisibleCriterion, ...]
    next_step: str
    truncated: bool


def visible_grade(grade: Grade) -> VisibleGrade:
    """The visible part: labels, verdicts, their own words, one next step. No verdicts before it is marked."""
    marked = grade.state in (GradeState.GRADED, GradeState.SELF_MARKED)
    return VisibleGrade(
        state=grade.state,
        score=grade.score,
        correct=grade.correct,
        criteria=tuple(_visible_criterion(result) for result in grade.results) if marked else (),
        next_step=grade.next_step,
        truncated=grade.cut,
    )


def ungraded(doubt: str, *, remedy: Remedy = Remedy.RETRY) -> Grade:
    """The grade of an answer that could not be looked at: never 0."""
    return Grade(GradeState.UNGRADED, remedy=remedy, doubts=(doubt,))


def right_grade() -> Grade:
    """The grade of a right answer."""
    return Grade(GradeState.GRADED, score=1.0, correct=True)


def wrong_grade(misconception: str | None) -> Grade:
    """The grade of a wrong answer, with the misconception that it shows."""
    return Grade(GradeState.GRADED, score=0.0, correct=False, misconceptions=(misconception,) if misconception else ())


def unsure_grade(doubt: str, next_step: str = "") -> Grade:
    """The grade of an answer about which its learner is asked, with the words that ask."""
    return Grade(GradeState.UNSURE, remedy=Remedy.FOLLOW_UP, doubts=(doubt,), next_step=next_step)


def unfinished_grade(doubt: str, next_step: str) -> Grade:
    """The grade of an answer that only has to be finished, with the words that ask for that step."""
    return Grade(GradeState.UNSURE, remedy=Remedy.FINISH, doubts=(doubt,), next_step=next_step)


def _visible_criterion(result: CriterionResult) -> VisibleCriterion:
    sure = result.confidence >= MIN_CONFIDENCE
    return VisibleCriterion(result.label, result.verdict if sure else None, result.span if sure else "")
