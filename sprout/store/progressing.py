"""A learner's coming to nodes, and a person's word on progress, in the database."""

from sqlmodel import Session, select

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.ids import new_id
from sprout.learning.mastery.mastery import MASTERED
from sprout.learning.paths.library import ProgressRow
from sprout.learning.paths.progressing import Overruling
from sprout.store import rows, tables
from sprout.store.children import locked_node
from sprout.store.database import Database
from sprout.store.mastering import update_progress
from sprout.store.write import Write


class SqlProgress:
    """Progress on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def enter(self, node_id: str, *, user_id: str) -> tuple[ProgressRow, bool]:
        """Note that the learner comes to the node; True where there was no row. Raises NotFound."""

        def body(write: Write) -> tuple[ProgressRow, bool]:
            locked_node(write.connection, node_id, user_id)
            now = utc_now()
            wanted = select(tables.Progress).where(
                tables.Progress.node_id == node_id, tables.Progress.user_id == user_id
            )
            found = write.session.exec(wanted).first()
            row = found or tables.Progress(id=new_id(), user_id=user_id, node_id=node_id, created_at=now)
            row.first_entered_at = row.first_entered_at or now
            row.last_entered_at = row.updated_at = now
            row.entered_count += 1
            write.session.add(row)
            return rows.progress_row(row), found is None

        return await self._database.write(body)

    async def overrule(self, progress_id: str, said: Overruling, *, user_id: str) -> ProgressRow:
        """Keep what a person says, until the next graded answer about the node; what is above it follows at once.

        Raises NotFound.
        """

        def body(write: Write) -> ProgressRow:
            node = locked_node(write.connection, _owned(write.session, progress_id, user_id).node_id, user_id)
            concept = node
            if node.type == "subconcept" and node.parent_id is not None:
                concept = locked_node(write.connection, node.parent_id, user_id)
            row, now = _owned(write.session, progress_id, user_id), utc_now()
            if said.mastery is not None:
                row.mastery_score, row.overridden_at = said.mastery, now
                row.completed_at = (row.completed_at or now) if said.mastery >= MASTERED else None
            if said.completed_at is not None:
                row.completed_at, row.overridden_at = said.completed_at, now
            if said.has_generated_subnodes is not None:
                row.has_generated_subnodes = said.has_generated_subnodes
            row.updated_at = now
            write.session.add(row)
            write.session.flush()
            update_progress(write, concept, user_id, now)
            return rows.progress_row(row)

        return await self._database.write(body)


def _owned(session: Session, progress_id: str, user_id: str) -> tables.Progress:
    wanted = select(tables.Progress).where(tables.Progress.id == progress_id, tables.Progress.user_id == user_id)
    found = session.exec(wanted.execution_options(populate_existing=True)).first()
    if found is None:
        raise NotFound("progress", progress_id)
    return found
