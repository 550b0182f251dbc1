"""What is kept of a learner from one lesson to the next, in the database."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from sprout.clock import utc_now
from sprout.errors import BadInput, NotFound
from sprout.events import wire_time
from sprout.ids import new_id
from sprout.learning.lessons.memories import LONGEST_MEMORY, MOST_MEMORIES, RECALLED, MemoryRow
from sprout.learning.paths.shelf import Actor
from sprout.learning.text.stems import stems
from sprout.learning.text.words import folded, one_line
from sprout.store import tables
from sprout.store.database import Database
from sprout.store.edits import tell
from sprout.store.log import EventLog, Publish
from sprout.store.write import Write


class SqlMemories:
    """Memories on SQL."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def memories(self, user_id: str) -> list[MemoryRow]:
        """All of the learner's, oldest first."""
        return await self._database.read(lambda session: [_row(one) for one in _all(session, user_id)])

    async def recalled(self, query: str, *, user_id: str) -> list[MemoryRow]:
        """Those that share most words with the query, best first; the newest where none does."""
        entries = await self.memories(user_id)
        wanted = stems([query])
        newest_first = entries[::-1]
        scored = sorted(newest_first, key=lambda one: -len(wanted & stems([one.text])))
        fitting = [one for one in scored if wanted & stems([one.text])]
        return (fitting or newest_first)[:RECALLED]

    async def remember(self, text: str, *, actor: Actor) -> MemoryRow:
        """Raises BadInput, and what `tell` raises."""
        kept = _sound(text)

        def body(write: Write) -> MemoryRow:
            known = _all(write.session, actor.user_id)
            found = next((one for one in known if folded(one.text) == folded(kept)), None)
            if found is None and len(known) >= MOST_MEMORIES:
                raise BadInput(f"There are {MOST_MEMORIES} entries already: nothing more is kept.")
            if found is None:
                found = tables.Memory(id=new_id(), user_id=actor.user_id, text=kept, source=f"run:{actor.run_id}")
                write.session.add(found)
                write.session.flush()
            tell(write, self._log, actor, [], result={"kept": kept})
            return _row(found)

        return await self._database.write(body, order=actor.root_run_id)

    async def change_memory(self, memory_id: str, text: str, *, user_id: str) -> MemoryRow:
        """Raises NotFound, BadInput."""
        kept = _sound(text)

        def body(write: Write) -> MemoryRow:
            found = _owned(write.session, memory_id, user_id)
            found.text, found.source, found.updated_at = kept, "learner", utc_now()
            write.session.add(found)
            return _row(found)

        return await self._database.write(body)

    async def forget(self, memory_id: str, *, user_id: str) -> None:
        """Raises NotFound."""

        def body(write: Write) -> None:
            write.session.delete(_owned(write.session, memory_id, user_id))

        await self._database.write(body)


def _sound(text: str) -> str:
    kept = one_line(text)
    if not kept:
        raise BadInput("text: is required and must not be empty", field="text")
    if len(kept) > LONGEST_MEMORY:
        raise BadInput(f"text: has {len(kept)} characters, and at most {LONGEST_MEMORY} are kept.", field="text")
    return kept


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
