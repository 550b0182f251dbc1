"""Concerns on SQL, for the teachers of the learners' classes."""

from typing import Any

from sqlmodel import Session, col, select

from sprout.accounts.concerns import WHAT_TO_DO, ConcernRow, ConcernsPage
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.store.accounts.teaching import lock_class, owned_class
from sprout.store.desk.scope import within_class
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.store.schema.account_tables import AccountTable

MAX_CONCERNS = 200


class SqlConcerns:
    """Concerns on SQL."""

    def __init__(self, database: Database, care_text: str = "") -> None:
        self._database = database
        self._care_text = care_text

    async def concerns(self, class_id: str, *, teacher_id: str) -> ConcernsPage:
        def read(session: Session) -> ConcernsPage:
            owned_class(session, class_id, teacher_id)
            wanted = _concerns(class_id).order_by(col(tables.Concern.creation).desc()).limit(MAX_CONCERNS)
            found = [_row(*one) for one in session.exec(wanted)]
            return ConcernsPage(concerns=found, what_to_do=WHAT_TO_DO, care_text=self._care_text or None)

        return await self._database.read_orm_tx(read)

    async def mark_seen(self, class_id: str, concern_id: str, *, teacher_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            lock_class(tx, class_id, teacher_id)
            found = tx.session.exec(_concerns(class_id).where(tables.Concern.id == concern_id)).first()
            if found is None:
                raise NotFound("concern", concern_id)
            concern = found[0]
            concern.seen_at = concern.seen_at or utc_now()
            tx.session.add(concern)

        await self._database.write_tx(body)


def _concerns(class_id: str) -> Any:
    wanted = (
        select(tables.Concern, AccountTable.display_name)
        .join(tables.ChatSession, col(tables.ChatSession.id) == col(tables.Concern.session_id))
        .join(tables.Node, col(tables.Node.id) == col(tables.ChatSession.node_id))
        .join(AccountTable, col(AccountTable.user_id) == col(tables.Concern.user_id))
        .where(col(tables.Concern.user_id) == col(tables.Node.user_id))
    )
    return within_class(wanted, class_id)


def _row(concern: tables.Concern, display_name: str) -> ConcernRow:
    return ConcernRow(
        id=concern.id,
        learner_id=concern.user_id,
        display_name=display_name,
        at=wire_time(concern.created_at),
        seen_at=None if concern.seen_at is None else wire_time(concern.seen_at),
    )
