"""Tutor task: one turn of a conversation, as JSON in the run's task."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sprout.errors import BadInput

MAX_CONTENT = 20_000


class TutorTask(BaseModel):
    """A learner's message as it was sent; an empty one opens the lesson.

    Args:
        question_id: the question that an answer was given to; None for the one that is open.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: Annotated[str, Field(min_length=1, max_length=100)]
    content: Annotated[str, Field(max_length=MAX_CONTENT)] = ""
    drawing_id: Annotated[str, Field(max_length=100)] | None = None
    question_id: Annotated[str, Field(max_length=100)] | None = None


def parse_task(text: str | None) -> TutorTask:
    """The task. Raises BadInput."""
    try:
        return TutorTask.model_validate_json(text or "")
    except ValidationError:
        raise BadInput("A lesson starts with a message to its session.") from None
