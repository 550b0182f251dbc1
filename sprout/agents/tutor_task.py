"""What a run of the tutor is asked to do: one turn of a conversation, as the run's task carries it."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sprout.errors import BadInput

LONGEST_WORDS = 20_000


class TutorTask(BaseModel):
    """The learner's words of a turn, as they were sent; none open the lesson."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: Annotated[str, Field(min_length=1, max_length=100)]
    content: Annotated[str, Field(max_length=LONGEST_WORDS)] = ""
    drawing_id: Annotated[str, Field(max_length=100)] | None = None


def task_of(text: str | None) -> TutorTask:
    """Raises BadInput."""
    try:
        return TutorTask.model_validate_json(text or "")
    except ValidationError:
        raise BadInput("A lesson is begun by a message to its session.") from None
