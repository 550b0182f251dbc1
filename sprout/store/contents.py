"""What is taught at a node, and who made what is under it, in the database."""

import json
from dataclasses import asdict

from sqlmodel import Session, col, select, update

from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.learning.paths.contents import ContentRow, GenerationRow, NewContent, NewGeneration
from sprout.store import rows, tables
from sprout.store.database import Database
from sprout.store.owned import owned_node
from sprout.store.write import Write


class SqlContents:
    """Contents on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def contents(self, node_id: str, *, user_id: str) -> list[ContentRow]:
        """All of a node, oldest first. Raises NotFound."""
        wanted = (
            select(tables.NodeContent)
            .where(tables.NodeContent.node_id == node_id)
            .order_by(col(tables.NodeContent.creation))
        )

        def look(session: Session) -> list[ContentRow]:
            owned_node(session, node_id, user_id)
            return [rows.content_row(one) for one in session.exec(wanted)]

        return await self._database.read(look)

    async def active_content(self, node_id: str, *, user_id: str) -> ContentRow | None:
        """Raises NotFound."""
        wanted = select(tables.NodeContent).where(
            tables.NodeContent.node_id == node_id, tables.NodeContent.status == "active"
        )

        def look(session: Session) -> ContentRow | None:
            owned_node(session, node_id, user_id)
            found = session.exec(wanted).first()
            return None if found is None else rows.content_row(found)

        return await self._database.read(look)

    async def add_content(self, node_id: str, new: NewContent, *, user_id: str) -> ContentRow:
        """The new content; one that is active archives the one that was. Raises NotFound."""
        content = tables.NodeContent(id=new_id(), node_id=node_id, created_at=utc_now(), **asdict(new))
        archived = (
            update(tables.NodeContent)
            .where(col(tables.NodeContent.node_id) == node_id, col(tables.NodeContent.status) == "active")
            .values(status="archived")
        )

        def body(write: Write) -> ContentRow:
            owned_node(write.session, node_id, user_id, lock=True)
            if new.status == "active":
                write.connection.execute(archived)
            write.session.add(content)
            return rows.content_row(content)

        return await self._database.write(body)

    async def generations(self, node_id: str, *, user_id: str) -> list[GenerationRow]:
        """All of a node, oldest first. Raises NotFound."""
        wanted = (
            select(tables.NodeGeneration)
            .where(tables.NodeGeneration.node_id == node_id)
            .order_by(col(tables.NodeGeneration.creation))
        )

        def look(session: Session) -> list[GenerationRow]:
            owned_node(session, node_id, user_id)
            return [rows.generation_row(one) for one in session.exec(wanted)]

        return await self._database.read(look)

    async def add_generation(self, node_id: str, new: NewGeneration, *, user_id: str) -> GenerationRow:
        """Raises NotFound."""
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

        def body(write: Write) -> GenerationRow:
            owned_node(write.session, node_id, user_id, lock=True)
            write.session.add(generation)
            return rows.generation_row(generation)

        return await self._database.write(body)
