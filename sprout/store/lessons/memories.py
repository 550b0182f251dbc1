"""Memories: notes about a learner that last from one lesson to the next."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from sprout.clock import utc_now
from sprout.errors import BadInput, NoChangeNeeded, NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.lessons.memories import MAX_MEMORIES, MAX_MEMORY, MAX_RECALLED, MemoryRow
from sprout.learning.text.normalization import folded, one_line
from sprout.learning.text.stems import stems
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.runs.event_log import EventLog, Publish
from sprout.store.runs.tool_effects import record_effect
from sprout.store.schema import tables


class SqlMemories:
    """Memories on SQL."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def memories(self, user_id: str) -> list[MemoryRow]:
        return await self._database.read_orm_tx(lambda session: [_row(one) for one in _all(session, user_id)])

    async def search(self, query: str, *, user_id: str) -> list[MemoryRow]:
        entries = await self.memories(user_id)
        wanted = stems([query])
        newest_first = entries[::-1]
        scored = sorted(newest_first, key=lambda one: -len(wanted & stems([one.text])))
        fitting = [one for one in scored if wanted & stems([one.text])]
        return (fitting or newest_first)[:MAX_RECALLED]

    async def remember(self, text: str, *, actor: Actor) -> MemoryRow:
        cleaned = _checked_text(text)

        def body(tx: WriteTransaction) -> MemoryRow:
            known = _all(tx.session, actor.user_id)
            found = next((one for one in known if folded(one.text) == folded(cleaned)), None)
            if found is None and len(known) >= MAX_MEMORIES:
                raise NoChangeNeeded(f"There are {MAX_MEMORIES} entries already: nothing more is kept.")
            if found is None:
                found = tables.Memory(id=new_id(), user_id=actor.user_id, text=cleaned, source=f"run:{actor.run_id}")
                tx.session.add(found)
                tx.session.flush()
            record_effect(tx, self._log, actor, [], result={"kept": cleaned})
            return _row(found)

        return await self._database.write_tx(body, order=actor.root_run_id)

    async def change_memory(self, memory_id: str, text: str, *, user_id: str) -> MemoryRow:
        cleaned = _checked_text(text)

        def body(tx: WriteTransaction) -> MemoryRow:
            found = _owned(tx.session, memory_id, user_id)
            found.text, found.source, found.updated_at = cleaned, "learner", utc_now()
            tx.session.add(found)
            return _row(found)

        return await self._database.write_tx(body)

    async def forget(self, memory_id: str, *, user_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            tx.session.delete(_owned(tx.session, memory_id, user_id))

        await self._database.write_tx(body)


def _checked_text(text: str) -> str:
    cleaned = one_line(text)
    if not cleaned:
        raise BadInput("text: is required and must not be empty", field="text", code="memory_empty")
    if len(cleaned) > MAX_MEMORY:
        raise BadInput(
            "text: has {length} characters, and at most {most} are kept.",
            field="text",
            code="memory_too_long",
            length=len(cleaned),
            most=MAX_MEMORY,
        )
    return cleaned


def _all(session: Session, user_id: str) -> Sequence[tables.Memory]:
    wanted = select(tables.Memory).where(tables.Memory.user_id == user_id)
    return session.exec(wanted.order_by(col(tables.Memory.creation))).all()


def _owned(session: Session, memory_id: str, user_id: str) -> tables.Memory:
    wanted = select(tables.Memory).where(tables.Memory.id == memory_id, tables.Memory.user_id == user_id)
    found = session.exec(wanted.with_for_update()).first()
    if found is None:
        raise NotFound("memory", memory_id)
    return found


def _row(memory: tables.Memory) -> MemoryRow:
    return MemoryRow(
        id=memory.id,
        user_id=memory.user_id,
        text=memory.text,
        source=memory.source,
        created_at=wire_time(memory.created_at),
        updated_at=wire_time(memory.updated_at),
    )
