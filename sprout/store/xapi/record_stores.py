"""Record stores on SQL, for the teachers of their classes."""

from sqlmodel import Session, col, delete, select

from sprout.accounts.lrs.record_stores import (
    RecordStoreRow,
    SecretMissing,
    StoreAccess,
    StoreChange,
    checked_endpoint,
    trouble,
)
from sprout.clock import utc_now
from sprout.events import wire_time
from sprout.store.accounts.teaching import lock_class, owned_class
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.record_tables import RecordStore, SentStatement
from sprout.store.xapi.waiting import count_sent, count_waiting


class SqlRecordStores:
    """RecordStores on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def one(self, class_id: str, *, teacher_id: str) -> RecordStoreRow | None:
        def read(session: Session) -> RecordStoreRow | None:
            owned_class(session, class_id, teacher_id)
            found = _stored(session, class_id)
            return None if found is None else _row(session, found)

        return await self._database.read_orm_tx(read)

    async def access(self, class_id: str, change: StoreChange, *, teacher_id: str) -> StoreAccess:
        def read(session: Session) -> StoreAccess:
            owned_class(session, class_id, teacher_id)
            return _access(_stored(session, class_id), change)

        return await self._database.read_orm_tx(read)

    async def set(self, class_id: str, change: StoreChange, *, teacher_id: str) -> RecordStoreRow:
        def body(tx: WriteTransaction) -> RecordStoreRow:
            lock_class(tx, class_id, teacher_id)
            before = _stored(tx.session, class_id)
            access = _access(before, change)
            if before is not None and before.endpoint != access.endpoint:
                tx.connection.execute(delete(SentStatement).where(col(SentStatement.class_id) == class_id))
                before.last_sent_at = None
            found = before or RecordStore(class_id=class_id, endpoint="", key="", secret="")
            found.endpoint, found.key, found.secret = access.endpoint, access.key, access.secret
            found.with_names = change.with_names
            found.next_try_at, found.failures, found.problem = utc_now(), 0, None
            found.claimed_by = found.claimed_until = None
            tx.session.add(found)
            tx.flush()
            return _row(tx.session, found)

        return await self._database.write_tx(body)

    async def remove(self, class_id: str, *, teacher_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            lock_class(tx, class_id, teacher_id)
            tx.connection.execute(delete(RecordStore).where(col(RecordStore.class_id) == class_id))

        await self._database.write_tx(body)


def _stored(session: Session, class_id: str) -> RecordStore | None:
    return session.exec(select(RecordStore).where(RecordStore.class_id == class_id)).first()


def _access(kept: RecordStore | None, change: StoreChange) -> StoreAccess:
    """Raises SecretMissing: a secret is not handed to another address, nor used with another key."""
    endpoint, secret = checked_endpoint(change.endpoint), change.secret
    if secret is None:
        if kept is None or (kept.endpoint, kept.key) != (endpoint, change.key):
            raise SecretMissing
        secret = kept.secret
    return StoreAccess(endpoint, change.key, secret)


def _row(session: Session, found: RecordStore) -> RecordStoreRow:
    connection = session.connection()
    return RecordStoreRow(
        endpoint=found.endpoint,
        key=found.key,
        names=found.with_names,
        sent=count_sent(connection, found.class_id),
        waiting=count_waiting(connection, found.class_id),
        last_sent_at=None if found.last_sent_at is None else wire_time(found.last_sent_at),
        next_try_at=wire_time(found.next_try_at),
        problem=None if found.problem is None else trouble(found.problem),
    )
