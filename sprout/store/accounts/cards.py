"""Cards on SQL."""

from sqlmodel import Session, col, select

from sprout.accounts.cards import NoCard
from sprout.accounts.security_log import Origin, SecurityEventKind
from sprout.store.accounts.accounts import account_of
from sprout.store.accounts.security_log import log_event
from sprout.store.accounts.sessions import delete_sessions
from sprout.store.accounts.teaching import lock_class, membership
from sprout.store.accounts.ways import signs_in_without_card
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountTable


class SqlCards:
    """Cards on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, card_digest: str) -> str | None:
        wanted = select(AccountTable.user_id).where(
            AccountTable.card_digest == card_digest, col(AccountTable.disabled_at).is_(None)
        )

        def read(session: Session) -> str | None:
            return session.exec(wanted).first()

        return await self._database.read_orm_tx(read)

    async def renew(self, class_id: str, learner_id: str, card_digest: str, *, teacher_id: str, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            lock_class(tx, class_id, teacher_id)
            member = membership(tx.session, class_id, learner_id)
            account = account_of(tx.session, learner_id, lock=True)
            if not member.has_card or signs_in_without_card(tx.session, learner_id):
                raise NoCard
            account.card_digest = card_digest
            tx.session.add(account)
            delete_sessions(tx, learner_id)
            log_event(tx, SecurityEventKind.CARD_CREATED, learner_id, origin=origin)

        await self._database.write_tx(body)
