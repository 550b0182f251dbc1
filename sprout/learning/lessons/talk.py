"""What a learner and the tutor say to each other: the rows, and the Protocol of what keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from pydantic import JsonValue

from sprout.events import CriterionShown, Wire

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
    """That words were an attempt at a question: how much help came before, and what was found in them.

    `correct` is null and `criteria` empty as long as there is no mark.
    """

    question_id: str
    help_level: int
    correct: bool | None
    criteria: list[CriterionShown]


class ChatMessageRow(Wire):
    """`success_signal` is JSON in a string; `citations` are the tutor's, an `attempt` is the learner's."""

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
class Said:
    """What a learner says; nobody else's words come in from outside."""

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


class Talk(Protocol):
    """Owner-scoped: what is missing and what is somebody else's are the same NotFound."""

    async def sessions(self, user_id: str, *, node_id: str | None = None) -> Sequence[ChatSessionRow]:
        """Oldest first."""
        ...

    async def begin_session(self, user_id: str, *, node_id: str | None) -> ChatSessionRow: ...

    async def end_session(self, session_id: str, *, user_id: str, at: datetime | None = None) -> ChatSessionRow:
        """The session, ended then, now by default."""
        ...

    async def messages(self, session_id: str, *, user_id: str) -> Sequence[ChatMessageRow]:
        """Oldest first."""
        ...

    async def say(self, session_id: str, said: Said, *, user_id: str) -> ChatMessageRow: ...

    async def hints(self, user_id: str, *, node_id: str | None = None) -> Sequence[HintRow]:
        """Oldest first."""
        ...

    async def note_hint(self, hint: NewHint, *, user_id: str) -> HintRow:
        """Raises NotFound: the node, or a session or message that it names."""
        ...
