"""Passwords and one-time codes on SQL: what sets a password ends all that was begun with the one before."""

from datetime import datetime

from sqlmodel import Session, col, delete, select
from sqlmodel.sql.expression import SelectOfScalar

from sprout.accounts.accounts import AccountRow, CodeInvalid, NewAccount
from sprout.accounts.names import name_key
from sprout.accounts.principal import AccountRole
from sprout.accounts.security_log import Origin, SecurityEventKind
from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.store.accounts.accounts import OWNERS_LOCK, account_of, account_row, add_account
from sprout.store.accounts.security_log import log_event
from sprout.store.accounts.sessions import delete_sessions
from sprout.store.accounts.ways import has_way_of_its_own
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountTable, OneTimeCode


class SqlPasswords:
    """Passwords on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def set_password(self, user_id: str, password_hash: str, *, origin: Origin) -> None:
        await self._database.write_tx(lambda tx: _set_password(tx, user_id, password_hash, origin))

    async def issue_code(self, code_digest: str, *, user_id: str | None, expires_at: datetime, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            if user_id is not None:
                account_of(tx.session, user_id)
                _void_codes(tx, user_id)
                log_event(tx, SecurityEventKind.LINK_CREATED, user_id, origin=origin)
            tx.connection.execute(delete(OneTimeCode).where(col(OneTimeCode.expires_at) < utc_now()))
            tx.session.add(OneTimeCode(id=new_id(), secret_digest=code_digest, user_id=user_id, expires_at=expires_at))

        await self._database.write_tx(body)

    async def create_owner(self, code_digest: str, new: NewAccount, *, origin: Origin) -> AccountRow:
        def body(tx: WriteTransaction) -> AccountRow:
            tx.lock(OWNERS_LOCK)
            if _valid_code(tx.session, _code(code_digest)).user_id is not None:
                raise CodeInvalid
            _void_codes(tx, None)
            return _owner_without_way(tx.session, new) or add_account(tx, new, origin)

        return await self._database.write_tx(body)

    async def holder_of(self, code_digest: str) -> str:
        return await self._database.read_orm_tx(lambda session: _holder(session, _code(code_digest)))

    async def set_password_by_code(self, code_digest: str, password_hash: str, *, origin: Origin) -> str:
        def body(tx: WriteTransaction) -> str:
            user_id = _holder(tx.session, _code(code_digest).with_for_update())  # it serves one of two requests
            _set_password(tx, user_id, password_hash, origin)
            return user_id

        return await self._database.write_tx(body)


def use_code(tx: WriteTransaction, code_digest: str, user_id: str) -> None:
    """Use up a link of this user in place of one that sets the password: all links are void then, all sessions over.

    Raises CodeInvalid.
    """
    if _holder(tx.session, _code(code_digest).with_for_update()) != user_id:
        raise CodeInvalid
    _void_codes(tx, user_id)
    delete_sessions(tx, user_id)


def _owner_without_way(session: Session, new: NewAccount) -> AccountRow | None:
    """An owner of this name who was made without a password, and has not come to another way to sign in."""
    wanted = select(AccountTable).where(
        AccountTable.name_key == name_key(new.name),
        AccountTable.role == AccountRole.OWNER,
        col(AccountTable.disabled_at).is_(None),
        ~has_way_of_its_own(),
    )
    found = session.exec(wanted).first() if new.password_hash is None else None
    return None if found is None else account_row(found)


def _set_password(tx: WriteTransaction, user_id: str, password_hash: str, origin: Origin) -> None:
    found = account_of(tx.session, user_id)
    found.password_hash = password_hash
    tx.session.add(found)
    _void_codes(tx, user_id)
    delete_sessions(tx, user_id)
    log_event(tx, SecurityEventKind.PASSWORD_SET, user_id, origin=origin)


def _code(code_digest: str) -> SelectOfScalar[OneTimeCode]:
    return select(OneTimeCode).where(OneTimeCode.secret_digest == code_digest)


def _holder(session: Session, wanted: SelectOfScalar[OneTimeCode]) -> str:
    """The user of an account that a code is for. Raises CodeInvalid."""
    user_id = _valid_code(session, wanted).user_id
    if user_id is None or account_of(session, user_id).disabled_at is not None:
        raise CodeInvalid
    return user_id


def _valid_code(session: Session, wanted: SelectOfScalar[OneTimeCode]) -> OneTimeCode:
    """Raises CodeInvalid."""
    found = session.exec(wanted).first()
    if found is None or found.expires_at <= utc_now():
        raise CodeInvalid
    return found


def _void_codes(tx: WriteTransaction, user_id: str | None) -> None:
    """Delete the codes of an account, or those for the first owner."""
    of = col(OneTimeCode.user_id).is_(None) if user_id is None else col(OneTimeCode.user_id) == user_id
    tx.connection.execute(delete(OneTimeCode).where(of))
