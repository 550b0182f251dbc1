"""Sessions on SQL."""

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, delete, select, update

from sprout.accounts.principal import SCOPES_OF, AccountRole, Principal
from sprout.accounts.security_log import Origin, SecurityEventKind
from sprout.accounts.sessions import ABSOLUTE_END, IDLE_END, MAX_SESSIONS, MAX_USER_AGENT, SEEN_EVERY, SessionRow
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.store.accounts.security_log import log_event
from sprout.store.accounts.uses import keep_use
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountSession, AccountTable


class SqlSessions:
    """Sessions on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(
        self, secret_digest: str, user_id: str, *, user_agent: str, replaces: str | None, origin: Origin
    ) -> None:
        def body(tx: WriteTransaction) -> None:
            account = select(AccountTable.user_id).where(
                AccountTable.user_id == user_id, col(AccountTable.disabled_at).is_(None)
            )
            if tx.session.exec(account.with_for_update()).first() is None:
                raise NotFound("account", user_id)
            now = utc_now()
            if replaces is not None:
                tx.connection.execute(delete(AccountSession).where(col(AccountSession.secret_digest) == replaces))
            tx.connection.execute(delete(AccountSession).where(~_alive()))
            _make_room(tx, user_id)
            tx.session.add(
                AccountSession(
                    id=new_id(),
                    secret_digest=secret_digest,
                    user_id=user_id,
                    created_at=now,
                    last_seen_at=now,
                    ends_at=now + ABSOLUTE_END,
                    user_agent=user_agent[:MAX_USER_AGENT],
                )
            )
            log_event(tx, SecurityEventKind.SIGNED_IN, user_id, origin=origin)

        await self._database.write_tx(body)

    async def find(self, secret_digest: str) -> Principal | None:
        def read(session: Session) -> tuple[AccountSession, str] | None:
            wanted = (
                select(AccountSession, AccountTable.role)
                .join(AccountTable, col(AccountTable.user_id) == col(AccountSession.user_id))
                .where(AccountSession.secret_digest == secret_digest, _alive(), col(AccountTable.disabled_at).is_(None))
            )
            return session.exec(wanted).first()

        found = await self._database.read_orm_tx(read)
        if found is None:
            return None
        session, role = found
        if utc_now() - session.last_seen_at > SEEN_EVERY:
            seen = update(AccountSession).where(col(AccountSession.id) == session.id).values(last_seen_at=utc_now())
            await keep_use(self._database, seen)
        return Principal(
            session.user_id,
            AccountRole(role),
            SCOPES_OF[AccountRole(role)],
            session_id=session.id,
            signed_in_at=session.created_at,
        )

    async def sessions(self, caller: Principal) -> list[SessionRow]:
        wanted = (
            select(AccountSession)
            .where(AccountSession.user_id == caller.user_id, _alive())
            .order_by(col(AccountSession.last_seen_at).desc(), col(AccountSession.creation).desc())
        )
        return await self._database.read_orm_tx(
            lambda session: [_row(one, caller.session_id) for one in session.exec(wanted)]
        )

    async def end(self, session_id: str, *, user_id: str, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            theirs = (col(AccountSession.id) == session_id, col(AccountSession.user_id) == user_id)
            if not tx.connection.execute(delete(AccountSession).where(*theirs)).rowcount:
                raise NotFound("session", session_id)
            log_event(tx, SecurityEventKind.SESSION_ENDED, user_id, origin=origin)

        await self._database.write_tx(body)

    async def end_all(self, user_id: str, *, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            delete_sessions(tx, user_id)
            log_event(tx, SecurityEventKind.SESSIONS_ENDED, user_id, origin=origin)

        await self._database.write_tx(body)


def delete_sessions(tx: WriteTransaction, user_id: str) -> None:
    """End every session of a user in this transaction."""
    tx.connection.execute(delete(AccountSession).where(col(AccountSession.user_id) == user_id))


def _alive() -> ColumnElement[bool]:
    now = utc_now()
    return (col(AccountSession.ends_at) > now) & (col(AccountSession.last_seen_at) > now - IDLE_END)


def _make_room(tx: WriteTransaction, user_id: str) -> None:
    """End the sessions that were not used for longest, if there are too many for one more."""
    newest = (
        select(AccountSession.id)
        .where(AccountSession.user_id == user_id)
        .order_by(col(AccountSession.last_seen_at).desc(), col(AccountSession.creation).desc())
        .limit(MAX_SESSIONS - 1)
    )
    kept = tx.session.exec(newest).all()
    theirs = col(AccountSession.user_id) == user_id
    tx.connection.execute(delete(AccountSession).where(theirs, col(AccountSession.id).not_in(kept)))


def _row(session: AccountSession, current: str | None) -> SessionRow:
    return SessionRow(
        id=session.id,
        created_at=wire_time(session.created_at),
        last_seen_at=wire_time(session.last_seen_at),
        ends_at=wire_time(session.ends_at),
        user_agent=session.user_agent,
        current=session.id == current,
    )
