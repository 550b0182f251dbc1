"""Memberships on SQL: joining a class with its code, and leaving it; one transaction each."""

import secrets
from urllib.parse import urlsplit

from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select

from sprout.accounts.accounts import NewAccount
from sprout.accounts.classes import AlreadyInClass, ClassCodeInvalid, JoinedClass, OpenClass
from sprout.accounts.names import name_of_nickname
from sprout.accounts.principal import AccountRole
from sprout.accounts.security_log import Origin, SecurityEventKind
from sprout.clock import utc_now
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.store.accounts.accounts import account_of, add_account
from sprout.store.accounts.security_log import log_event
from sprout.store.accounts.teaching import is_teaching, membership
from sprout.store.engine.database import Database
from sprout.store.engine.quotas import enforce_quota
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassMember, ClassTable
from sprout.store.schema.record_tables import RecordStore


class SqlMemberships:
    """Memberships on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, code: str) -> OpenClass:
        def read(session: Session) -> OpenClass:
            found, teacher = _open_class(session, code)
            return OpenClass(name=found.name, teacher=teacher)

        return await self._database.read_orm_tx(read)

    async def join(self, code: str, *, user_id: str, origin: Origin) -> JoinedClass:
        def body(tx: WriteTransaction) -> JoinedClass:
            account_of(tx.session, user_id)
            found, teacher = _open_class(tx.session, code, lock=True)
            already = select(ClassMember.id).where(ClassMember.class_id == found.id, ClassMember.user_id == user_id)
            if tx.session.exec(already).first() is not None:
                raise AlreadyInClass
            store = tx.session.get(RecordStore, found.id)
            return _joined(_add_member(tx, found, user_id, origin), found, teacher, store)

        return await self._database.write_tx(body)

    async def join_anew(self, code: str, nickname: str, card_digest: str, *, origin: Origin) -> str:
        def body(tx: WriteTransaction) -> str:
            found, _ = _open_class(tx.session, code, lock=True)
            name = name_of_nickname(nickname, secrets.token_hex(6))
            new = NewAccount(name, nickname, AccountRole.LEARNER)
            user_id = add_account(tx, new, origin).user_id
            account_of(tx.session, user_id).card_digest = card_digest
            _add_member(tx, found, user_id, origin, has_card=True)
            return user_id

        return await self._database.write_tx(body)

    async def joined(self, user_id: str) -> list[JoinedClass]:
        wanted = (
            select(ClassMember, ClassTable, AccountTable.display_name, RecordStore)
            .join(ClassTable, col(ClassTable.id) == col(ClassMember.class_id))
            .join(AccountTable, col(AccountTable.user_id) == col(ClassTable.user_id))
            .join(RecordStore, col(RecordStore.class_id) == col(ClassTable.id), isouter=True)
            .where(ClassMember.user_id == user_id)
            .order_by(col(ClassMember.creation))
        )
        return await self._database.read_orm_tx(lambda session: [_joined(*found) for found in session.exec(wanted)])

    async def leave(self, class_id: str, *, user_id: str, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            tx.session.delete(membership(tx.session, class_id, user_id))
            log_event(tx, SecurityEventKind.CLASS_LEFT, user_id, origin=origin, detail=class_id)

        await self._database.write_tx(body)


def _open_class(session: Session, code: str, *, lock: bool = False) -> tuple[ClassTable, str]:
    """The class that can be joined with a code, and its teacher's name; with `lock`, one joins after the other.

    Raises ClassCodeInvalid.
    """
    wanted: Select[ClassTable, str] = (
        select(ClassTable, AccountTable.display_name)
        .join(AccountTable, col(AccountTable.user_id) == col(ClassTable.user_id))
        .where(ClassTable.code == code, col(ClassTable.code_expires_at) > utc_now(), ClassTable.code_uses > 0)
        .where(col(ClassTable.archived_at).is_(None), is_teaching())
    )
    if lock:
        wanted = wanted.with_for_update(of=ClassTable)
    found = session.exec(wanted).first()
    if found is None:
        raise ClassCodeInvalid
    return found


def _add_member(
    tx: WriteTransaction, joined: ClassTable, user_id: str, origin: Origin, *, has_card: bool = False
) -> ClassMember:
    """Raises TooLarge: the class is full."""
    enforce_quota(tx, "members_per_class", joined.id)
    joined.code_uses -= 1
    tx.session.add(joined)
    added = ClassMember(id=new_id(), class_id=joined.id, user_id=user_id, has_card=has_card)
    log_event(tx, SecurityEventKind.CLASS_JOINED, user_id, origin=origin, detail=joined.id)
    tx.session.add(added)
    return added


def _joined(member: ClassMember, joined: ClassTable, teacher: str, store: RecordStore | None) -> JoinedClass:
    return JoinedClass(
        id=joined.id,
        name=joined.name,
        teacher=teacher,
        joined_at=wire_time(member.joined_at),
        archived_at=None if joined.archived_at is None else wire_time(joined.archived_at),
        model=joined.model,
        record_store=None if store is None else urlsplit(store.endpoint).hostname,
        sends_names=store is not None and store.with_names,
    )
