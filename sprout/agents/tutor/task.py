"""Tutor task: one turn of a conversation, as JSON in the run's task."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sprout.errors import BadInput
from sprout.events import Mark
from sprout.learning.marking.grading import MAX_MISCONCEPTION
from sprout.learning.questions.assessments import SelfMark

MAX_CONTENT = 20_000
MAX_CRITERIA = 10


Move = Literal["help", "show", "change"]


class SelfMarkInput(BaseModel):
    """The learner's verdicts on their own answer, by the ids of the criteria, and the mix-up that they recognise."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdicts: Annotated[dict[str, Mark], Field(min_length=1, max_length=MAX_CRITERIA)]
    misconception: Annotated[str, Field(max_length=MAX_MISCONCEPTION)] | None = None

    def to_mark(self) -> SelfMark:
        return SelfMark(self.verdicts, self.misconception)


class TutorTask(BaseModel):
    """A learner's message as it was sent; an empty one opens the lesson.

    Args:
        move: what was asked for by a button, in place of words: the next help, the solution, another question.
        self_mark: how the learner marks their own answer, in place of words.
        question_id: the question that an answer was given to; None for the one that is open.
        sure: whether the learner says that they are sure of the answer; None if they say nothing of it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: Annotated[str, Field(min_length=1, max_length=100)]
    content: Annotated[str, Field(max_length=MAX_CONTENT)] = ""
    drawing_id: Annotated[str, Field(max_length=100)] | None = None
    question_id: Annotated[str, Field(max_length=100)] | None = None
    move: Move | None = None
    self_mark: SelfMarkInput | None = None
    sure: bool | None = None

    @property
    def is_button(self) -> bool:
        """Whether a button was pressed, in place of words."""
        return self.move is not None or self.self_mark is not None


def parse_task(text: str | None) -> TutorTask:
    """The task. Raises BadInput."""
    try:
        return TutorTask.model_validate_json(text or "")
    except ValidationError:
        raise BadInput("A lesson starts with a message to its session.") from None
