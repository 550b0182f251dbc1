"""What people keep, in the database, every call for one owner; changes of a graph go the domain's way."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal

from sqlalchemy import func
from sqlalchemy.orm import defer
from sqlmodel import Session, col, delete, select
from sqlmodel.sql.expression import Select

from sprout.errors import BadInput, NotFound
from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.graph.changes import Change
from sprout.learning.paths.library import (
    BranchGraph,
    BranchRow,
    BranchSummary,
    DocumentRow,
    EdgeRow,
    NewDocument,
    ProgressRow,
    Undone,
)
from sprout.store import changes, node_changes, rows, run_tables, tables
from sprout.store.begun import refuse_while_going
from sprout.store.children import their_node
from sprout.store.columns import storable
from sprout.store.database import Database
from sprout.store.graph_reading import graph_of
from sprout.store.log import EventLog, Publish
from sprout.store.owned import owned_branch, owned_document, owned_node, their_document
from sprout.store.quotas import refuse_over
from sprout.store.readable import each_readable
from sprout.store.storage import Storage
from sprout.store.summaries import summaries_of
from sprout.store.write import Write

UPLOAD_AT_MOST_S = 3_600.0
NodeType = Literal["root", "concept", "subconcept"]


class SqlLibrary:
    """Library on SQL; the bytes of documents are in `files`.

    Args:
        to_read: called once there is a document that waits to be read.
    """

    def __init__(
        self, database: Database, publish: Publish, *, files: Storage, to_read: Callable[[], None] = lambda: None
    ) -> None:
        self._database = database
        self._log = EventLog(publish)
        self.files = files
        self._to_read = to_read

    async def has_user(self, user_id: str) -> bool:
        """Whether there is such a user."""
        wanted = select(tables.User.id).where(tables.User.id == user_id)
        return await self._database.read(lambda session: session.exec(wanted).first() is not None)

    async def ensure_user(self, user_id: str) -> None:
        """Make the user where there is none."""

        def body(write: Write) -> None:
            write.lock(f"user:{user_id}")
            if write.session.exec(select(tables.User.id).where(tables.User.id == user_id)).first() is None:
                write.session.add(tables.User(id=user_id))

        await self._database.write(body)

    async def sweep_files(self) -> None:
        """At start: remove files of documents that are not there (any more); of another process's, old ones only."""
        async with self._database.reading() as session:
            known = (await session.exec(select(tables.Document.storage_name))).all()
        alone = self._database.writer.engine.dialect.name == "sqlite"
        await self.files.remove_all_but(known, older_than_s=0.0 if alone else UPLOAD_AT_MOST_S)

    async def branches(self, user_id: str) -> list[BranchRow]:
        """In order of creation."""
        wanted = select(tables.Branch).where(tables.Branch.user_id == user_id).order_by(col(tables.Branch.creation))
        async with self._database.reading() as session:
            return [rows.branch_row(branch) for branch in await session.exec(wanted)]

    async def summaries(self, user_id: str) -> list[BranchSummary]:
        """All branches with their concepts, newest activity first, in a fixed number of queries."""
        async with self._database.reading() as session:
            return await summaries_of(session, user_id)

    async def branch(self, branch_id: str, *, user_id: str) -> BranchRow:
        """Raises NotFound."""
        return await self._database.read(lambda session: rows.branch_row(owned_branch(session, branch_id, user_id)))

    async def create_branch(self, title: str, *, user_id: str) -> BranchRow:
        """Raises BadInput (an empty or over-long title), Conflict (no such user), TooLarge (there is no room)."""
        now = self._log.now()
        branch = tables.Branch(
            id=new_id(), title=node_changes.fit_title(title), user_id=user_id, created_at=now, updated_at=now
        )

        def body(write: Write) -> None:
            refuse_over(write, "paths", user_id)
            write.session.add(branch)

        await self._database.write(body)
        return rows.branch_row(branch)

    async def rename_branch(self, branch_id: str, title: str | None, *, user_id: str) -> BranchRow:
        """The branch with its new title, if one is given; `updated_at` moves in any case. Raises NotFound, BadInput."""

        def body(write: Write) -> BranchRow:
            branch = owned_branch(write.session, branch_id, user_id, lock=True)
            branch.title = branch.title if title is None else node_changes.fit_title(title)
            branch.updated_at = self._log.now()
            return rows.branch_row(branch)

        return await self._database.write(body)

    async def delete_branch(self, branch_id: str, *, user_id: str) -> None:
        """Everything of the branch goes, its runs and documents too.

        Raises NotFound, Conflict (a run of it is going).
        """

        def body(write: Write) -> list[str]:
            branch = owned_branch(write.session, branch_id, user_id, lock=True)
            refuse_while_going(write, col(run_tables.Run.branch_id) == branch_id)
            names = node_changes.storage_names(write.session, col(tables.Node.branch_id) == branch_id)
            write.connection.execute(delete(tables.Branch).where(col(tables.Branch.id) == branch.id))
            return names

        await self.files.remove(await self._database.write(body))

    async def graph(self, branch_id: str, *, user_id: str) -> BranchGraph:
        """Everything that a branch's page draws, in order of creation. Raises NotFound."""

        def look(session: Session) -> BranchGraph:
            branch = rows.branch_row(owned_branch(session, branch_id, user_id))
            nodes, edges, progress = graph_of(session.connection(), branch_id, user_id)
            documents = [rows.document_row(*found) for found in session.exec(_documents_in(branch_id))]
            return BranchGraph(branch=branch, nodes=nodes, edges=edges, progress=progress, documents=documents)

        return await self._database.read(look)

    async def nodes(
        self,
        *,
        user_id: str,
        type: NodeType | None = None,
        branch_id: str | None = None,
        parent_id: str | None = None,
    ) -> list[NodeRow]:
        """The user's nodes of which all that is given holds, in order of creation."""
        wanted = select(tables.Node).where(tables.Node.user_id == user_id).order_by(col(tables.Node.creation))
        filters = ((tables.Node.type, type), (tables.Node.branch_id, branch_id), (tables.Node.parent_id, parent_id))
        for column, value in filters:
            if value is not None:
                wanted = wanted.where(col(column) == value)
        async with self._database.reading() as session:
            return [rows.node_row(node) for node in await session.exec(wanted)]

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        """Raises NotFound."""
        return await self._database.look(lambda connection: their_node(connection, node_id, user_id))

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
        """A topic of a branch, or a child of a node.

        Raises NotFound (branch or parent), Conflict (a second root, a title taken), BadInput (a type that does not fit
        under that parent, another branch than the parent's, a title or description that is empty or too long).
        """

        def body(write: Write) -> NodeRow:
            if branch_id is not None:
                owned_branch(write.session, branch_id, user_id)
            if parent_id is not None:
                parent = owned_node(write.session, parent_id, user_id, lock=True)
                node = node_changes.create_child(
                    write, self._log, parent, type=type, title=title, branch_id=branch_id, desc=desc
                )
            elif type == "root":
                node = node_changes.create_root(
                    write, self._log, user_id=user_id, title=title, branch_id=branch_id, desc=desc
                )
            else:
                raise BadInput(f"A {type} needs a parent.", field="parentId")
            return rows.node_row(node)

        return await self._database.write(body)

    async def update_node(
        self, node_id: str, *, user_id: str, title: str | None, desc: str | None, accuracy_score: float | None
    ) -> NodeRow:
        """The node with what is given changed; `updated_at` moves in any case.

        Raises NotFound, BadInput (a title or score that cannot be), GraphRefused (a title that a sibling has).
        """
        if accuracy_score is not None and not 0 <= accuracy_score <= 1:
            raise BadInput(f"accuracyScore is {accuracy_score}: it is between 0 and 1.", field="accuracyScore")

        def body(write: Write) -> NodeRow:
            node = owned_node(write.session, node_id, user_id)
            node = node_changes.update(write, self._log, node, title=title, desc=desc, accuracy=accuracy_score)
            return rows.node_row(node)

        return await self._database.write(body)

    async def delete_node(self, node_id: str, *, user_id: str) -> None:
        """Missing is fine. Raises Conflict: it has children, or a run of it is going."""

        def body(write: Write) -> list[str]:
            node = owned_node(write.session, node_id, user_id)
            names = node_changes.storage_names(write.session, col(tables.Node.id) == node_id)
            node_changes.remove(write, self._log, node)
            return names

        with suppress(NotFound):
            await self.files.remove(await self._database.write(body))

    async def changes(
        self, branch_id: str, *, user_id: str, before: str | None = None, limit: int = 50
    ) -> list[Change]:
        """Every change of the branch, newest first; with `before`, those older than that one. Raises NotFound."""
        await self.branch(branch_id, user_id=user_id)
        wanted = changes.of_branch(branch_id, user_id, before=before, limit=limit)
        return await each_readable(self._database, wanted, changes.PLACE, changes.change_from)

    async def undo(self, change_id: str, *, user_id: str) -> Undone:
        """Take a change back, by a change of its own; one that is taken back already stays so.

        Raises NotFound, UndoRefused, GraphRefused (a node with parts would go), Conflict (a run is going there).
        """
        return await self._database.write(lambda write: changes.undo(write, self._log, change_id, user_id))

    async def dependency_edges(
        self, parent_id: str, *, user_id: str, child_type: Literal["concept", "subconcept"] | None
    ) -> list[EdgeRow]:
        """The edges among the children of the user's node, in order of creation; none for a node that is not there."""
        source = tables.Node
        wanted = (
            select(tables.Edge)
            .join(source, col(source.id) == col(tables.Edge.source_node_id))
            .where(tables.Edge.parent_id == parent_id, source.user_id == user_id)
            .order_by(col(tables.Edge.creation))
        )
        if child_type is not None:
            wanted = wanted.where(source.type == child_type)
        async with self._database.reading() as session:
            return [rows.edge_row(edge) for edge in await session.exec(wanted)]

    async def progress(self, user_id: str, *, node_id: str | None = None) -> list[ProgressRow]:
        """In order of creation."""
        wanted = (
            select(tables.Progress).where(tables.Progress.user_id == user_id).order_by(col(tables.Progress.creation))
        )
        if node_id is not None:
            wanted = wanted.where(tables.Progress.node_id == node_id)
        async with self._database.reading() as session:
            return [rows.progress_row(progress) for progress in await session.exec(wanted)]

    async def add_documents(self, node_id: str, documents: Sequence[NewDocument], *, user_id: str) -> list[DocumentRow]:
        """All or none; each waits to be read. Raises NotFound, StorageAway, TooLarge (there is no room for so much)."""
        names = await self.files.keep([document.content for document in documents])
        unused = list(names)

        def body(write: Write) -> list[DocumentRow]:
            owned_node(write.session, node_id, user_id, lock=True)
            refuse_over(write, "documents_per_topic", node_id, adding=len(documents))
            refuse_over(write, "stored_bytes", user_id, adding=sum(len(document.content) for document in documents))
            added = [_document(node_id, document, name) for document, name in zip(documents, names, strict=True)]
            for document in added:
                write.session.add(document)
                write.session.flush()  # one by one: their order is the order of upload
            write.after_commit(unused.clear)
            write.after_commit(self._to_read)
            return [rows.document_row(document) for document in added]

        try:
            return await self._database.write(body)
        finally:
            await self.files.remove(unused)

    async def documents(self, node_id: str, *, user_id: str) -> list[DocumentRow]:
        """In order of upload. Raises NotFound."""
        wanted = _with_passages().where(tables.Document.node_id == node_id)

        def look(session: Session) -> list[DocumentRow]:
            owned_node(session, node_id, user_id)
            return [rows.document_row(*found) for found in session.exec(wanted)]

        return await self._database.read(look)

    async def original(self, document_id: str, *, user_id: str) -> tuple[DocumentRow, bytes]:
        """A document with its bytes, as they were uploaded. Raises NotFound, Unreadable (gone), StorageAway."""
        document = await self._database.read(lambda session: their_document(session, document_id, user_id))
        return rows.document_row(document), await self.files.read(document.storage_name)

    async def retry_document(self, node_id: str, document_id: str, *, user_id: str) -> tuple[DocumentRow, bool]:
        """The document, and whether it waits to be read again since now. Raises NotFound."""

        def body(write: Write) -> tuple[DocumentRow, bool]:
            document = owned_document(write.session, document_id, node_id, user_id, lock=True)
            again = document.extraction_status == "failed"
            if again:
                document.extraction_status, document.extraction_error = "pending", None
                document.attempts, document.retry_may_help = 0, False
                write.after_commit(self._to_read)
            return rows.document_row(document), again

        return await self._database.write(body)

    async def delete_document(self, node_id: str, document_id: str, *, user_id: str) -> None:
        """Raises NotFound."""

        def body(write: Write) -> str:
            document = owned_document(write.session, document_id, node_id, user_id)
            write.session.delete(document)
            return document.storage_name

        await self.files.remove([await self._database.write(body)])


def _with_passages() -> Select[tables.Document, Any]:
    """Documents without their text, in the order of upload, each with how many passages it has."""
    of_document = tables.Passage.document_id == tables.Document.id
    passages = select(func.count()).select_from(tables.Passage).where(of_document).scalar_subquery()
    text = defer(tables.Document.extracted_text, raiseload=True)  # type: ignore[arg-type]
    return select(tables.Document, passages).options(text).order_by(col(tables.Document.creation))


def _documents_in(branch_id: str) -> Select[tables.Document, Any]:
    node = tables.Node
    joined = _with_passages().join(node, col(node.id) == col(tables.Document.node_id))
    return joined.where(node.branch_id == branch_id)


def _document(node_id: str, document: NewDocument, storage_name: str) -> tables.Document:
    return tables.Document(
        id=new_id(),
        node_id=node_id,
        original_filename=storable(document.filename),
        storage_name=storage_name,
        mime_type=document.mime_type,
        file_size_bytes=len(document.content),
    )
