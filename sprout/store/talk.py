"""What learners and the tutor say to each other, in the database."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.ids import new_id
from sprout.learning.lessons.talk import ChatMessageRow, ChatSessionRow, HintRow, NewHint, Said
from sprout.store import rows, tables
from sprout.store.database import Database
from sprout.store.owned import owned_node, owned_session
from sprout.store.said import said_in
from sprout.store.write import Write


class SqlTalk:
    """Talk on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def sessions(self, user_id: str, *, node_id: str | None = None) -> list[ChatSessionRow]:
        """Oldest first."""
        wanted = select(tables.ChatSession).where(tables.ChatSession.user_id == user_id)
        if node_id is not None:
            wanted = wanted.where(tables.ChatSession.node_id == node_id)
        async with self._database.reading() as session:
            return [
                rows.session_row(one) for one in await session.exec(wanted.order_by(col(tables.ChatSession.creation)))
            ]

    async def begin_session(self, user_id: str, *, node_id: str | None) -> ChatSessionRow:
        """Raises NotFound."""
        begun = tables.ChatSession(id=new_id(), user_id=user_id, node_id=node_id, started_at=utc_now())

        def body(write: Write) -> ChatSessionRow:
            if node_id is not None:
                owned_node(write.session, node_id, user_id, lock=True)
            write.session.add(begun)
            return rows.session_row(begun)

        return await self._database.write(body)

    async def end_session(self, session_id: str, *, user_id: str, at: datetime | None = None) -> ChatSessionRow:
        """The session, ended then, now by default. Raises NotFound."""

        def body(write: Write) -> ChatSessionRow:
            found = owned_session(write.session, session_id, user_id, lock=True)
            found.ended_at = at or utc_now()
            write.session.add(found)
            return rows.session_row(found)

        return await self._database.write(body)

    async def messages(self, session_id: str, *, user_id: str) -> list[ChatMessageRow]:
        """Oldest first. Raises NotFound."""

        def look(session: Session) -> list[ChatMessageRow]:
            owned_session(session, session_id, user_id)
            return said_in(session, session_id)

        return await self._database.read(look)

    async def say(self, session_id: str, said: Said, *, user_id: str) -> ChatMessageRow:
        """Raises NotFound."""
        message = tables.ChatMessage(
            id=new_id(),
            session_id=session_id,
            user_id=user_id,
            role="user",
            kind=said.kind,
            content=said.content,
            was_successful=said.was_successful,
            success_signal=said.success_signal,
            created_at=utc_now(),
        )

        def body(write: Write) -> ChatMessageRow:
            owned_session(write.session, session_id, user_id, lock=True)
            write.session.add(message)
            return rows.message_row(message)

        return await self._database.write(body)

    async def hints(self, user_id: str, *, node_id: str | None = None) -> list[HintRow]:
        """Oldest first."""
        wanted = select(tables.HintEvent).where(tables.HintEvent.user_id == user_id)
        if node_id is not None:
            wanted = wanted.where(tables.HintEvent.node_id == node_id)
        async with self._database.reading() as session:
            return [rows.hint_row(one) for one in await session.exec(wanted.order_by(col(tables.HintEvent.creation)))]

    async def note_hint(self, hint: NewHint, *, user_id: str) -> HintRow:
        """Raises NotFound: the node, or a session or message that it names."""
        referenced = hint.referenced_success_message_ids
        noted = tables.HintEvent(
            id=new_id(),
            user_id=user_id,
            node_id=hint.node_id,
            session_id=hint.session_id,
            request_message_id=hint.request_message_id,
            response_message_id=hint.response_message_id,
            referenced_success_message_ids=None if referenced is None else list(referenced),
            created_at=utc_now(),
        )

        def body(write: Write) -> HintRow:
            owned_node(write.session, hint.node_id, user_id, lock=True)
            if hint.session_id is not None:
                owned_session(write.session, hint.session_id, user_id)
            _check_messages(write.session, (hint.request_message_id, hint.response_message_id), user_id)
            write.session.add(noted)
            return rows.hint_row(noted)

        return await self._database.write(body)


def _check_messages(session: Session, ids: Sequence[str | None], user_id: str) -> None:
    """Raises NotFound: one of them is not the user's."""
    for message_id in ids:
        mine = select(tables.ChatMessage.id).where(
            tables.ChatMessage.id == message_id, tables.ChatMessage.user_id == user_id
        )
        if message_id is not None and session.exec(mine).first() is None:
            raise NotFound("message", message_id)
