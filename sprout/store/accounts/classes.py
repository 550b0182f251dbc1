"""Classes on SQL, for their teachers."""

from sqlalchemy import func
from sqlmodel import Session, col, delete, select
from sqlmodel.sql.expression import Select

from sprout.accounts.classes import (
    ClassArchived,
    ClassCodeRow,
    ClassRow,
    LocalModelMissing,
    MemberRow,
    ModelSwitch,
    NewClassCode,
)
from sprout.accounts.security_log import Origin, SecurityEventKind
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.store.accounts.security_log import forget_classes, log_event
from sprout.store.accounts.teaching import lock_class, lock_teacher, membership, owned_class
from sprout.store.engine.database import Database
from sprout.store.engine.quotas import enforce_quota
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassMember, ClassTable


class SqlClasses:
    """Classes on SQL.

    Args:
        has_local_model: whether a class may use the local model.
    """

    def __init__(self, database: Database, *, has_local_model: bool = False) -> None:
        self._database = database
        self._has_local_model = has_local_model

    async def create(self, name: str, *, teacher_id: str) -> ClassRow:
        def body(tx: WriteTransaction) -> ClassRow:
            lock_teacher(tx, teacher_id)
            enforce_quota(tx, "classes", teacher_id)
            added = ClassTable(id=new_id(), user_id=teacher_id, name=name)
            tx.session.add(added)
            return _row(added, 0)

        return await self._database.write_tx(body)

    async def classes(self, teacher_id: str) -> list[ClassRow]:
        wanted = _COUNTED.where(ClassTable.user_id == teacher_id).order_by(col(ClassTable.creation))
        return await self._database.read_orm_tx(lambda session: [_row(*found) for found in session.exec(wanted)])

    async def one(self, class_id: str, *, teacher_id: str) -> ClassRow:
        return await self._database.read_orm_tx(lambda session: _one(session, class_id, teacher_id))

    async def change(
        self,
        class_id: str,
        *,
        teacher_id: str,
        name: str | None = None,
        archived: bool | None = None,
        model: ModelSwitch | None = None,
    ) -> ClassRow:
        def body(tx: WriteTransaction) -> ClassRow:
            found = lock_class(tx, class_id, teacher_id)
            if model == "local" and not self._has_local_model:
                raise LocalModelMissing
            if name is not None:
                found.name = name
            if archived is not None and archived != (found.archived_at is not None):
                found.archived_at = utc_now() if archived else None
                found.code = None
            if model is not None:
                found.model = model
            return _stored(tx, found)

        return await self._database.write_tx(body)

    async def delete(self, class_id: str, *, teacher_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            lock_class(tx, class_id, teacher_id)
            this = col(ClassTable.id) == class_id
            forget_classes(tx, this)
            tx.connection.execute(delete(ClassTable).where(this))

        await self._database.write_tx(body)

    async def issue_code(self, class_id: str, new: NewClassCode, *, teacher_id: str) -> ClassRow:
        def body(tx: WriteTransaction) -> ClassRow:
            found = lock_class(tx, class_id, teacher_id)
            if found.archived_at is not None:
                raise ClassArchived
            found.code, found.code_expires_at, found.code_uses = new.code, new.expires_at, new.uses
            return _stored(tx, found)

        return await self._database.write_tx(body)

    async def revoke_code(self, class_id: str, *, teacher_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            found = lock_class(tx, class_id, teacher_id)
            found.code = None
            _stored(tx, found)

        await self._database.write_tx(body)

    async def members(self, class_id: str, *, teacher_id: str) -> list[MemberRow]:
        wanted = (
            select(ClassMember, AccountTable)
            .join(AccountTable, col(AccountTable.user_id) == col(ClassMember.user_id))
            .where(ClassMember.class_id == class_id)
            .order_by(col(ClassMember.creation))
        )

        def read(session: Session) -> list[MemberRow]:
            owned_class(session, class_id, teacher_id)
            return [_member(*found) for found in session.exec(wanted)]

        return await self._database.read_orm_tx(read)

    async def remove_member(self, class_id: str, learner_id: str, *, teacher_id: str, origin: Origin) -> None:
        def body(tx: WriteTransaction) -> None:
            lock_class(tx, class_id, teacher_id)
            tx.session.delete(membership(tx.session, class_id, learner_id))
            log_event(tx, SecurityEventKind.CLASS_LEFT, learner_id, origin=origin, detail=class_id)

        await self._database.write_tx(body)


_MEMBERS = (
    select(func.count())
    .select_from(ClassMember)
    .where(col(ClassMember.class_id) == col(ClassTable.id))
    .scalar_subquery()
)
_COUNTED: Select[ClassTable, int] = select(ClassTable, _MEMBERS)


def _one(session: Session, class_id: str, teacher_id: str) -> ClassRow:
    wanted = _COUNTED.where(ClassTable.id == class_id, ClassTable.user_id == teacher_id)
    found = session.exec(wanted).first()
    if found is None:
        raise NotFound("class", class_id)
    return _row(*found)


def _stored(tx: WriteTransaction, changed: ClassTable) -> ClassRow:
    """The class after its changes; what is left of a code that it has no more goes."""
    if changed.code is None:
        changed.code_expires_at, changed.code_uses = None, 0
    tx.session.add(changed)
    tx.flush()
    return _one(tx.session, changed.id, changed.user_id)


def _row(found: ClassTable, members: int) -> ClassRow:
    code = None
    if found.code is not None and found.code_expires_at is not None:
        code = ClassCodeRow(code=found.code, expires_at=wire_time(found.code_expires_at), uses_left=found.code_uses)
    return ClassRow(
        id=found.id,
        name=found.name,
        created_at=wire_time(found.created_at),
        archived_at=None if found.archived_at is None else wire_time(found.archived_at),
        members=members,
        code=code,
        model=found.model,
    )


def _member(member: ClassMember, account: AccountTable) -> MemberRow:
    return MemberRow(
        user_id=member.user_id,
        display_name=account.display_name,
        joined_at=wire_time(member.joined_at),
        has_card=member.has_card and account.password_hash is None,
    )
