"""Progress: nodes that a learner has entered, and a person's overrides."""

from sqlmodel import Session, select

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.ids import new_id
from sprout.learning.mastery.mastery import LEARNED_FROM
from sprout.learning.paths.progress import ProgressOverride
from sprout.learning.paths.repository import ProgressRow
from sprout.store.assessment.mastery import update_progress
from sprout.store.assessment.review_cards import sync_cards
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.schema import mapping, tables


class SqlProgressRepository:
    """ProgressRepository on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def enter_node(self, node_id: str, *, user_id: str) -> tuple[ProgressRow, bool]:
        def body(tx: WriteTransaction) -> tuple[ProgressRow, bool]:
            lock_node(tx.connection, node_id, user_id)
            now = utc_now()
            wanted = select(tables.Progress).where(
                tables.Progress.node_id == node_id, tables.Progress.user_id == user_id
            )
            found = tx.session.exec(wanted).first()
            row = found or tables.Progress(id=new_id(), user_id=user_id, node_id=node_id, created_at=now)
            row.first_entered_at = row.first_entered_at or now
            row.last_entered_at = row.updated_at = now
            row.entered_count += 1
            tx.session.add(row)
            return mapping.progress_row(row), found is None

        return await self._database.write_tx(body)

    async def override(self, progress_id: str, values: ProgressOverride, *, user_id: str) -> ProgressRow:
        def body(tx: WriteTransaction) -> ProgressRow:
            node = lock_node(tx.connection, _owned(tx.session, progress_id, user_id).node_id, user_id)
            concept = node
            if node.type == "subconcept" and node.parent_id is not None:
                concept = lock_node(tx.connection, node.parent_id, user_id)
            row, now = _owned(tx.session, progress_id, user_id), utc_now()
            learned_before = row.completed_at
            if values.mastery is not None:
                row.mastery_score, row.overridden_at = values.mastery, now
                row.completed_at = (row.completed_at or now) if values.mastery >= LEARNED_FROM else None
            if values.completed_at is not None:
                row.completed_at, row.overridden_at = values.completed_at, now
            if values.has_generated_subnodes is not None:
                row.has_generated_subnodes = values.has_generated_subnodes
            row.updated_at = now
            tx.session.add(row)
            tx.session.flush()
            update_progress(tx, concept, user_id, now)
            if node.type == "subconcept" and row.completed_at != learned_before:
                sync_cards(tx, {node.id: row.completed_at}, user_id)
            return mapping.progress_row(row)

        return await self._database.write_tx(body)


def _owned(session: Session, progress_id: str, user_id: str) -> tables.Progress:
    wanted = select(tables.Progress).where(tables.Progress.id == progress_id, tables.Progress.user_id == user_id)
    found = session.exec(wanted.execution_options(populate_existing=True)).first()
    if found is None:
        raise NotFound("progress", progress_id)
    return found
