"""The event log: the one place where events are numbered, stamped, serialised, stored and, after the commit, told."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sprout.errors import NotFound
from sprout.events import Event, wire_data, wire_time
from sprout.runs.log import CallEnded, Logged
from sprout.runs.state import ENDED, RunAlreadyEnded, RunState
from sprout.store.columns import table_of, utc_now
from sprout.store.database import Database, Write
from sprout.store.run_tables import Run, RunEvent, ToolCall

Publish = Callable[[Logged], None]

UNFINISHED = tuple(sorted(state.value for state in RunState if state not in ENDED))

_runs, _events, _calls = table_of(Run), table_of(RunEvent), table_of(ToolCall)
_GIVE_NUMBERS = (
    update(_runs)
    .where(_runs.c.id == bindparam("root"), _runs.c.state.in_(UNFINISHED))
    .values(last_seq=_runs.c.last_seq + bindparam("count"))
    .returning(_runs.c.last_seq)
)
_STATE = select(_runs.c.state).where(_runs.c.id == bindparam("run"))
_INSERT_EVENTS = insert(_events)
_END_CALL = (
    update(_calls)
    .where(_calls.c.run_id == bindparam("run"), _calls.c.call_id == bindparam("call"))
    .values(
        completed_at=bindparam("now"),
        result=bindparam("told"),
        is_error=bindparam("failed"),
        attempts=bindparam("tries"),
    )
)
_END_CALL_ONCE = _END_CALL.where(_calls.c.completed_at.is_(None))


@dataclass(frozen=True, slots=True)
class Author:
    """The run that events come from, and the root run whose log holds them."""

    run_id: str
    root_id: str
    label: str


class EventLog:
    """Transactions whose events are published after the commit, per root run in the order of their numbers."""

    def __init__(self, database: Database, publish: Publish, *, now: Callable[[], datetime] = utc_now) -> None:
        self.database = database
        self.now = now
        self._publish = publish

    @asynccontextmanager
    async def writing(self, root_id: str | None) -> AsyncIterator[Write]:
        async with self.database.writing(order=root_id) as write:
            yield write

    async def append(self, write: Write, author: Author, events: Sequence[Event]) -> None:
        """Store the events under the root run, whose row is locked until the commit.

        Raises RunAlreadyEnded (the run or its root has), NotFound (one of them is gone).
        """
        connection = write.connection
        last = await self._numbers(connection, author, len(events))
        if not events:
            return
        at = wire_time(self.now())
        logged = [
            Logged(author.root_id, seq, event.kind, wire_data(_stamped(event, author, at)))
            for seq, event in enumerate(events, start=last - len(events) + 1)
        ]
        rows = [
            {"root_id": one.root_id, "seq": one.seq, "run_id": author.run_id, "kind": one.kind, "data": one.data}
            for one in logged
        ]
        await connection.execute(_INSERT_EVENTS, rows)
        write.after_commit(lambda: self._tell(logged))

    async def end_call(self, write: Write, run_id: str, ended: CallEnded, *, only_once: bool = False) -> bool:
        """Write how a tool call ended. Whether there was one to end: with `only_once`, one that had not ended yet."""
        done = await write.connection.execute(
            _END_CALL_ONCE if only_once else _END_CALL,
            {
                "run": run_id,
                "call": ended.call_id,
                "now": self.now(),
                "told": ended.result,
                "failed": ended.is_error,
                "tries": ended.attempts,
            },
        )
        return done.rowcount == 1

    async def _numbers(self, connection: AsyncConnection, author: Author, count: int) -> int:
        """The last of `count` numbers given to a run that has not ended, under a root that has not ended."""
        given = await connection.execute(_GIVE_NUMBERS, {"root": author.root_id, "count": count})
        last: int | None = given.scalar_one_or_none()
        if last is None:
            raise await _refusal(connection, author.root_id)
        if author.run_id != author.root_id:
            state = (await connection.execute(_STATE, {"run": author.run_id})).scalar_one_or_none()
            if state not in UNFINISHED:
                raise await _refusal(connection, author.run_id)
        return last

    def _tell(self, logged: Sequence[Logged]) -> None:
        for one in logged:
            self._publish(one)


def _stamped(event: Event, author: Author, at: str) -> Event:
    if not event.durable:
        raise ValueError(f"{event.kind} is not durable: it is sent, not stored")
    given = {"agent": event.agent or author.label, "run_id": event.run_id or author.run_id, "at": event.at or at}
    return event.model_copy(update=given)


async def _refusal(connection: AsyncConnection, run_id: str) -> RunAlreadyEnded | NotFound:
    state = (await connection.execute(_STATE, {"run": run_id})).scalar_one_or_none()
    return NotFound("run", run_id) if state is None else RunAlreadyEnded(run_id, RunState(state))
