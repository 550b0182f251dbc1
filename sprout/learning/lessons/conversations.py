"""Conversations of a learner with the tutor: sessions, messages and hints."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from pydantic import JsonValue

from sprout.events import CriterionShown, GradeStateShown, ReadingShown, Wire
from sprout.learning.lessons.lesson_history import LessonHistory

MessageKind = Literal["learning", "hint_request", "hint_response", "evaluation"]


class ChatSessionRow(Wire):
    id: str
    user_id: str
    node_id: str | None
    started_at: str
    ended_at: str | None


class CitationShown(Wire):
    """A passage of the learner's documents that words teach from, and its place."""

    passage_id: str
    document_id: str
    document: str
    heading: str | None
    page: int | None
    slides: bool


class AttemptShown(Wire):
    """Attempt at a question in the learner's words: the level of help before it, and what was found in it.

    `gap` says that the question was a worked case with one step left out, so that the attempt was practice.
    `score` and `correct` are null and `criteria` is empty as long as there is no mark. `answer` and `why`, which is how
    one gets there, are null until the question is settled.
    """

    question_id: str
    answer_id: str
    help_level: int
    gap: bool
    state: GradeStateShown
    score: float | None
    correct: bool | None
    criteria: list[CriterionShown]
    next_step: str | None
    answer: str | None
    why: str | None


class ChatMessageRow(Wire):
    """`success_signal` is JSON in a string; `citations` are the tutor's, as is a `reading`, which the question of the
    message is about; an `attempt` is the learner's."""

    id: str
    session_id: str
    user_id: str
    role: Literal["system", "user", "assistant"]
    kind: MessageKind
    content: str
    was_successful: bool | None
    success_signal: str | None
    created_at: str
    citations: tuple[CitationShown, ...] = ()
    attempt: AttemptShown | None = None
    reading: ReadingShown | None = None


class HintRow(Wire):
    """A hint that was asked for; `referenced_success_message_ids` is a JSON list in a string."""

    id: str
    user_id: str
    node_id: str
    session_id: str | None
    request_message_id: str | None
    response_message_id: str | None
    referenced_success_message_ids: str | None
    created_at: str


@dataclass(frozen=True, slots=True)
class LearnerMessage:
    """A message from the learner; no other role can be sent by a client."""

    content: str
    kind: MessageKind = "learning"
    was_successful: bool | None = None
    success_signal: JsonValue = None


@dataclass(frozen=True, slots=True)
class NewHint:
    node_id: str
    session_id: str | None = None
    request_message_id: str | None = None
    response_message_id: str | None = None
    referenced_success_message_ids: tuple[str, ...] | None = None


class Conversations(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound."""

    async def sessions(self, user_id: str, *, node_id: str | None = None) -> Sequence[ChatSessionRow]:
        """Oldest first."""
        ...

    async def start_session(self, user_id: str, *, node_id: str | None) -> ChatSessionRow:
        """Raises NotFound."""
        ...

    async def end_session(self, session_id: str, *, user_id: str, at: datetime | None = None) -> ChatSessionRow:
        """The session, ended then, now by default. Raises NotFound."""
        ...

    async def lesson_history(self, user_id: str) -> LessonHistory:
        """The learner's newest lessons in which something was said."""
        ...

    async def messages(self, session_id: str, *, user_id: str) -> Sequence[ChatMessageRow]:
        """Oldest first; the question that is open then counts as delivered to the client. Raises NotFound."""
        ...

    async def add_message(self, session_id: str, message: LearnerMessage, *, user_id: str) -> ChatMessageRow:
        """Raises NotFound."""
        ...

    async def hints(self, user_id: str, *, node_id: str | None = None) -> Sequence[HintRow]:
        """Oldest first."""
        ...

    async def add_hint(self, hint: NewHint, *, user_id: str) -> HintRow:
        """Raises NotFound: the node, or a session or message that it names."""
        ...
