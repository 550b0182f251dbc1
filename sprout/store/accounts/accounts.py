"""Accounts on SQL."""

from datetime import datetime

from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from sprout.accounts.accounts import AccountRow, Credentials, LastOwner, NameTaken, NewAccount, PersonRow
from sprout.accounts.names import name_key
from sprout.accounts.principal import AccountRole
from sprout.accounts.security_log import Origin, SecurityEventKind
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.store.accounts.security_log import log_event
from sprout.store.accounts.sessions import delete_sessions
from sprout.store.accounts.ways import has_way_of_its_own
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.store.schema.account_tables import AccountSession, AccountTable, SecurityEvent

OWNERS_LOCK = "accounts:owners"


class SqlAccounts:
    """Accounts on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, name: str) -> Credentials | None:
        def read(session: Session) -> Credentials | None:
            found = session.exec(select(AccountTable).where(AccountTable.name_key == name_key(name))).first()
            return None if found is None else _credentials(found)

        return await self._database.read_orm_tx(read)

    async def credentials(self, user_id: str) -> Credentials:
        return await self._database.read_orm_tx(lambda session: _credentials(account_of(session, user_id)))

    async def account(self, user_id: str) -> AccountRow:
        return await self._database.read_orm_tx(lambda session: account_row(account_of(session, user_id)))

    async def accounts(self) -> list[PersonRow]:
        wanted = select(AccountTable).order_by(col(AccountTable.creation))

        def read(session: Session) -> list[PersonRow]:
            seen = _last_seen(session)
            return [_person_row(one, seen.get(one.user_id)) for one in session.exec(wanted)]

        return await self._database.read_orm_tx(read)

    async def create(self, new: NewAccount, *, origin: Origin) -> AccountRow:
        return await self._database.write_tx(lambda tx: add_account(tx, new, origin))

    async def change(
        self,
        user_id: str,
        *,
        origin: Origin,
        display_name: str | None = None,
        role: AccountRole | None = None,
        disabled: bool | None = None,
    ) -> AccountRow:
        def body(tx: WriteTransaction) -> AccountRow:
            tx.lock(OWNERS_LOCK)
            found = account_of(tx.session, user_id)
            if display_name is not None:
                found.display_name = display_name
            if role is not None and role != found.role:
                found.role = role
                _change_rights(tx, found, SecurityEventKind.ROLE_CHANGED, origin, detail=role)
            if disabled is not None and disabled != (found.disabled_at is not None):
                found.disabled_at = utc_now() if disabled else None
                kind = SecurityEventKind.ACCOUNT_DISABLED if disabled else SecurityEventKind.ACCOUNT_ENABLED
                _change_rights(tx, found, kind, origin)
            tx.session.add(found)
            return account_row(found)

        return await self._database.write_tx(body)

    async def keep_rehashed(self, user_id: str, old: str, new: str) -> None:
        def body(tx: WriteTransaction) -> None:
            found = account_of(tx.session, user_id)
            if found.password_hash == old:
                found.password_hash = new
                tx.session.add(found)

        await self._database.write_tx(body)

    async def has_owner(self) -> bool:
        return await self._database.read_orm_tx(lambda session: bool(session.exec(_acting_owners()).all()))


def account_of(session: Session, user_id: str, *, lock: bool = False) -> AccountTable:
    """The account of a user; with `lock`, unchanged by others until the transaction ends. Raises NotFound."""
    wanted = select(AccountTable).where(AccountTable.user_id == user_id)
    if lock:
        wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
    found = session.exec(wanted).first()
    if found is None:
        raise NotFound("account", user_id)
    return found


def add_account(tx: WriteTransaction, new: NewAccount, origin: Origin) -> AccountRow:
    """A new user with an account. Raises NameTaken."""
    key = name_key(new.name)
    tx.lock(f"account:{key}")
    if tx.session.exec(select(AccountTable.id).where(AccountTable.name_key == key)).first() is not None:
        raise NameTaken
    user_id = new_id()
    tx.session.add(tables.User(id=user_id))
    tx.session.flush()
    added = AccountTable(
        id=new_id(),
        user_id=user_id,
        name=new.name,
        name_key=key,
        display_name=new.display_name,
        role=new.role,
        password_hash=new.password_hash,
    )
    tx.session.add(added)
    log_event(tx, SecurityEventKind.ACCOUNT_CREATED, user_id, origin=origin, detail=new.role)
    return account_row(added)


def refuse_without_owner(session: Session, leaving: str) -> None:
    """Raises LastOwner: without this user no owner could sign in any more."""
    owners = session.exec(_acting_owners()).all()
    if leaving in owners and len(owners) == 1:
        raise LastOwner


def account_row(account: AccountTable) -> AccountRow:
    """The account as it goes over the wire."""
    return AccountRow(
        user_id=account.user_id,
        name=account.name,
        display_name=account.display_name,
        role=AccountRole(account.role),
        created_at=wire_time(account.created_at),
        disabled_at=None if account.disabled_at is None else wire_time(account.disabled_at),
        has_password=account.password_hash is not None,
        passkey_after_password=account.passkey_after_password,
    )


def _person_row(account: AccountTable, last_seen_at: datetime | None) -> PersonRow:
    seen = None if last_seen_at is None else wire_time(last_seen_at)
    return PersonRow(**account_row(account).model_dump(), last_seen_at=seen)


def _last_seen(session: Session) -> dict[str, datetime]:
    """The newest known use of each account: a session keeps it until it ends, the security log the sign-ins."""
    used = select(AccountSession.user_id, func.max(AccountSession.last_seen_at)).group_by(AccountSession.user_id)
    signed_in = (
        select(SecurityEvent.user_id, func.max(SecurityEvent.at))
        .where(SecurityEvent.kind == SecurityEventKind.SIGNED_IN, col(SecurityEvent.user_id).is_not(None))
        .group_by(col(SecurityEvent.user_id))
    )
    newest: dict[str, datetime] = {}
    for user_id, at in (*session.exec(used), *session.exec(signed_in)):
        if user_id is not None and (user_id not in newest or newest[user_id] < at):
            newest[user_id] = at
    return newest


def _acting_owners() -> SelectOfScalar[str]:
    """The users of owners who can sign in."""
    return select(AccountTable.user_id).where(
        AccountTable.role == AccountRole.OWNER,
        col(AccountTable.disabled_at).is_(None),
        has_way_of_its_own(),
    )


def _change_rights(
    tx: WriteTransaction, account: AccountTable, kind: SecurityEventKind, origin: Origin, *, detail: str | None = None
) -> None:
    """Store changed rights, which begin with a new sign-in. Raises LastOwner."""
    with tx.session.no_autoflush:
        refuse_without_owner(tx.session, account.user_id if _leaves(account) else "")
    delete_sessions(tx, account.user_id)
    log_event(tx, kind, account.user_id, origin=origin, detail=detail)


def _leaves(account: AccountTable) -> bool:
    return account.role != AccountRole.OWNER or account.disabled_at is not None


def _credentials(account: AccountTable) -> Credentials:
    is_disabled = account.disabled_at is not None
    return Credentials(account.user_id, account.password_hash, is_disabled, account.passkey_after_password)
