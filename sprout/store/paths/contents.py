"""Contents of nodes, and the record of which run generated their children."""

import json
from dataclasses import asdict

from sqlmodel import Session, col, select, update

from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.learning.paths.contents import ContentRow, GenerationRow, NewContent, NewGeneration
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.ownership import owned_node
from sprout.store.schema import mapping, tables


class SqlContents:
    """Contents on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def contents(self, node_id: str, *, user_id: str) -> list[ContentRow]:
        wanted = (
            select(tables.NodeContent)
            .where(tables.NodeContent.node_id == node_id)
            .order_by(col(tables.NodeContent.creation))
        )

        def body(session: Session) -> list[ContentRow]:
            owned_node(session, node_id, user_id)
            return [mapping.content_row(one) for one in session.exec(wanted)]

        return await self._database.read_orm_tx(body)

    async def active_content(self, node_id: str, *, user_id: str) -> ContentRow | None:
        wanted = select(tables.NodeContent).where(
            tables.NodeContent.node_id == node_id, tables.NodeContent.status == "active"
        )

        def body(session: Session) -> ContentRow | None:
            owned_node(session, node_id, user_id)
            found = session.exec(wanted).first()
            return None if found is None else mapping.content_row(found)

        return await self._database.read_orm_tx(body)

    async def add_content(self, node_id: str, new: NewContent, *, user_id: str) -> ContentRow:
        content = tables.NodeContent(id=new_id(), node_id=node_id, created_at=utc_now(), **asdict(new))
        archived = (
            update(tables.NodeContent)
            .where(col(tables.NodeContent.node_id) == node_id, col(tables.NodeContent.status) == "active")
            .values(status="archived")
        )

        def body(tx: WriteTransaction) -> ContentRow:
            owned_node(tx.session, node_id, user_id, lock=True)
            if new.status == "active":
                tx.connection.execute(archived)
            tx.session.add(content)
            return mapping.content_row(content)

        return await self._database.write_tx(body)

    async def generations(self, node_id: str, *, user_id: str) -> list[GenerationRow]:
        wanted = (
            select(tables.NodeGeneration)
            .where(tables.NodeGeneration.node_id == node_id)
            .order_by(col(tables.NodeGeneration.creation))
        )

        def body(session: Session) -> list[GenerationRow]:
            owned_node(session, node_id, user_id)
            return [mapping.generation_row(one) for one in session.exec(wanted)]

        return await self._database.read_orm_tx(body)

    async def add_generation(self, node_id: str, new: NewGeneration, *, user_id: str) -> GenerationRow:
        meta = None if new.response_meta is None else json.dumps(new.response_meta, ensure_ascii=False)
        generation = tables.NodeGeneration(
            id=new_id(),
            node_id=node_id,
            trigger=new.trigger,
            model=new.model,
            prompt=new.prompt,
            response_meta=meta,
            created_at=utc_now(),
        )

        def body(tx: WriteTransaction) -> GenerationRow:
            owned_node(tx.session, node_id, user_id, lock=True)
            tx.session.add(generation)
            return mapping.generation_row(generation)

        return await self._database.write_tx(body)
