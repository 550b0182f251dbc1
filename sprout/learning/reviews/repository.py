"""Reviews repository: what is due, sessions that can be left and taken up, and their answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import Field

from sprout.events import AnswerType, Compare, CriterionShown, Wire
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.questions.questions import AnswerForm
from sprout.learning.reviews.cards import ReviewGrade
from sprout.learning.reviews.costs import RetentionCost
from sprout.learning.reviews.day import LearnerDay, ReviewsDue
from sprout.learning.reviews.grading import ReviewMark
from sprout.learning.reviews.workload import Minutes
from sprout.learning.sources import PassageRow

SegmentState = Literal["waiting", "current", "answered", "skipped"]


class ReviewSegment(Wire):
    """A question of a session; `comes_back` says that it follows an earlier one that was missed."""

    id: str
    state: SegmentState
    comes_back: bool


class ReviewQuestion(Wire):
    """The open question of a session, without its key; `covers` are titles of further parts that are due."""

    item_id: str
    question_id: str
    node_id: str
    concept_id: str | None
    branch_id: str | None
    title: str
    concept: str
    path: str
    prompt: str
    type: AnswerType
    form: AnswerForm
    options: list[str] | None
    comes_back: bool
    covers: list[str]


class GradeChoice(Wire):
    """A grade that the learner may choose, and when the part would come back."""

    grade: ReviewGrade
    due_at: str


class ReviewResult(Wire):
    """The outcome of an answer; the key is in it once there is nothing more to answer.

    Args:
        mark: `unread` means that nothing has happened, and the answer may be put otherwise; with `to_compare` its
            learner marks it beside the model answer in `compare`.
        said: the learner's words, or the chosen option.
        options: of a choice, in displayed order.
        why: the steps to the answer.
        passage: of the learner's documents, which the part teaches from.
        grade: the grade that counts: the fitting one, unless the learner has chosen.
        fits: the grade that fits the answer and its time.
        comes_back: whether another question about the part follows in this session.
        seconds: that the answer took.
        sure: whether the learner said that they were sure of it.
        contrast: a case in which the belief that a wrong answer shows and the right idea differ; null without one.
    """

    item_id: str
    question_id: str
    node_id: str | None
    concept_id: str | None
    branch_id: str | None
    title: str
    prompt: str
    mark: ReviewMark
    said: str
    options: list[str] | None
    answer: str | None = None
    why: str | None = None
    feedback: str | None = None
    criteria: list[CriterionShown] = Field(default_factory=list)
    passage: PassageRow | None = None
    compare: Compare | None = None
    grade: ReviewGrade | None = None
    fits: ReviewGrade | None = None
    choices: list[GradeChoice] = Field(default_factory=list)
    comes_back: bool = False
    seconds: float = 0.0
    sure: bool = False
    contrast: str | None = None


class ReviewSession(Wire):
    """A session.

    Args:
        done: the answered and skipped questions of `total`.
        recalled: those that were answered and not missed.
        question: the open one; null while an answer waits for its learner's verdicts, and at the end.
        comparing: that answer.
        next_at: at the end, when the next review comes.
    """

    id: str
    started_at: str
    ended_at: str | None
    done: int
    total: int
    recalled: int
    minutes_left: int
    segments: list[ReviewSegment]
    question: ReviewQuestion | None
    comparing: ReviewResult | None
    next_at: str | None


class ReviewReply(Wire):
    """The outcome of an answer, and the session after it."""

    result: ReviewResult
    session: ReviewSession


class ReviewSettings(Wire):
    """A learner's settings of reviews.

    Args:
        minutes: the size of a day.
        retention: the probability of recall at which a part comes back, 0.8 to 0.95: more means more reviews.
        time_zone: such as Europe/Berlin; null until it is known, which is as UTC.
        day_starts_at: the hour at which a day begins, 0 to 23.
    """

    minutes: Minutes
    retention: float
    time_zone: str | None
    day_starts_at: int


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """Changes of the settings; None leaves a value as it is."""

    minutes: Minutes | None = None
    retention: float | None = None
    time_zone: str | None = None
    day_starts_at: int | None = None


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """Learner's answer to an item: words, or an option by its text or id; with neither, it is "I don't know".

    Args:
        seconds: that it took while the question was visible; by default what the server has measured.
        sure: whether the learner says that they are sure; None if they say nothing of it.
    """

    item_id: str
    text: str | None = None
    option: str | None = None
    seconds: float | None = None
    sure: bool | None = None


class Reviews(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound.

    What is written is one transaction. Each question counts once: another answer to it raises Conflict, the same one
    again gets the same reply. An item whose part was removed, or is not learned any more, raises Conflict.
    """

    async def due(self, user_id: str) -> ReviewsDue: ...

    async def due_parts(self, user_id: str) -> frozenset[str]:
        """Ids of the parts that are due now, those included that are covered by a review of another."""
        ...

    async def day(self, user_id: str) -> LearnerDay: ...

    async def start_session(
        self, user_id: str, *, minutes: Minutes | None = None, branch_id: str | None = None
    ) -> tuple[ReviewSession, bool]:
        """A new session, and True; today's open one, and False. By default it is as long as what is left of the day.

        Raises NotFound (the branch), Conflict (nothing is due).
        """
        ...

    async def session(self, session_id: str, *, user_id: str) -> ReviewSession: ...

    async def answer(self, session_id: str, answer: ReviewAnswer, *, user_id: str) -> ReviewReply:
        """Mark the answer and schedule its part. Raises BadInput (no answer, or no such option), Conflict."""
        ...

    async def self_mark(self, session_id: str, item_id: str, mark: SelfMark, *, user_id: str) -> ReviewReply:
        """The learner's verdicts on an answer in their own words. Raises BadInput, Conflict."""
        ...

    async def choose_grade(self, session_id: str, item_id: str, grade: ReviewGrade, *, user_id: str) -> ReviewReply:
        """Another grade than the fitting one. Raises BadInput (it does not fit the answer), Conflict."""
        ...

    async def skip(self, session_id: str, item_id: str, *, user_id: str) -> ReviewSession:
        """Leave a question out for today, which counts for nothing. Raises Conflict."""
        ...

    async def settings(self, user_id: str) -> ReviewSettings: ...

    async def retention_costs(self, user_id: str) -> Sequence[RetentionCost]:
        """What each choice of retention takes with the learner's cards; all 0 without cards."""
        ...

    async def change_settings(self, user_id: str, change: SettingsChange) -> ReviewSettings:
        """The settings with what is given changed; retention holds from the next review of each part on.

        Raises BadInput: the time zone is unknown.
        """
        ...
