"""Sources: passages, the nodes and messages that cite them, and full-text search over them."""

import operator
from collections import defaultdict
from collections.abc import Sequence

from sqlmodel import Session, col, select

from sprout.errors import NotFound
from sprout.learning.sources import MAX_RESULTS, CoveredPassage, NodeSources, PassageRow
from sprout.store.documents.passages import passage_row
from sprout.store.documents.search import find_passages
from sprout.store.engine.database import Database
from sprout.store.graph.ownership import owned_branch, owned_node
from sprout.store.schema import tables


class SqlSources:
    """Sources on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def search(self, root_id: str, query: str, *, user_id: str, limit: int = MAX_RESULTS) -> Sequence[PassageRow]:
        await self._database.read_orm_tx(lambda session: owned_node(session, root_id, user_id))
        return await find_passages(self._database, root_id, query, limit=limit)

    async def passage(self, passage_id: str, *, user_id: str) -> PassageRow:
        wanted = (
            select(tables.Passage, tables.Document.original_filename, tables.Document.mime_type)
            .join(tables.Document, col(tables.Document.id) == col(tables.Passage.document_id))
            .join(tables.Node, col(tables.Node.id) == col(tables.Document.node_id))
            .where(tables.Passage.id == passage_id, tables.Node.user_id == user_id)
        )
        async with self._database.open_read_session() as session:
            there = (await session.exec(wanted)).first()
        if there is None:
            raise NotFound("passage", passage_id)
        return passage_row(*there)

    async def document(
        self,
        document_id: str,
        *,
        user_id: str,
        after: str | None = None,
        before: str | None = None,
        limit: int | None = None,
    ) -> Sequence[PassageRow]:
        whole = (
            select(tables.Document.original_filename, tables.Document.mime_type)
            .join(tables.Node, col(tables.Node.id) == col(tables.Document.node_id))
            .where(tables.Document.id == document_id, tables.Node.user_id == user_id)
        )
        position, upwards = col(tables.Passage.position), before is not None and after is None
        wanted = select(tables.Passage).where(tables.Passage.document_id == document_id)
        for passage_id, is_beyond in ((after, operator.gt), (before, operator.lt)):
            if passage_id is not None:
                at = select(tables.Passage.position).where(
                    tables.Passage.document_id == document_id, tables.Passage.id == passage_id
                )
                wanted = wanted.where(is_beyond(position, at.scalar_subquery()))
        wanted = wanted.order_by(position.desc() if upwards else position).limit(limit)

        def body(session: Session) -> list[PassageRow]:
            found = session.exec(whole).first()
            if found is None:
                raise NotFound("document", document_id)
            passages = [passage_row(one, *found) for one in session.exec(wanted)]
            return passages[::-1] if upwards else passages

        return await self._database.read_orm_tx(body)

    async def of_node(self, node_id: str, *, user_id: str) -> NodeSources:
        def body(session: Session) -> NodeSources:
            node = owned_node(session, node_id, user_id)
            wanted = (
                select(tables.Passage, tables.Document.original_filename, tables.Document.mime_type)
                .join(tables.Document, col(tables.Document.id) == col(tables.Passage.document_id))
                .join(tables.Citation, col(tables.Citation.passage_id) == col(tables.Passage.id))
                .where(tables.Citation.node_id == node_id)
                .order_by(col(tables.Document.creation), col(tables.Passage.position))
            )
            cited = [passage_row(*one) for one in session.exec(wanted)]
            return NodeSources(passages=cited, general_knowledge=not cited and _has_passages(session, node.branch_id))

        return await self._database.read_orm_tx(body)

    async def coverage(self, branch_id: str, *, user_id: str) -> Sequence[CoveredPassage]:
        def body(session: Session) -> list[CoveredPassage]:
            owned_branch(session, branch_id, user_id)
            of_branch = (
                select(tables.Passage, tables.Document.original_filename)
                .join(tables.Document, col(tables.Document.id) == col(tables.Passage.document_id))
                .join(tables.Node, col(tables.Node.id) == col(tables.Document.node_id))
                .where(tables.Node.branch_id == branch_id)
                .order_by(col(tables.Document.creation), col(tables.Passage.position))
            )
            citing = (
                select(tables.Citation.passage_id, tables.Citation.node_id)
                .join(tables.Node, col(tables.Node.id) == col(tables.Citation.node_id))
                .where(tables.Node.branch_id == branch_id)
                .order_by(col(tables.Node.creation))
            )
            nodes: dict[str, list[str]] = defaultdict(list)
            for passage_id, node_id in session.exec(citing):
                nodes[passage_id].append(node_id)
            return [
                CoveredPassage(
                    id=passage.id,
                    document_id=passage.document_id,
                    document=document,
                    heading=passage.heading,
                    page=passage.page,
                    node_ids=nodes[passage.id],
                )
                for passage, document in session.exec(of_branch)
            ]

        return await self._database.read_orm_tx(body)


def _has_passages(session: Session, branch_id: str | None) -> bool:
    wanted = (
        select(tables.Passage.id)
        .join(tables.Document, col(tables.Document.id) == col(tables.Passage.document_id))
        .join(tables.Node, col(tables.Node.id) == col(tables.Document.node_id))
        .where(tables.Node.branch_id == branch_id)
        .limit(1)
    )
    return session.exec(wanted).first() is not None
