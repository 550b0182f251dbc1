"""Given paths on SQL: a path is given to a class once, and copied for each learner in a transaction of its own."""

from collections.abc import Sequence
from itertools import groupby

from sqlalchemy import func
from sqlalchemy import select as select_rows
from sqlmodel import Session, col, delete, select
from sqlmodel.sql.expression import Select

from sprout.accounts.classes import ClassArchived
from sprout.accounts.given_paths import CopiedPathRow, GivenPathRow, LackingCopies, PathSource
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.learning.paths.import_plan import plan_import
from sprout.store.accounts.path_copies import copied_branch, insert_copy, path_source
from sprout.store.accounts.teaching import is_teaching, lock_class, owned_class
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.ownership import owned_branch
from sprout.store.paths.exchange import path_file
from sprout.store.schema import tables
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassMember, ClassTable, GivenPath, PathCopy

Given = tuple[GivenPath, str, int, int]


class SqlGivenPaths:
    """GivenPaths on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def give(
        self, class_id: str, branch_id: str, *, due_on: str | None, teacher_id: str
    ) -> tuple[GivenPathRow, bool]:
        def body(tx: WriteTransaction) -> tuple[GivenPathRow, bool]:
            if lock_class(tx, class_id, teacher_id).archived_at is not None:
                raise ClassArchived
            owned_branch(tx.session, branch_id, teacher_id, lock=True)
            file = path_file(tx.session, branch_id, teacher_id)
            plan_import(file, user_id=teacher_id, branch_id=branch_id, now=utc_now())  # or no copy could be made of it
            wanted = select(GivenPath).where(GivenPath.class_id == class_id, GivenPath.branch_id == branch_id)
            found = tx.session.exec(wanted).first()
            given = found or GivenPath(id=new_id(), class_id=class_id, branch_id=branch_id)
            given.due_on = due_on
            tx.session.add(given)
            tx.flush()
            return _given(*_one(tx.session, class_id, given.id)), found is None

        return await self._database.write_tx(body)

    async def given(self, class_id: str, *, teacher_id: str) -> list[GivenPathRow]:
        wanted = _COUNTED.where(GivenPath.class_id == class_id).order_by(col(GivenPath.creation))

        def read(session: Session) -> list[GivenPathRow]:
            owned_class(session, class_id, teacher_id)
            return [_given(*found) for found in session.exec(wanted)]

        return await self._database.read_orm_tx(read)

    async def withdraw(self, class_id: str, given_id: str, *, teacher_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            lock_class(tx, class_id, teacher_id)
            _one(tx.session, class_id, given_id)
            tx.connection.execute(delete(GivenPath).where(col(GivenPath.id) == given_id))

        await self._database.write_tx(body)

    async def copies(self, user_id: str) -> list[CopiedPathRow]:
        wanted = (
            select_rows(PathCopy, GivenPath, tables.Branch, ClassTable, AccountTable)
            .join(GivenPath, col(GivenPath.id) == col(PathCopy.given_id))
            .join(tables.Branch, col(tables.Branch.id) == col(PathCopy.branch_id))
            .join(ClassTable, col(ClassTable.id) == col(GivenPath.class_id))
            .join(AccountTable, col(AccountTable.user_id) == col(ClassTable.user_id))
            .where(col(PathCopy.user_id) == user_id, col(tables.Branch.user_id) == user_id)
            .order_by(col(PathCopy.creation))
        )
        return await self._database.read_orm_tx(lambda session: [_copied(*found) for found in session.execute(wanted)])

    async def lacking(self, *, class_id: str | None = None, user_id: str | None = None) -> list[LackingCopies]:
        got = select(PathCopy.id).where(
            col(PathCopy.given_id) == col(GivenPath.id), col(PathCopy.user_id) == col(ClassMember.user_id)
        )
        wanted = (
            select(GivenPath.id, ClassMember.user_id)
            .join(ClassTable, col(ClassTable.id) == col(GivenPath.class_id))
            .join(ClassMember, col(ClassMember.class_id) == col(ClassTable.id))
            .join(AccountTable, col(AccountTable.user_id) == col(ClassTable.user_id))
            .where(~got.exists(), col(ClassTable.archived_at).is_(None), is_teaching())
            .order_by(col(GivenPath.creation), col(ClassMember.creation))
        )
        if class_id is not None:
            wanted = wanted.where(ClassTable.id == class_id)
        if user_id is not None:
            wanted = wanted.where(ClassMember.user_id == user_id)
        found: Sequence[tuple[str, str]] = await self._database.read_orm_tx(lambda session: session.exec(wanted).all())
        return [
            LackingCopies(given_id, [learner for _, learner in pairs])
            for given_id, pairs in groupby(found, key=lambda pair: pair[0])
        ]

    async def source(self, given_id: str) -> PathSource:
        return await self._database.read_orm_tx(lambda session: path_source(session, given_id))

    async def copy(self, given_id: str, source: PathSource, *, user_id: str) -> None:
        plan = plan_import(source.file, user_id=user_id, branch_id=new_id(), now=utc_now())

        def body(tx: WriteTransaction) -> None:
            tx.lock(f"path-copies:{user_id}")  # two processes may be at it, and two classes may give the same path
            if not _is_due(tx.session, given_id, user_id):
                return
            had = copied_branch(tx.session, source.branch_id, user_id)
            made = had or insert_copy(tx, plan, source)
            copy = PathCopy(id=new_id(), given_id=given_id, user_id=user_id, origins=made.origins)
            copy.branch_id = made.branch_id
            tx.session.add(copy)

        await self._database.write_tx(body)


_COPIES = (
    select(func.count()).select_from(PathCopy).where(col(PathCopy.given_id) == col(GivenPath.id)).scalar_subquery()
)
_WAITING = (
    select(func.count())
    .select_from(ClassMember)
    .where(
        col(ClassMember.class_id) == col(GivenPath.class_id),
        ~select(PathCopy.id)
        .where(col(PathCopy.given_id) == col(GivenPath.id), col(PathCopy.user_id) == col(ClassMember.user_id))
        .exists(),
    )
    .scalar_subquery()
)
_COUNTED: Select[GivenPath, str, int, int] = select(GivenPath, tables.Branch.title, _COPIES, _WAITING).join(
    tables.Branch, col(tables.Branch.id) == col(GivenPath.branch_id)
)


def _one(session: Session, class_id: str, given_id: str) -> Given:
    found = session.exec(_COUNTED.where(GivenPath.id == given_id, GivenPath.class_id == class_id)).first()
    if found is None:
        raise NotFound("given path", given_id)
    return found


def _is_due(session: Session, given_id: str, user_id: str) -> bool:
    """Whether a learner is to get a copy still. Raises NotFound: the path is given no more."""
    given = session.exec(select(GivenPath).where(GivenPath.id == given_id).with_for_update(key_share=True)).first()
    if given is None:
        raise NotFound("given path", given_id)
    member = select(ClassMember.id).where(ClassMember.class_id == given.class_id, ClassMember.user_id == user_id)
    got = select(PathCopy.id).where(PathCopy.given_id == given_id, PathCopy.user_id == user_id)
    return session.exec(member).first() is not None and session.exec(got).first() is None


def _given(given: GivenPath, title: str, copies: int, waiting: int) -> GivenPathRow:
    return GivenPathRow(
        id=given.id,
        branch_id=given.branch_id,
        title=title,
        due_on=given.due_on,
        given_at=wire_time(given.created_at),
        copies=copies,
        waiting=waiting,
    )


def _copied(
    copy: PathCopy, given: GivenPath, branch: tables.Branch, of: ClassTable, teacher: AccountTable
) -> CopiedPathRow:
    return CopiedPathRow(
        branch_id=branch.id,
        title=branch.title,
        due_on=given.due_on,
        given_at=wire_time(copy.created_at),
        class_name=of.name,
        teacher=teacher.display_name,
    )
