"""Access tokens on SQL."""

from sqlalchemy import func
from sqlmodel import Session, col, delete, select, update

from sprout.accounts.principal import SCOPES_OF, AccountRole, Principal, Scope
from sprout.accounts.security_log import Origin, SecurityEventKind
from sprout.accounts.sessions import SEEN_EVERY
from sprout.accounts.tokens import MAX_TOKENS, NewToken, TokenRow, TooManyTokens
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.store.accounts.accounts import account_of
from sprout.store.accounts.security_log import log_event
from sprout.store.accounts.uses import keep_use
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccessToken, AccountTable


class SqlTokens:
    """Tokens on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, secret_digest: str, new: NewToken, *, user_id: str, origin: Origin) -> TokenRow:
        def body(tx: WriteTransaction) -> TokenRow:
            tx.lock(f"tokens:{user_id}")
            account_of(tx.session, user_id)
            theirs = col(AccessToken.user_id) == user_id
            tx.connection.execute(delete(AccessToken).where(theirs, col(AccessToken.expires_at) <= utc_now()))
            if tx.session.exec(select(func.count()).select_from(AccessToken).where(theirs)).one() >= MAX_TOKENS:
                raise TooManyTokens
            added = AccessToken(
                id=new_id(),
                secret_digest=secret_digest,
                user_id=user_id,
                name=new.name,
                scopes=[*map(str, sorted(new.scopes))],
                expires_at=new.expires_at,
            )
            tx.session.add(added)
            log_event(tx, SecurityEventKind.TOKEN_CREATED, user_id, origin=origin, detail=" ".join(sorted(new.scopes)))
            return _row(added)

        return await self._database.write_tx(body)

    async def find(self, secret_digest: str) -> Principal | None:
        def read(session: Session) -> tuple[AccessToken, str] | None:
            wanted = (
                select(AccessToken, AccountTable.role)
                .join(AccountTable, col(AccountTable.user_id) == col(AccessToken.user_id))
                .where(
                    AccessToken.secret_digest == secret_digest,
                    col(AccessToken.expires_at) > utc_now(),
                    col(AccountTable.disabled_at).is_(None),
                )
            )
            return session.exec(wanted).first()

        found = await self._database.read_orm_tx(read)
        if found is None:
            return None
        token, role = found
        if token.last_used_at is None or utc_now() - token.last_used_at > SEEN_EVERY:
            used = update(AccessToken).where(col(AccessToken.id) == token.id).values(last_used_at=utc_now())
            await keep_use(self._database, used)
        return Principal(token.user_id, AccountRole(role), _scopes(token) & SCOPES_OF[AccountRole(role)], by_token=True)

    async def tokens(self, user_id: str) -> list[TokenRow]:
        wanted = (
            select(AccessToken)
            .where(AccessToken.user_id == user_id, col(AccessToken.expires_at) > utc_now())
            .order_by(col(AccessToken.creation).desc())
        )
        return await self._database.read_orm_tx(lambda session: [_row(one) for one in session.exec(wanted)])

    async def revoke(self, token_id: str, *, user_id: str, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            theirs = (col(AccessToken.id) == token_id, col(AccessToken.user_id) == user_id)
            if not tx.connection.execute(delete(AccessToken).where(*theirs)).rowcount:
                raise NotFound("token", token_id)
            log_event(tx, SecurityEventKind.TOKEN_REVOKED, user_id, origin=origin)

        await self._database.write_tx(body)


def _scopes(token: AccessToken) -> frozenset[Scope]:
    return frozenset(Scope(str(name)) for name in (token.scopes if isinstance(token.scopes, list) else []))


def _row(token: AccessToken) -> TokenRow:
    return TokenRow(
        id=token.id,
        name=token.name,
        scopes=sorted(_scopes(token)),
        created_at=wire_time(token.created_at),
        expires_at=wire_time(token.expires_at),
        last_used_at=None if token.last_used_at is None else wire_time(token.last_used_at),
    )
