"""Shared lessons: conversations that learners let the teacher of one class read."""

from typing import Literal, Protocol

from sprout.errors import Conflict
from sprout.events import Wire


class LessonShare(Wire):
    """The class whose teacher may read a conversation of the caller's."""

    class_id: str
    class_name: str
    teacher: str
    shared_at: str


class SharedLessonRow(Wire):
    """A conversation that a learner has shared with a class; `topic` is what it was about, where that still exists."""

    session_id: str
    learner_id: str
    display_name: str
    topic: str | None
    started_at: str
    shared_at: str


class SharedMessage(Wire):
    """A message of a shared conversation."""

    role: Literal["system", "user", "assistant"]
    content: str
    at: str


class SharedElsewhere(Conflict):
    """A conversation is shared with one class at a time."""

    code = "shared_elsewhere"

    def __init__(self) -> None:
        super().__init__("This lesson is shared with another class. Stop sharing it there first.")


class SharedLessons(Protocol):
    """Shared lessons: those of a learner are scoped to them, those a teacher reads to their class and its members."""

    async def share(self, session_id: str, class_id: str, *, user_id: str) -> LessonShare:
        """Let the teacher of a class read a conversation. Raises NotFound (also: not a member), SharedElsewhere."""
        ...

    async def stop(self, session_id: str, *, user_id: str) -> None:
        """Make the conversation private again. Raises NotFound."""
        ...

    async def find(self, session_id: str, *, user_id: str) -> LessonShare | None:
        """With whom a conversation of the user's is shared. Raises NotFound."""
        ...

    async def shared(self, class_id: str, *, teacher_id: str) -> list[SharedLessonRow]:
        """Newest first, at most 200."""
        ...

    async def messages(self, class_id: str, session_id: str, *, teacher_id: str) -> list[SharedMessage]:
        """Oldest first. Raises NotFound: it is not shared with the class, or no more."""
        ...
