"""Concerns about learners of a class: that there was a sign of distress in a lesson, never the words."""

from typing import Protocol

from sprout.events import Wire

WHAT_TO_DO = (
    "Speak with them soon, in person and alone, and listen more than you ask. Don't promise to keep it to yourself. "
    "Bring in whoever your school has for this. If someone may be in danger now, call your emergency number."
)


class ConcernRow(Wire):
    """A sign of distress in a lesson of a given path; `seen_at` is when a teacher has said that they know of it."""

    id: str
    learner_id: str
    display_name: str
    at: str
    seen_at: str | None


class ConcernsPage(Wire):
    """Concerns, newest first, at most 200, and what to do. `care_text` is what the operator has set for learners."""

    concerns: list[ConcernRow]
    what_to_do: str
    care_text: str | None


class Concerns(Protocol):
    """Scoped as `Desk`: lessons of members of the teacher's class in their copies of its given paths."""

    async def concerns(self, class_id: str, *, teacher_id: str) -> ConcernsPage: ...

    async def mark_seen(self, class_id: str, concern_id: str, *, teacher_id: str) -> None:
        """Raises NotFound, MissingRight."""
        ...
