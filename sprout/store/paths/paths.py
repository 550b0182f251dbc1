"""Paths of learners: branches, nodes and documents, each call for one owner."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Literal

from sqlalchemy import bindparam, func
from sqlalchemy.orm import defer
from sqlmodel import Session, col, delete, select

from sprout.errors import BadInput, NotFound
from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.graph.changes import Change
from sprout.learning.paths.repository import (
    BranchGraph,
    BranchRow,
    BranchSummary,
    DocumentRow,
    EdgeRow,
    NewDocument,
    PathGraph,
    Place,
    ProgressRow,
    UndoResult,
)
from sprout.store.assessment.bare_diagnostics import bare_concepts
from sprout.store.documents.storage import Storage
from sprout.store.engine.database import Database
from sprout.store.engine.quotas import enforce_quota
from sprout.store.engine.tolerant_reads import fetch_readable
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.branch_graph import branch_graph_rows, path_graphs
from sprout.store.graph.branch_summaries import summaries_of
from sprout.store.graph.nodes import fetch_owned_node
from sprout.store.graph.ownership import owned_branch, owned_document, owned_document_by_id, owned_node
from sprout.store.paths import history, node_edits
from sprout.store.paths.places import keep_places, places_of
from sprout.store.paths.removal_guards import refuse_while_running
from sprout.store.runs.event_log import EventLog, Publish
from sprout.store.schema import mapping, run_tables, tables
from sprout.store.schema.columns import storable_text

MAX_UPLOAD_S = 3_600.0
NodeType = Literal["root", "concept", "subconcept"]

_PASSAGES = (
    select(func.count())
    .select_from(tables.Passage)
    .where(tables.Passage.document_id == tables.Document.id)
    .scalar_subquery()
)
_DOCUMENTS = (  # without their text, in the order of upload
    select(tables.Document, _PASSAGES)
    .options(defer(tables.Document.extracted_text, raiseload=True))  # type: ignore[arg-type]
    .order_by(col(tables.Document.creation))
)
_OF_NODE = _DOCUMENTS.where(tables.Document.node_id == bindparam("node"))
_OF_BRANCH = _DOCUMENTS.join(tables.Node, col(tables.Node.id) == col(tables.Document.node_id)).where(
    tables.Node.branch_id == bindparam("branch")
)


class SqlPaths:
    """PathRepository on SQL; the bytes of documents are in `storage`.

    Args:
        on_document_added: called in the transaction after which a document waits for extraction.
    """

    def __init__(
        self,
        database: Database,
        publish: Publish,
        *,
        storage: Storage,
        on_document_added: Callable[[WriteTransaction], None] = lambda _: None,
    ) -> None:
        self._database = database
        self._log = EventLog(publish)
        self.storage = storage
        self._on_document_added = on_document_added

    async def ensure_user(self, user_id: str) -> None:
        """Insert the user if missing."""

        def body(tx: WriteTransaction) -> None:
            tx.lock(f"user:{user_id}")
            if tx.session.exec(select(tables.User.id).where(tables.User.id == user_id)).first() is None:
                tx.session.add(tables.User(id=user_id))

        await self._database.write_tx(body)

    async def delete_orphaned_files(self) -> None:
        """At start: delete files without a document; of files that another process may have made, only old ones."""
        async with self._database.open_read_session() as session:
            known = (await session.exec(select(tables.Document.storage_name))).all()
        alone = self._database.writer.engine.dialect.name == "sqlite"
        await self.storage.remove_all_but(known, older_than_s=0.0 if alone else MAX_UPLOAD_S)

    async def branches(self, user_id: str) -> list[BranchRow]:
        wanted = select(tables.Branch).where(tables.Branch.user_id == user_id).order_by(col(tables.Branch.creation))
        async with self._database.open_read_session() as session:
            return [mapping.branch_row(branch) for branch in await session.exec(wanted)]

    async def summaries(self, user_id: str) -> list[BranchSummary]:
        async with self._database.open_read_session() as session:
            return await summaries_of(session, user_id)

    async def branch(self, branch_id: str, *, user_id: str) -> BranchRow:
        return await self._database.read_orm_tx(
            lambda session: mapping.branch_row(owned_branch(session, branch_id, user_id))
        )

    async def create_branch(self, title: str, *, user_id: str) -> BranchRow:
        now = self._log.now()
        branch = tables.Branch(
            id=new_id(), title=node_edits.clean_title(title), user_id=user_id, created_at=now, updated_at=now
        )

        def body(tx: WriteTransaction) -> None:
            enforce_quota(tx, "paths", user_id)
            tx.session.add(branch)

        await self._database.write_tx(body)
        return mapping.branch_row(branch)

    async def rename_branch(self, branch_id: str, title: str | None, *, user_id: str) -> BranchRow:
        def body(tx: WriteTransaction) -> BranchRow:
            branch = owned_branch(tx.session, branch_id, user_id, lock=True)
            branch.title = branch.title if title is None else node_edits.clean_title(title)
            branch.updated_at = self._log.now()
            return mapping.branch_row(branch)

        return await self._database.write_tx(body)

    async def delete_branch(self, branch_id: str, *, user_id: str) -> None:
        def body(tx: WriteTransaction) -> list[str]:
            branch = owned_branch(tx.session, branch_id, user_id, lock=True)
            refuse_while_running(tx, col(run_tables.Run.branch_id) == branch_id)
            names = node_edits.storage_names(tx.session, col(tables.Node.branch_id) == branch_id)
            tx.connection.execute(delete(tables.Branch).where(col(tables.Branch.id) == branch.id))
            return names

        await self.storage.remove(await self._database.write_tx(body))

    async def graph(self, branch_id: str, *, user_id: str) -> BranchGraph:
        def body(session: Session) -> BranchGraph:
            branch = owned_branch(session, branch_id, user_id)
            nodes, edges, progress, cited = branch_graph_rows(session.connection(), [branch_id], user_id)
            documents = [
                mapping.document_row(*found) for found in session.exec(_OF_BRANCH, params={"branch": branch_id})
            ]
            return BranchGraph(
                branch=mapping.branch_row(branch),
                nodes=nodes,
                edges=edges,
                progress=progress,
                cited=cited,
                documents=documents,
                places=places_of(branch, {node.id for node in nodes}),
                bare=bare_concepts(session.connection(), branch_id),
            )

        return await self._database.read_orm_tx(body)

    async def graphs(self, branch_ids: Sequence[str], *, user_id: str) -> list[PathGraph]:
        def body(session: Session) -> list[PathGraph]:
            branch = tables.Branch
            owned = select(branch).where(col(branch.id).in_(branch_ids), branch.user_id == user_id)
            found = {one.id: mapping.branch_row(one) for one in session.exec(owned)}
            branches = [found[one] for one in branch_ids if one in found]
            return path_graphs(session.connection(), branches, user_id)

        return await self._database.read_orm_tx(body)

    async def keep_places(self, branch_id: str, places: Mapping[str, Place], *, user_id: str) -> None:
        await self._database.write_tx(lambda tx: keep_places(tx, branch_id, places, user_id))

    async def nodes(
        self,
        *,
        user_id: str,
        type: NodeType | None = None,
        branch_id: str | None = None,
        parent_id: str | None = None,
    ) -> list[NodeRow]:
        wanted = select(tables.Node).where(tables.Node.user_id == user_id).order_by(col(tables.Node.creation))
        filters = ((tables.Node.type, type), (tables.Node.branch_id, branch_id), (tables.Node.parent_id, parent_id))
        for column, value in filters:
            if value is not None:
                wanted = wanted.where(col(column) == value)
        async with self._database.open_read_session() as session:
            return [mapping.node_row(node) for node in await session.exec(wanted)]

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        return await fetch_owned_node(self._database, node_id, user_id)

    async def create_node(
        self,
        *,
        user_id: str,
        type: NodeType,
        title: str,
        branch_id: str | None,
        parent_id: str | None,
        desc: str | None,
    ) -> NodeRow:
        def body(tx: WriteTransaction) -> NodeRow:
            if branch_id is not None:
                owned_branch(tx.session, branch_id, user_id)
            if parent_id is not None:
                parent = owned_node(tx.session, parent_id, user_id, lock=True)
                node = node_edits.create_child(
                    tx, self._log, parent, type=type, title=title, branch_id=branch_id, desc=desc
                )
            elif type == "root":
                node = node_edits.create_root(
                    tx, self._log, user_id=user_id, title=title, branch_id=branch_id, desc=desc
                )
            else:
                raise BadInput(f"A {type} needs a parent.", field="parentId")
            return mapping.node_row(node)

        return await self._database.write_tx(body)

    async def update_node(
        self, node_id: str, *, user_id: str, title: str | None, desc: str | None, accuracy_score: float | None
    ) -> NodeRow:
        if accuracy_score is not None and not 0 <= accuracy_score <= 1:
            raise BadInput(f"accuracyScore is {accuracy_score}: it is between 0 and 1.", field="accuracyScore")

        def body(tx: WriteTransaction) -> NodeRow:
            node = owned_node(tx.session, node_id, user_id)
            node = node_edits.update(tx, self._log, node, title=title, desc=desc, accuracy=accuracy_score)
            return mapping.node_row(node)

        return await self._database.write_tx(body)

    async def delete_node(self, node_id: str, *, user_id: str) -> None:
        def body(tx: WriteTransaction) -> list[str]:
            node = owned_node(tx.session, node_id, user_id)
            names = node_edits.storage_names(tx.session, col(tables.Node.id) == node_id)
            node_edits.remove(tx, self._log, node)
            return names

        with suppress(NotFound):
            await self.storage.remove(await self._database.write_tx(body))

    async def changes(
        self, branch_id: str, *, user_id: str, before: str | None = None, limit: int = 50
    ) -> list[Change]:
        await self.branch(branch_id, user_id=user_id)
        wanted = history.branch_changes(branch_id, user_id, before=before, limit=limit)
        return await fetch_readable(self._database, wanted, history.ORDER, history.change_from)

    async def undo(self, change_id: str, *, user_id: str) -> UndoResult:
        return await self._database.write_tx(lambda tx: history.undo(tx, self._log, change_id, user_id))

    async def dependency_edges(
        self, parent_id: str, *, user_id: str, child_type: Literal["concept", "subconcept"] | None
    ) -> list[EdgeRow]:
        source = tables.Node
        wanted = (
            select(tables.Edge)
            .join(source, col(source.id) == col(tables.Edge.source_node_id))
            .where(tables.Edge.parent_id == parent_id, source.user_id == user_id)
            .order_by(col(tables.Edge.creation))
        )
        if child_type is not None:
            wanted = wanted.where(source.type == child_type)
        async with self._database.open_read_session() as session:
            return [mapping.edge_row(edge) for edge in await session.exec(wanted)]

    async def progress(self, user_id: str, *, node_id: str | None = None) -> list[ProgressRow]:
        wanted = (
            select(tables.Progress).where(tables.Progress.user_id == user_id).order_by(col(tables.Progress.creation))
        )
        if node_id is not None:
            wanted = wanted.where(tables.Progress.node_id == node_id)
        async with self._database.open_read_session() as session:
            return [mapping.progress_row(progress) for progress in await session.exec(wanted)]

    async def add_documents(self, node_id: str, documents: Sequence[NewDocument], *, user_id: str) -> list[DocumentRow]:
        names = await self.storage.save([document.content for document in documents])
        unused = list(names)

        def body(tx: WriteTransaction) -> list[DocumentRow]:
            owned_node(tx.session, node_id, user_id, lock=True)
            enforce_quota(tx, "documents_per_topic", node_id, adding=len(documents))
            enforce_quota(tx, "stored_bytes", user_id, adding=sum(len(document.content) for document in documents))
            added = [_document_row(node_id, document, name) for document, name in zip(documents, names, strict=True)]
            for document in added:
                tx.session.add(document)
                tx.session.flush()  # one by one, in the order of upload
            tx.after_commit(unused.clear)
            self._on_document_added(tx)
            return [mapping.document_row(document) for document in added]

        try:
            return await self._database.write_tx(body)
        finally:
            await self.storage.remove(unused)

    async def documents(self, node_id: str, *, user_id: str) -> list[DocumentRow]:
        def body(session: Session) -> list[DocumentRow]:
            owned_node(session, node_id, user_id)
            return [mapping.document_row(*found) for found in session.exec(_OF_NODE, params={"node": node_id})]

        return await self._database.read_orm_tx(body)

    async def document_content(self, document_id: str, *, user_id: str) -> tuple[DocumentRow, bytes]:
        document = await self._database.read_orm_tx(lambda session: owned_document_by_id(session, document_id, user_id))
        return mapping.document_row(document), await self.storage.read(document.storage_name)

    async def retry_document(self, node_id: str, document_id: str, *, user_id: str) -> tuple[DocumentRow, bool]:
        def body(tx: WriteTransaction) -> tuple[DocumentRow, bool]:
            document = owned_document(tx.session, document_id, node_id, user_id, lock=True)
            again = document.extraction_status == "failed"
            if again:
                document.extraction_status = "pending"
                document.extraction_error, document.extraction_code = None, None
                document.attempts, document.retry_may_help = 0, False
                self._on_document_added(tx)
            return mapping.document_row(document), again

        return await self._database.write_tx(body)

    async def delete_document(self, node_id: str, document_id: str, *, user_id: str) -> None:
        def body(tx: WriteTransaction) -> str:
            document = owned_document(tx.session, document_id, node_id, user_id)
            tx.session.delete(document)
            return document.storage_name

        await self.storage.remove([await self._database.write_tx(body)])


def _document_row(node_id: str, document: NewDocument, storage_name: str) -> tables.Document:
    return tables.Document(
        id=new_id(),
        node_id=node_id,
        original_filename=storable_text(document.filename),
        storage_name=storage_name,
        mime_type=document.mime_type,
        file_size_bytes=len(document.content),
    )
