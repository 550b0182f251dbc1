"""Learning facts on SQL: of a learner's own path, and of a class's given path, learner after learner."""

from collections.abc import Sequence

from sqlalchemy import CTE, Connection
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from sprout.errors import NotFound
from sprout.learning.xapi.facts import Fact, Place
from sprout.store.accounts.teaching import owned_class
from sprout.store.engine.database import Database
from sprout.store.graph.ownership import owned_branch
from sprout.store.schema.class_tables import ClassMember, ClassTable, GivenPath, PathCopy
from sprout.store.xapi.fact_details import facts_of
from sprout.store.xapi.fact_rows import FACT_ORDER, class_paths, fact_rows, own_path
from sprout.store.xapi.waiting import with_markings


class SqlLearningFacts:
    """LearningFacts on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_path(self, branch_id: str, *, user_id: str) -> Sequence[Fact]:
        def read(session: Session) -> list[Fact]:
            owned_branch(session, branch_id, user_id)
            return _facts(session.connection(), own_path(branch_id, user_id), None)

        return await self._database.read_orm_tx(read)

    async def learners(self, class_id: str, given_id: str, *, teacher_id: str) -> Sequence[str]:
        wanted = (
            select_rows(ClassMember.user_id)
            .join(PathCopy, col(PathCopy.user_id) == col(ClassMember.user_id))
            .where(ClassMember.class_id == class_id, PathCopy.given_id == given_id)
            .order_by(col(ClassMember.creation))
        )

        def read(session: Session) -> Sequence[str]:
            _given_class(session, class_id, given_id, teacher_id)
            return session.exec(wanted).all()

        return await self._database.read_orm_tx(read)

    async def of_learner(self, class_id: str, given_id: str, learner_id: str, *, teacher_id: str) -> Sequence[Fact]:
        def read(session: Session) -> list[Fact]:
            found = _given_class(session, class_id, given_id, teacher_id)
            paths = class_paths(class_id, given_id=given_id, learner_id=learner_id)
            return _facts(session.connection(), paths, Place(found.id, found.name))

        return await self._database.read_orm_tx(read)


def _facts(connection: Connection, paths: CTE, of_class: Place | None) -> list[Fact]:
    rows = fact_rows(paths)
    class_id = None if of_class is None else of_class.id
    wanted = with_markings(rows, class_id).order_by(*(rows.c[name] for name in FACT_ORDER))
    return facts_of(connection, connection.execute(wanted).all(), of_class)


def _given_class(session: Session, class_id: str, given_id: str, teacher_id: str) -> ClassTable:
    """The teacher's class, which is given the path. Raises NotFound."""
    found = owned_class(session, class_id, teacher_id)
    given = select_rows(GivenPath.id).where(GivenPath.id == given_id, GivenPath.class_id == class_id)
    if session.exec(given).first() is None:
        raise NotFound("given path", given_id)
    return found
