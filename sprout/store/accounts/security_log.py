"""Security log on SQL."""

from datetime import datetime

from sqlalchemy import ColumnElement, update
from sqlmodel import Session, col, delete, select

from sprout.accounts.security_log import Origin, SecurityEventKind, SecurityEventRow
from sprout.clock import utc_now
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountTable, SecurityEvent
from sprout.store.schema.class_tables import ClassTable


class SqlSecurityLog:
    """SecurityLog on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(
        self, kind: SecurityEventKind, user_id: str | None, *, origin: Origin, detail: str | None = None
    ) -> None:
        await self._database.write_tx(lambda tx: log_event(tx, kind, user_id, origin=origin, detail=detail))

    async def delete_before(self, before: datetime) -> None:
        old = delete(SecurityEvent).where(col(SecurityEvent.at) < before)
        await self._database.write_tx(lambda tx: tx.connection.execute(old).close())

    async def events(self, *, before: str | None = None, limit: int) -> list[SecurityEventRow]:
        def read(session: Session) -> list[SecurityEventRow]:
            event = SecurityEvent
            wanted = (
                select(event, AccountTable.name)
                .join(AccountTable, col(AccountTable.user_id) == col(event.user_id), isouter=True)
                .order_by(col(event.creation).desc())
                .limit(limit)
            )
            if before is not None:
                place = select(event.creation).where(event.id == before).scalar_subquery()
                wanted = wanted.where(col(event.creation) < place)
            return [_row(one, name) for one, name in session.exec(wanted)]

        return await self._database.read_orm_tx(read)


def log_event(
    tx: WriteTransaction, kind: SecurityEventKind, user_id: str | None, *, origin: Origin, detail: str | None = None
) -> None:
    """Add an event to the log in this transaction."""
    tx.flush()  # a new account's row, which the event refers to
    tx.session.add(
        SecurityEvent(
            id=new_id(),
            kind=kind,
            at=utc_now(),
            user_id=user_id,
            actor_id=origin.actor_id,
            address=origin.address,
            detail=detail,
        )
    )


def forget_classes(tx: WriteTransaction, *of_class: ColumnElement[bool]) -> None:
    """Take the ids of classes that are to be deleted out of the events of those who have joined them."""
    gone = select(ClassTable.id).where(*of_class)
    tx.connection.execute(update(SecurityEvent).where(col(SecurityEvent.detail).in_(gone)).values(detail=None))


def _row(event: SecurityEvent, name: str | None) -> SecurityEventRow:
    return SecurityEventRow(
        id=event.id,
        kind=SecurityEventKind(event.kind),
        at=wire_time(event.at),
        user_id=event.user_id,
        name=name,
        actor_id=event.actor_id,
        address=event.address,
        detail=event.detail,
    )
