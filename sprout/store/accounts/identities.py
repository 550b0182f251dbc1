"""Linked identities on SQL."""

from sqlmodel import col, delete, or_, select

from sprout.accounts.identities import MAX_NAME, Identity, IdentityTaken, LinkedIdentityRow
from sprout.accounts.security_log import Origin, SecurityEventKind
from sprout.accounts.ways import Ways
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.store.accounts.accounts import account_of
from sprout.store.accounts.passwords import use_code
from sprout.store.accounts.security_log import log_event
from sprout.store.accounts.ways import refuse_without_way
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.sign_in_tables import LinkedIdentityTable


class SqlLinkedIdentities:
    """LinkedIdentities on SQL, on a server with these ways to sign in."""

    def __init__(self, database: Database, ways: Ways) -> None:
        self._database, self._ways = database, ways

    async def sign_in(self, identity: Identity) -> str | None:
        table = LinkedIdentityTable
        wanted = (
            select(table)
            .join(AccountTable, col(AccountTable.user_id) == col(table.user_id))
            .where(
                table.issuer == identity.issuer,
                table.subject == identity.subject,
                col(AccountTable.disabled_at).is_(None),
            )
        )

        def body(tx: WriteTransaction) -> str | None:
            found = tx.session.exec(wanted).first()
            if found is None:
                return None
            found.last_used_at = utc_now()
            tx.session.add(found)
            return found.user_id

        return await self._database.write_tx(body)

    async def identities(self, user_id: str) -> list[LinkedIdentityRow]:
        table = LinkedIdentityTable
        wanted = select(table).where(table.user_id == user_id).order_by(col(table.creation))
        return await self._database.read_orm_tx(lambda session: [_row(one) for one in session.exec(wanted)])

    async def link(self, identity: Identity, *, user_id: str, origin: Origin) -> None:
        await self._database.write_tx(lambda tx: _link(tx, identity, user_id, origin))

    async def link_by_code(self, code_digest: str, identity: Identity, *, user_id: str, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            use_code(tx, code_digest, user_id)
            _link(tx, identity, user_id, origin)

        await self._database.write_tx(body)

    async def unlink(self, identity_id: str, *, user_id: str, origin: Origin) -> None:
        theirs = (col(LinkedIdentityTable.id) == identity_id, col(LinkedIdentityTable.user_id) == user_id)

        def body(tx: WriteTransaction) -> None:
            if tx.session.exec(select(LinkedIdentityTable.id).where(*theirs)).first() is None:
                raise NotFound("identity", identity_id)
            account_of(tx.session, user_id, lock=True)
            tx.connection.execute(delete(LinkedIdentityTable).where(*theirs))
            refuse_without_way(tx.session, user_id, self._ways)
            log_event(tx, SecurityEventKind.IDENTITY_UNLINKED, user_id, origin=origin)

        await self._database.write_tx(body)


def _link(tx: WriteTransaction, identity: Identity, user_id: str, origin: Origin) -> None:
    account_of(tx.session, user_id, lock=True)
    tx.lock(f"identity:{identity.issuer} {identity.subject}")
    table = LinkedIdentityTable
    taken = select(table.id).where(
        table.issuer == identity.issuer, or_(table.subject == identity.subject, table.user_id == user_id)
    )
    if tx.session.exec(taken).first() is not None:
        raise IdentityTaken
    tx.session.add(
        table(
            id=new_id(),
            user_id=user_id,
            issuer=identity.issuer,
            subject=identity.subject,
            name=identity.name[:MAX_NAME],
            created_at=utc_now(),
        )
    )
    log_event(tx, SecurityEventKind.IDENTITY_LINKED, user_id, origin=origin)


def _row(identity: LinkedIdentityTable) -> LinkedIdentityRow:
    return LinkedIdentityRow(
        id=identity.id,
        name=identity.name,
        created_at=wire_time(identity.created_at),
        last_used_at=None if identity.last_used_at is None else wire_time(identity.last_used_at),
    )
