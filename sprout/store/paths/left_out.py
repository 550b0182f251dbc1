"""Left-out sections of a topic's documents, and the learner's edit that brings one in."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import bindparam
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from sprout.errors import NotFound
from sprout.events import NodeRow, wire_time
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.left_out import LeftOutSection
from sprout.learning.paths.notes_coverage import DocumentText, NotesCoverage, PassagePlace
from sprout.learning.sources import SLIDES
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import children_of, lock_node
from sprout.store.graph.ownership import owned_branch, owned_document_by_id, owned_node
from sprout.store.paths.edits import edit_children
from sprout.store.runs.event_log import EventLog, Publish
from sprout.store.schema import mapping, tables
from sprout.store.schema.columns import table_of

_passages, _documents_table = table_of(tables.Passage), table_of(tables.Document)
_PLACES = (
    select_columns(
        _passages.c.id, _passages.c.document_id, _passages.c.starts_at, _passages.c.ends_at, _passages.c.page
    )
    .join(_documents_table, _documents_table.c.id == _passages.c.document_id)
    .where(_documents_table.c.node_id == bindparam("root"))
    .order_by(_passages.c.position)
)


class SqlLeftOut:
    """LeftOut on SQL. Outlines are made in a thread, outside of any transaction."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def sections(self, branch_id: str, *, user_id: str) -> Sequence[LeftOutSection]:
        def body(session: Session) -> tuple[list[DocumentText], list[NodeRow]]:
            owned_branch(session, branch_id, user_id)
            root = session.exec(
                select(tables.Node.id).where(tables.Node.branch_id == branch_id, tables.Node.type == "root")
            ).first()
            if root is None:
                return [], []
            return _documents(session, root), children_of(session.connection(), root)

        documents, concepts = await self._database.read_orm_tx(body)
        if not documents or not concepts:
            return []
        return await asyncio.to_thread(lambda: NotesCoverage(documents, concepts).left_out())

    async def topic_of(self, document_id: str, *, user_id: str) -> NodeRow:
        def body(session: Session) -> NodeRow:
            document = owned_document_by_id(session, document_id, user_id)
            return mapping.node_row(owned_node(session, document.node_id, user_id))

        return await self._database.read_orm_tx(body)

    async def bring_in(self, document_id: str, start: int, *, user_id: str) -> tuple[NodeRow, bool]:
        topic = await self.topic_of(document_id, user_id=user_id)
        documents = await self._database.read_orm_tx(lambda session: _documents(session, topic.id))
        await asyncio.to_thread(NotesCoverage, documents, [])  # reads the outlines, which are kept

        def operation(graph: ConceptGraph) -> Edit:
            return NotesCoverage(documents, graph.nodes).bring_in(graph, document_id, start, self._log.now())

        def body(tx: WriteTransaction) -> tuple[NodeRow, bool]:
            parent = lock_node(tx.connection, topic.id, user_id)
            owned_document_by_id(tx.session, document_id, user_id)  # it may have been deleted meanwhile
            edit = edit_children(tx, self._log, parent, operation, actor=Actor(user_id))
            if edit.node is None:
                raise NotFound("section", str(start))
            return edit.node, edit.created

        return await self._database.write_tx(body)


def _documents(session: Session, root_id: str) -> list[DocumentText]:
    """The topic's documents that have been read, with their passages and the concepts that cite them."""
    citing = _concepts_citing(session, root_id)
    places: dict[str, list[PassagePlace]] = defaultdict(list)
    for found in session.connection().execute(_PLACES, {"root": root_id}):
        concepts = tuple(citing[found.id])
        places[found.document_id].append(PassagePlace(found.id, found.starts_at, found.ends_at, found.page, concepts))
    read = (
        select(tables.Document)
        .where(tables.Document.node_id == root_id, col(tables.Document.extracted_text) != "")
        .order_by(col(tables.Document.creation))
    )
    return [
        DocumentText(
            one.id,
            one.original_filename,
            one.extracted_text or "",
            one.mime_type == SLIDES,
            wire_time(one.created_at),
            tuple(places[one.id]),
        )
        for one in session.exec(read)
    ]


def _concepts_citing(session: Session, root_id: str) -> dict[str, list[str]]:
    """Passage → the concepts under the topic that cite it, themselves or by a part, in the order of creation."""
    found: dict[str, list[str]] = defaultdict(list)
    node = tables.Node
    parts = select(node.id).where(node.parent_id == root_id)
    wanted = (
        select(tables.Citation.passage_id, node.id, node.parent_id)
        .join(node, col(node.id) == col(tables.Citation.node_id))
        .where((col(node.parent_id) == root_id) | col(node.parent_id).in_(parts))
        .order_by(col(node.creation))
    )
    for passage_id, node_id, parent_id in session.exec(wanted):
        found[passage_id].append(node_id if parent_id == root_id else str(parent_id))
    return found
