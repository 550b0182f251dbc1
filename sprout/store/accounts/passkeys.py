"""Passkeys on SQL."""

from sqlmodel import Session, col, delete, func, or_, select, update

from sprout.accounts.accounts import AccountRow
from sprout.accounts.passkeys import (
    MAX_PASSKEYS,
    KnownPasskey,
    NewPasskey,
    PasskeyHandle,
    PasskeyKnown,
    PasskeyNeeded,
    PasskeyRow,
    TooManyPasskeys,
)
from sprout.accounts.security_log import Origin, SecurityEventKind
from sprout.accounts.ways import Ways
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.store.accounts.accounts import account_of, account_row
from sprout.store.accounts.passwords import use_code
from sprout.store.accounts.security_log import log_event
from sprout.store.accounts.ways import refuse_without_way
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.sign_in_tables import PasskeyTable


class SqlPasskeys:
    """Passkeys on SQL, on a server with these ways to sign in."""

    def __init__(self, database: Database, ways: Ways) -> None:
        self._database, self._ways = database, ways

    async def find(self, credential_id: str) -> KnownPasskey | None:
        wanted = (
            select(PasskeyTable.user_id, PasskeyTable.public_key)
            .join(AccountTable, col(AccountTable.user_id) == col(PasskeyTable.user_id))
            .where(PasskeyTable.credential_id == credential_id, col(AccountTable.disabled_at).is_(None))
        )

        def read(session: Session) -> KnownPasskey | None:
            found = session.exec(wanted).first()
            return None if found is None else KnownPasskey(*found)

        return await self._database.read_orm_tx(read)

    async def keep_use(self, credential_id: str, sign_count: int, *, origin: Origin) -> bool:
        table = PasskeyTable
        count = col(table.sign_count)
        uncounted = (count == 0) if sign_count == 0 else False
        used = (
            update(table)
            .where(col(table.credential_id) == credential_id, or_(count < sign_count, uncounted))
            .values(sign_count=sign_count, last_used_at=utc_now())
        )

        def body(tx: WriteTransaction) -> bool:
            if tx.connection.execute(used).rowcount:
                return True
            owner = tx.session.exec(select(table.user_id).where(table.credential_id == credential_id)).first()
            log_event(tx, SecurityEventKind.PASSKEY_REFUSED, owner, origin=origin, detail="counter")
            return False

        return await self._database.write_tx(body)

    async def passkeys(self, user_id: str) -> list[PasskeyRow]:
        wanted = select(PasskeyTable).where(PasskeyTable.user_id == user_id).order_by(col(PasskeyTable.creation))
        return await self._database.read_orm_tx(lambda session: [_row(one) for one in session.exec(wanted)])

    async def handles(self, user_id: str) -> list[PasskeyHandle]:
        wanted = select(PasskeyTable).where(PasskeyTable.user_id == user_id).order_by(col(PasskeyTable.creation))
        return await self._database.read_orm_tx(lambda session: [_handle(one) for one in session.exec(wanted)])

    async def add(self, new: NewPasskey, *, user_id: str, origin: Origin) -> PasskeyRow:
        return await self._database.write_tx(lambda tx: _add(tx, new, user_id, origin))

    async def add_by_code(self, code_digest: str, new: NewPasskey, *, user_id: str, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            use_code(tx, code_digest, user_id)
            _add(tx, new, user_id, origin)

        await self._database.write_tx(body)

    async def remove(self, passkey_id: str, *, user_id: str, origin: Origin) -> None:
        theirs = (col(PasskeyTable.id) == passkey_id, col(PasskeyTable.user_id) == user_id)

        def body(tx: WriteTransaction) -> None:
            if tx.session.exec(select(PasskeyTable.id).where(*theirs)).first() is None:
                raise NotFound("passkey", passkey_id)
            account_of(tx.session, user_id, lock=True)
            tx.connection.execute(delete(PasskeyTable).where(*theirs))
            if account_of(tx.session, user_id).passkey_after_password and not _count(tx.session, user_id):
                raise PasskeyNeeded
            refuse_without_way(tx.session, user_id, self._ways)
            log_event(tx, SecurityEventKind.PASSKEY_REMOVED, user_id, origin=origin)

        await self._database.write_tx(body)

    async def ask_after_password(self, asked: bool, *, user_id: str, origin: Origin) -> AccountRow:
        on, off = SecurityEventKind.PASSKEY_ON_AFTER_PASSWORD, SecurityEventKind.PASSKEY_OFF_AFTER_PASSWORD

        def body(tx: WriteTransaction) -> AccountRow:
            account = account_of(tx.session, user_id, lock=True)
            if asked and not _count(tx.session, user_id):
                raise PasskeyNeeded
            if account.passkey_after_password != asked:
                account.passkey_after_password = asked
                tx.session.add(account)
                log_event(tx, on if asked else off, user_id, origin=origin)
            return account_row(account)

        return await self._database.write_tx(body)


def _add(tx: WriteTransaction, new: NewPasskey, user_id: str, origin: Origin) -> PasskeyRow:
    account_of(tx.session, user_id, lock=True)
    tx.lock(f"passkey:{new.credential_id}")
    known = select(PasskeyTable.id).where(PasskeyTable.credential_id == new.credential_id)
    if tx.session.exec(known).first() is not None:
        raise PasskeyKnown
    if _count(tx.session, user_id) >= MAX_PASSKEYS:
        raise TooManyPasskeys
    added = PasskeyTable(
        id=new_id(),
        user_id=user_id,
        credential_id=new.credential_id,
        public_key=new.public_key,
        sign_count=new.sign_count,
        transports=list(new.transports),
        name=new.name,
        created_at=utc_now(),
    )
    tx.session.add(added)
    log_event(tx, SecurityEventKind.PASSKEY_ADDED, user_id, origin=origin)
    return _row(added)


def _count(session: Session, user_id: str) -> int:
    return session.exec(select(func.count()).select_from(PasskeyTable).where(PasskeyTable.user_id == user_id)).one()


def _handle(passkey: PasskeyTable) -> PasskeyHandle:
    transports = passkey.transports if isinstance(passkey.transports, list) else []
    return PasskeyHandle(passkey.credential_id, tuple(str(one) for one in transports))


def _row(passkey: PasskeyTable) -> PasskeyRow:
    return PasskeyRow(
        id=passkey.id,
        name=passkey.name,
        created_at=wire_time(passkey.created_at),
        last_used_at=None if passkey.last_used_at is None else wire_time(passkey.last_used_at),
    )
