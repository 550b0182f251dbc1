"""Passwords and one-time codes on SQL: what sets a password ends all that was begun with the one before."""

from datetime import datetime

from sqlmodel import Session, col, delete, select

from sprout.accounts.accounts import AccountRow, CodeInvalid, LinkHolder, LinkPurpose, NewAccount
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

_SET_PASSWORDS = (LinkPurpose.SIGN_IN, LinkPurpose.PASSWORD)


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
                void_codes(tx, user_id)
                log_event(tx, SecurityEventKind.LINK_CREATED, user_id, origin=origin)
            add_code(tx, code_digest, LinkPurpose.SIGN_IN, user_id=user_id, expires_at=expires_at)

        await self._database.write_tx(body)

    async def issue_recovery_code(
        self, code_digest: str, *, user_id: str, expires_at: datetime, origin: Origin
    ) -> None:
        def body(tx: WriteTransaction) -> None:
            account_of(tx.session, user_id)
            add_code(tx, code_digest, LinkPurpose.PASSWORD, user_id=user_id, expires_at=expires_at)
            log_event(tx, SecurityEventKind.RECOVERY_REQUESTED, user_id, origin=origin)

        await self._database.write_tx(body)

    async def create_owner(self, code_digest: str, new: NewAccount, *, origin: Origin) -> AccountRow:
        def body(tx: WriteTransaction) -> AccountRow:
            tx.lock(OWNERS_LOCK)
            if valid_code(tx.session, code_digest, LinkPurpose.SIGN_IN).user_id is not None:
                raise CodeInvalid
            void_codes(tx, None)
            return _owner_without_way(tx.session, new) or add_account(tx, new, origin)

        return await self._database.write_tx(body)

    async def holder_of(self, code_digest: str) -> str:
        return await self._database.read_orm_tx(
            lambda session: holder_of(session, code_digest, LinkPurpose.SIGN_IN).user_id
        )

    async def password_holder_of(self, code_digest: str) -> str:
        return await self._database.read_orm_tx(
            lambda session: holder_of(session, code_digest, *_SET_PASSWORDS).user_id
        )

    async def set_password_by_code(self, code_digest: str, password_hash: str, *, origin: Origin) -> LinkHolder:
        def body(tx: WriteTransaction) -> LinkHolder:
            holder = holder_of(tx.session, code_digest, *_SET_PASSWORDS, lock=True)
            _set_password(tx, holder.user_id, password_hash, origin)
            return holder

        return await self._database.write_tx(body)


def add_code(
    tx: WriteTransaction,
    code_digest: str,
    purpose: LinkPurpose,
    *,
    user_id: str | None,
    expires_at: datetime,
    email: str | None = None,
) -> None:
    """Keep a code; those that have expired are deleted."""
    tx.connection.execute(delete(OneTimeCode).where(col(OneTimeCode.expires_at) < utc_now()))
    tx.session.add(
        OneTimeCode(
            id=new_id(),
            secret_digest=code_digest,
            user_id=user_id,
            expires_at=expires_at,
            purpose=purpose,
            email=email,
        )
    )


def use_code(tx: WriteTransaction, code_digest: str, user_id: str) -> None:
    """Use up a link of this user in place of one that sets the password: all links are void then, all sessions over.

    Raises CodeInvalid.
    """
    if holder_of(tx.session, code_digest, LinkPurpose.SIGN_IN, lock=True).user_id != user_id:
        raise CodeInvalid
    void_codes(tx, user_id)
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
    void_codes(tx, user_id)
    delete_sessions(tx, user_id)
    log_event(tx, SecurityEventKind.PASSWORD_SET, user_id, origin=origin)


def holder_of(session: Session, code_digest: str, *purposes: LinkPurpose, lock: bool = False) -> LinkHolder:
    """The user of an account that a code with one of these purposes is for. Raises CodeInvalid."""
    found = valid_code(session, code_digest, *purposes, lock=lock)
    if found.user_id is None or account_of(session, found.user_id).disabled_at is not None:
        raise CodeInvalid
    return LinkHolder(found.user_id, LinkPurpose(found.purpose))


def valid_code(session: Session, code_digest: str, *purposes: LinkPurpose, lock: bool = False) -> OneTimeCode:
    """A code that has not expired and has one of these purposes; with `lock`, for one of two requests alone.

    Raises CodeInvalid.
    """
    wanted = select(OneTimeCode).where(OneTimeCode.secret_digest == code_digest, col(OneTimeCode.purpose).in_(purposes))
    found = session.exec(wanted.with_for_update() if lock else wanted).first()
    if found is None or found.expires_at <= utc_now():
        raise CodeInvalid
    return found


def void_codes(tx: WriteTransaction, user_id: str | None, *purposes: LinkPurpose) -> None:
    """Delete the codes of an account with these purposes, or all; without an account, those for the first owner."""
    gone = delete(OneTimeCode).where(
        col(OneTimeCode.user_id).is_(None) if user_id is None else col(OneTimeCode.user_id) == user_id
    )
    if purposes:
        gone = gone.where(col(OneTimeCode.purpose).in_(purposes))
    tx.connection.execute(gone)
