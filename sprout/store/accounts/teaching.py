"""Teaching rights in a transaction: who is a teacher at that moment, and whose a class is."""

from collections.abc import Collection

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from sprout.accounts.access import TEACHERS
from sprout.errors import MissingRight, NotFound
from sprout.store.accounts.accounts import account_of
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassMember, ClassTable


def lock_teacher(tx: WriteTransaction, user_id: str) -> AccountTable:
    """The account of a teacher, who stays one until the transaction ends. Raises NotFound, MissingRight."""
    found = account_of(tx.session, user_id, lock=True)
    if found.role not in TEACHERS or found.disabled_at is not None:
        raise MissingRight
    return found


def lock_class(tx: WriteTransaction, class_id: str, teacher_id: str) -> ClassTable:
    """The teacher's class, which nobody else changes until the transaction ends. Raises NotFound, MissingRight."""
    owned_class(tx.session, class_id, teacher_id)
    lock_teacher(tx, teacher_id)
    return owned_class(tx.session, class_id, teacher_id, lock=True)


def owned_class(session: Session, class_id: str, teacher_id: str, *, lock: bool = False) -> ClassTable:
    """The teacher's class; with `lock`, locked until the transaction ends. Raises NotFound."""
    wanted = select(ClassTable).where(ClassTable.id == class_id, ClassTable.user_id == teacher_id)
    if lock:
        wanted = wanted.with_for_update().execution_options(populate_existing=True)
    found = session.exec(wanted).first()
    if found is None:
        raise NotFound("class", class_id)
    return found


def membership(session: Session, class_id: str, learner_id: str) -> ClassMember:
    """The membership of a learner in a class. Raises NotFound."""
    wanted = select(ClassMember).where(ClassMember.class_id == class_id, ClassMember.user_id == learner_id)
    found = session.exec(wanted).first()
    if found is None:
        raise NotFound("learner", learner_id)
    return found


def is_teaching() -> ColumnElement[bool]:
    """Whether an account is that of a teacher who can sign in."""
    roles: Collection[str] = sorted(TEACHERS)
    return col(AccountTable.role).in_(roles) & col(AccountTable.disabled_at).is_(None)
