"""Shared lessons on SQL: a conversation is read by the teacher of the class that its learner has chosen, and is in."""

from typing import Any

from sqlalchemy import select as select_rows
from sqlmodel import Session, col, delete, select

from sprout.accounts.shared_lessons import LessonShare, SharedElsewhere, SharedLessonRow, SharedMessage
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.store.accounts.teaching import owned_class
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.ownership import owned_session
from sprout.store.schema import tables
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassMember, ClassTable
from sprout.store.schema.desk_tables import SharedLesson

MAX_SHARED = 200


class SqlSharedLessons:
    """SharedLessons on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def share(self, session_id: str, class_id: str, *, user_id: str) -> LessonShare:
        def body(tx: WriteTransaction) -> LessonShare:
            owned_session(tx.session, session_id, user_id, lock=True)
            member = select(ClassMember.id).where(ClassMember.class_id == class_id, ClassMember.user_id == user_id)
            if tx.session.exec(member).first() is None:
                raise NotFound("class", class_id)
            found = tx.session.exec(select(SharedLesson).where(SharedLesson.session_id == session_id)).first()
            if found is not None and found.class_id != class_id and _share(tx.session, session_id, user_id) is not None:
                raise SharedElsewhere
            shared = found or SharedLesson(id=new_id(), session_id=session_id, class_id=class_id, user_id=user_id)
            shared.class_id = class_id
            tx.session.add(shared)
            tx.session.flush()
            made = _share(tx.session, session_id, user_id)
            assert made is not None
            return made

        return await self._database.write_tx(body)

    async def stop(self, session_id: str, *, user_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            owned_session(tx.session, session_id, user_id, lock=True)
            tx.connection.execute(delete(SharedLesson).where(col(SharedLesson.session_id) == session_id))

        await self._database.write_tx(body)

    async def find(self, session_id: str, *, user_id: str) -> LessonShare | None:
        def read(session: Session) -> LessonShare | None:
            owned_session(session, session_id, user_id)
            return _share(session, session_id, user_id)

        return await self._database.read_orm_tx(read)

    async def shared(self, class_id: str, *, teacher_id: str) -> list[SharedLessonRow]:
        def read(session: Session) -> list[SharedLessonRow]:
            owned_class(session, class_id, teacher_id)
            wanted = (
                _readable(SharedLesson, tables.ChatSession, AccountTable, tables.Node)
                .join(AccountTable, col(AccountTable.user_id) == col(SharedLesson.user_id))
                .outerjoin(tables.Node, col(tables.Node.id) == col(tables.ChatSession.node_id))
                .where(col(SharedLesson.class_id) == class_id)
                .order_by(col(SharedLesson.creation).desc())
                .limit(MAX_SHARED)
            )
            return [_row(*found) for found in session.execute(wanted)]

        return await self._database.read_orm_tx(read)

    async def messages(self, class_id: str, session_id: str, *, teacher_id: str) -> list[SharedMessage]:
        def read(session: Session) -> list[SharedMessage]:
            owned_class(session, class_id, teacher_id)
            mine = (col(SharedLesson.class_id) == class_id, col(SharedLesson.session_id) == session_id)
            if session.execute(_readable(SharedLesson.id).where(*mine)).first() is None:
                raise NotFound("shared lesson", session_id)
            wanted = select(tables.ChatMessage).where(tables.ChatMessage.session_id == session_id)
            return [_message(one) for one in session.exec(wanted.order_by(col(tables.ChatMessage.creation)))]

        return await self._database.read_orm_tx(read)


def _readable(*columns: Any) -> Any:
    """Shared conversations of learners who are still in the class."""
    member = (col(ClassMember.class_id) == col(SharedLesson.class_id)) & (
        col(ClassMember.user_id) == col(SharedLesson.user_id)
    )
    return (
        select_rows(*columns)
        .select_from(SharedLesson)
        .join(ClassMember, member)
        .join(tables.ChatSession, col(tables.ChatSession.id) == col(SharedLesson.session_id))
        .where(col(tables.ChatSession.user_id) == col(SharedLesson.user_id))
    )


def _share(session: Session, session_id: str, user_id: str) -> LessonShare | None:
    """With whom a conversation is shared; None where its learner has left that class."""
    wanted = (
        _readable(SharedLesson, ClassTable, AccountTable)
        .join(ClassTable, col(ClassTable.id) == col(SharedLesson.class_id))
        .join(AccountTable, col(AccountTable.user_id) == col(ClassTable.user_id))
        .where(col(SharedLesson.session_id) == session_id, col(SharedLesson.user_id) == user_id)
    )
    found = session.execute(wanted).first()
    if found is None:
        return None
    shared, of, teacher = found
    return LessonShare(
        class_id=of.id, class_name=of.name, teacher=teacher.display_name, shared_at=wire_time(shared.shared_at)
    )


def _row(
    shared: SharedLesson, chat: tables.ChatSession, learner: AccountTable, node: tables.Node | None
) -> SharedLessonRow:
    return SharedLessonRow(
        session_id=shared.session_id,
        learner_id=shared.user_id,
        display_name=learner.display_name,
        topic=None if node is None else node.title,
        started_at=wire_time(chat.started_at),
        shared_at=wire_time(shared.shared_at),
    )


def _message(message: tables.ChatMessage) -> SharedMessage:
    return SharedMessage(role=message.role, content=message.content, at=wire_time(message.created_at))  # type: ignore[arg-type]
