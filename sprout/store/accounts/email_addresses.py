"""E-mail addresses of accounts on SQL; one that waits for its confirmation stands beside the code of its link."""

from datetime import datetime

from sqlmodel import Session, col, or_, select

from sprout.accounts.accounts import LinkPurpose
from sprout.accounts.email_addresses import EmailRow, RecoverableAccount
from sprout.accounts.names import name_key
from sprout.accounts.security_log import Origin, SecurityEventKind
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.store.accounts.accounts import account_of
from sprout.store.accounts.passwords import add_code, holder_of, valid_code, void_codes
from sprout.store.accounts.security_log import log_event
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountTable, OneTimeCode

MAX_OF_ADDRESS = 10
"""Accounts of one address that are recovered at once, such as those of a family."""


class SqlEmailAddresses:
    """EmailAddresses on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, user_id: str) -> EmailRow:
        return await self._database.read_orm_tx(lambda session: _row(session, user_id))

    async def keep_waiting(
        self, code_digest: str, email: str, *, user_id: str, expires_at: datetime, origin: Origin
    ) -> None:
        def body(tx: WriteTransaction) -> None:
            account_of(tx.session, user_id, lock=True)
            void_codes(tx, user_id, LinkPurpose.EMAIL)
            add_code(tx, code_digest, LinkPurpose.EMAIL, user_id=user_id, expires_at=expires_at, email=email)
            log_event(tx, SecurityEventKind.EMAIL_ASKED, user_id, origin=origin)

        await self._database.write_tx(body)

    async def confirm(self, code_digest: str, *, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            holder = holder_of(tx.session, code_digest, LinkPurpose.EMAIL)
            account = account_of(tx.session, holder.user_id, lock=True)
            account.email = valid_code(tx.session, code_digest, LinkPurpose.EMAIL, lock=True).email
            tx.session.add(account)
            _void_mailed_links(tx, account.user_id)
            log_event(tx, SecurityEventKind.EMAIL_CONFIRMED, account.user_id, origin=origin)

        await self._database.write_tx(body)

    async def remove(self, user_id: str, *, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            account = account_of(tx.session, user_id, lock=True)
            if account.email is None and _waiting(tx.session, user_id) is None:
                raise NotFound("e-mail address", user_id)
            account.email = None
            tx.session.add(account)
            _void_mailed_links(tx, user_id)
            log_event(tx, SecurityEventKind.EMAIL_REMOVED, user_id, origin=origin)

        await self._database.write_tx(body)

    async def recoverable(self, name_or_email: str) -> list[RecoverableAccount]:
        account = AccountTable
        wanted = (
            select(account)
            .where(
                or_(account.name_key == name_key(name_or_email), account.email == name_or_email.strip().lower()),
                col(account.email).is_not(None),
                col(account.disabled_at).is_(None),
            )
            .order_by(col(account.creation))
            .limit(MAX_OF_ADDRESS)
        )

        def read(session: Session) -> list[RecoverableAccount]:
            return [RecoverableAccount(one.user_id, one.name, one.email or "") for one in session.exec(wanted)]

        return await self._database.read_orm_tx(read)


def _row(session: Session, user_id: str) -> EmailRow:
    account, waiting = account_of(session, user_id), _waiting(session, user_id)
    return EmailRow(
        email=account.email,
        waiting=None if waiting is None else waiting.email,
        waiting_until=None if waiting is None else wire_time(waiting.expires_at),
    )


def _waiting(session: Session, user_id: str) -> OneTimeCode | None:
    wanted = select(OneTimeCode).where(
        OneTimeCode.user_id == user_id,
        OneTimeCode.purpose == LinkPurpose.EMAIL,
        col(OneTimeCode.expires_at) > utc_now(),
    )
    return session.exec(wanted).first()


def _void_mailed_links(tx: WriteTransaction, user_id: str) -> None:
    """Void the links that were sent to the address before, and the one that confirms another."""
    void_codes(tx, user_id, LinkPurpose.PASSWORD, LinkPurpose.EMAIL)
