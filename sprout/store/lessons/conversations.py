"""Conversations of learners with the tutor: sessions, messages and hints."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.ids import new_id
from sprout.learning.lessons.conversations import ChatMessageRow, ChatSessionRow, HintRow, LearnerMessage, NewHint
from sprout.learning.lessons.lesson_history import LessonHistory
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.ownership import owned_node, owned_session
from sprout.store.lessons.lesson_queries import lesson_history_of
from sprout.store.lessons.transcript import transcript_of
from sprout.store.schema import mapping, tables


class SqlConversations:
    """Conversations on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def sessions(self, user_id: str, *, node_id: str | None = None) -> list[ChatSessionRow]:
        wanted = select(tables.ChatSession).where(tables.ChatSession.user_id == user_id)
        if node_id is not None:
            wanted = wanted.where(tables.ChatSession.node_id == node_id)
        async with self._database.open_read_session() as session:
            return [
                mapping.session_row(one)
                for one in await session.exec(wanted.order_by(col(tables.ChatSession.creation)))
            ]

    async def start_session(self, user_id: str, *, node_id: str | None) -> ChatSessionRow:
        begun = tables.ChatSession(id=new_id(), user_id=user_id, node_id=node_id, started_at=utc_now())

        def body(tx: WriteTransaction) -> ChatSessionRow:
            if node_id is not None:
                owned_node(tx.session, node_id, user_id, lock=True)
            tx.session.add(begun)
            return mapping.session_row(begun)

        return await self._database.write_tx(body)

    async def end_session(self, session_id: str, *, user_id: str, at: datetime | None = None) -> ChatSessionRow:
        def body(tx: WriteTransaction) -> ChatSessionRow:
            found = owned_session(tx.session, session_id, user_id, lock=True)
            found.ended_at = at or utc_now()
            tx.session.add(found)
            return mapping.session_row(found)

        return await self._database.write_tx(body)

    async def lesson_history(self, user_id: str) -> LessonHistory:
        return await self._database.read_orm_tx(lambda session: lesson_history_of(session, user_id))

    async def messages(self, session_id: str, *, user_id: str) -> list[ChatMessageRow]:
        def body(session: Session) -> tuple[list[ChatMessageRow], str | None, bool]:
            chat = owned_session(session, session_id, user_id)
            pending_id = chat.pending_question_id
            return transcript_of(session, session_id), pending_id, pending_id == chat.delivered_question_id

        found, pending_id, delivered = await self._database.read_orm_tx(body)
        if not delivered:
            await self._database.write_tx(lambda tx: mark_delivered(tx, session_id, user_id, pending_id))
        return found

    async def add_message(self, session_id: str, message: LearnerMessage, *, user_id: str) -> ChatMessageRow:
        row = tables.ChatMessage(
            id=new_id(),
            session_id=session_id,
            user_id=user_id,
            role="user",
            kind=message.kind,
            content=message.content,
            was_successful=message.was_successful,
            success_signal=message.success_signal,
            created_at=utc_now(),
        )

        def body(tx: WriteTransaction) -> ChatMessageRow:
            owned_session(tx.session, session_id, user_id, lock=True)
            tx.session.add(row)
            return mapping.message_row(row)

        return await self._database.write_tx(body)

    async def hints(self, user_id: str, *, node_id: str | None = None) -> list[HintRow]:
        wanted = select(tables.HintEvent).where(tables.HintEvent.user_id == user_id)
        if node_id is not None:
            wanted = wanted.where(tables.HintEvent.node_id == node_id)
        async with self._database.open_read_session() as session:
            return [
                mapping.hint_row(one) for one in await session.exec(wanted.order_by(col(tables.HintEvent.creation)))
            ]

    async def add_hint(self, hint: NewHint, *, user_id: str) -> HintRow:
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

        def body(tx: WriteTransaction) -> HintRow:
            owned_node(tx.session, hint.node_id, user_id, lock=True)
            if hint.session_id is not None:
                owned_session(tx.session, hint.session_id, user_id)
            _check_messages(tx.session, (hint.request_message_id, hint.response_message_id), user_id)
            tx.session.add(noted)
            return mapping.hint_row(noted)

        return await self._database.write_tx(body)


def mark_delivered(tx: WriteTransaction, session_id: str, user_id: str, question_id: str | None) -> None:
    """Keep which question a client of the session is shown now. Raises NotFound."""
    chat = owned_session(tx.session, session_id, user_id, lock=True)
    chat.delivered_question_id = question_id
    tx.session.add(chat)


def _check_messages(session: Session, ids: Sequence[str | None], user_id: str) -> None:
    """Raises NotFound: one of them is not the user's."""
    for message_id in ids:
        mine = select(tables.ChatMessage.id).where(
            tables.ChatMessage.id == message_id, tables.ChatMessage.user_id == user_id
        )
        if message_id is not None and session.exec(mine).first() is None:
            raise NotFound("message", message_id)
