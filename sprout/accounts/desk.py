"""Desk of a teacher: answers of a class that wait for a person, and the decisions about them."""

from datetime import timedelta
from typing import Literal, Protocol

from pydantic import Field

from sprout.errors import Conflict
from sprout.events import Mark, Wire
from sprout.learning.lessons.repository import Drawing
from sprout.learning.marking.answer_keys import ContestOutcome
from sprout.learning.marking.decisions import Decision
from sprout.learning.mastery.reports import AnswerMark
from sprout.learning.questions.questions import QuestionFormat

MAX_ITEMS = 200
WAITS_AFTER = timedelta(minutes=10)  # a check or a grade that has not come by then may never come
UNDO_WITHIN = timedelta(minutes=10)
COUNTED_FOR = timedelta(days=1)

DeskKind = Literal["disagrees", "unsure", "flagged"]


class DeskCriterion(Wire):
    """A criterion with what a grader found: `verdict` is null without one, `span` are the learner's words."""

    label: str
    statement: str
    verdict: Mark | None
    span: str
    sure: float = Field(description="0..1")


class DeskItem(Wire):
    """An answer that waits for a decision, without the name of its learner.

    `answer` is null where the learner disagrees with a question and has not answered it; then it can be dropped, or
    left as it is with `not_yet`. `mark` is null where there is none, and so is `sure` where code has marked it.
    """

    id: str
    kind: DeskKind
    path: str
    concept: str
    prompt: str
    format: QuestionFormat
    options: list[str]
    model_answer: str
    criteria: list[DeskCriterion]
    answer: str | None
    drawn: bool = Field(description="whether the answer has a drawing; `answer` is then the note beside it")
    compared: bool = Field(description="whether the learner has compared it with the model answer")
    mark: AnswerMark | None
    sure: float | None = Field(description="0..1")
    doubts: list[str] = Field(description="why it is unsure, or what is odd about it")
    feedback: str | None = Field(description="what the learner was told")
    contested: bool
    outcome: ContestOutcome | None = Field(description="of the check of a contested question; null if none has ended")
    reason: str | None = Field(description="what the learner says against the question")
    helped: bool
    at: str


class DeskPage(Wire):
    """What waits, oldest first, at most 200; `more` if that is not all, and how many were decided in the last day."""

    items: list[DeskItem]
    more: bool
    decided: int


class DeskLearner(Wire):
    """The learner of an answer."""

    user_id: str
    display_name: str


class DeskDecisionRow(Wire):
    """A decision about an answer; `dropped` counts the learners whose question was dropped with it."""

    id: str
    decision: Decision
    decided_at: str
    undo_until: str
    dropped: int


class TeacherDecision(Wire):
    """What a teacher has decided about a question of the caller's; `class_name` is null once the class is gone."""

    id: str
    decision: Decision
    prompt: str
    said: str | None
    branch_id: str | None
    node_id: str | None
    class_name: str | None
    decided_at: str
    seen: bool


class QuestionDropped(Conflict):
    """The question was voided meanwhile, and counts for nothing."""

    code = "question_dropped"

    def __init__(self) -> None:
        super().__init__("This question was dropped meanwhile. There is nothing to decide any more.")


class NothingToMark(Conflict):
    """The learner has not answered: there is nothing that could be right."""

    code = "nothing_to_mark"

    def __init__(self) -> None:
        super().__init__("The learner has not answered this question. Drop it, or choose “not yet” to keep it.")


class UndoTooLate(Conflict):
    """The learner may have gone on with what was decided."""

    code = "undo_too_late"

    def __init__(self) -> None:
        super().__init__("This decision can't be undone any more. Decide again instead.")


class Desk(Protocol):
    """Scoped to the teacher, as `Classes`, and to what members of the class do in their copies of its given paths.

    An item has the id of the learner's question. One that is not in this scope, or does not wait, raises NotFound.
    """

    async def desk(self, class_id: str, *, teacher_id: str) -> DeskPage: ...

    async def learner(self, class_id: str, item_id: str, *, teacher_id: str) -> DeskLearner: ...

    async def drawing(self, class_id: str, item_id: str, *, teacher_id: str) -> Drawing:
        """The drawing that the answer of an item is. Raises NotFound."""
        ...

    async def decide(self, class_id: str, item_id: str, decision: Decision, *, teacher_id: str) -> DeskDecisionRow:
        """Decide, or change a decision; progress, evidence and reviews follow in the same transaction.

        A question that came with the path and is dropped counts for no learner of the class, nor for the teacher.
        Raises QuestionDropped, NothingToMark, MissingRight.
        """
        ...

    async def undo(self, class_id: str, item_id: str, *, teacher_id: str) -> None:
        """Put back what was before a decision; nothing where there is none. Raises UndoTooLate, MissingRight."""
        ...

    async def decisions(self, user_id: str) -> list[TeacherDecision]:
        """Decisions about the user's own questions, newest first, at most 50."""
        ...

    async def mark_seen(self, user_id: str) -> None:
        """The user has seen all decisions so far."""
        ...
