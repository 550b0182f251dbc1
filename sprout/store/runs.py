"""Runs in the database: their states, lanes, tool calls and checkpoints, with their events in one log per root run."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import aliased
from sqlmodel import col

from sprout.errors import NotFound
from sprout.events import Event, Usage
from sprout.runs.log import CallBegun, CallEnded, Checkpoint, Entry, Logged
from sprout.runs.state import ENDED, NEXT, Run, RunAlreadyEnded, RunError, RunState
from sprout.store import rows, run_tables, tables
from sprout.store.columns import table_of
from sprout.store.database import Database, Write
from sprout.store.log import UNFINISHED, Author, EventLog, Publish

ENDED_WITH_ROOT = "root_ended"
MOST_EVENTS = 2**62

_runs = table_of(run_tables.Run)
_root = aliased(_runs, name="root")
_calls = table_of(run_tables.ToolCall)
_checkpoints = table_of(run_tables.Checkpoint)
_events = table_of(run_tables.RunEvent)
_RUN = select(*_runs.c, _root.c.last_seq.label("log_length")).join(_root, _root.c.id == _runs.c.root_id)
_READ_EVENTS = (
    select(_events.c.seq, _events.c.kind, _events.c.data)
    .where(_events.c.root_id == bindparam("root"), _events.c.seq > bindparam("after"))
    .order_by(_events.c.seq)
    .limit(bindparam("most"))
)
_LAST_POSITION = select(func.coalesce(func.max(_checkpoints.c.position), 0)).where(
    _checkpoints.c.run_id == bindparam("run")
)
_BEGIN_AGAIN = (
    update(_calls)
    .where(
        _calls.c.run_id == bindparam("run"),
        _calls.c.call_id == bindparam("call"),
        _calls.c.completed_at.is_(None),
    )
    .values(started_at=bindparam("now"))
)


class SqlRunStore:
    """RunStore on SQL. A root that ends takes along what has not ended under it, so that nothing follows its end."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(database, publish)

    async def admit(self, run: Run) -> Run:
        """Insert a queued run; where its lane has one that has not ended, return that one instead.

        Raises NotFound (its node is gone, or not its user's), RunAlreadyEnded (a child of a root that has ended).
        """
        async with self._log.writing(run.root_id) as write:
            if run.id != run.root_id:
                await _open_root(write.connection, run.root_id)
            await _owned_node(write, run.node_id, run.user_id)
            await write.lock(f"lane:{run.lane}")
            going = await _first(write.connection, _going_in(run.lane))
            if going is not None:
                return going
            await write.connection.execute(insert(_runs), _columns(run))
            return await _found(write.connection, run.id)

    async def start(self, run: Run, events: Sequence[Event]) -> Run:
        async with self._log.writing(run.root_id) as write:
            await self._log.append(write, _author(run), events)
            await _move(write.connection, run.id, RunState.RUNNING, {"started_at": self._log.now()}, {RunState.QUEUED})
            return await _found(write.connection, run.id)

    async def append(self, run: Run, entries: Sequence[Entry]) -> None:
        async with self._log.writing(run.root_id) as write:
            await self._write(write, run, entries)

    async def settle(
        self, run: Run, state: RunState, *, reason: str, usage: Usage, error: RunError | None, entries: Sequence[Entry]
    ) -> Run:
        async with self._log.writing(run.root_id) as write:
            now = self._log.now()
            await self._write(write, run, entries)
            changes = {
                "reason": reason,
                "error": None if error is None else asdict(error),
                **usage.model_dump(by_alias=False),
            }
            if state in ENDED:
                changes["ended_at"] = now
            await _move(write.connection, run.id, state, changes, {each for each in RunState if state in NEXT[each]})
            if state in ENDED and run.id == run.root_id:
                await _end_children(write.connection, run.id, state, now)
            return await _found(write.connection, run.id)

    async def run(self, run_id: str, *, user_id: str | None = None) -> Run:
        wanted = _RUN.where(_runs.c.id == run_id)
        if user_id is not None:
            wanted = wanted.where(_runs.c.user_id == user_id)
        async with self._database.reading_rows() as connection:
            found = await _first(connection, wanted)
        if found is None:
            raise NotFound("run", run_id)
        return found

    async def runs(
        self, *, user_id: str, branch_id: str | None = None, roots_only: bool = True, limit: int = 50
    ) -> list[Run]:
        wanted = _RUN.where(_runs.c.user_id == user_id).order_by(_runs.c.creation.desc()).limit(limit)
        if branch_id is not None:
            wanted = wanted.where(_runs.c.branch_id == branch_id)
        if roots_only:
            wanted = wanted.where(_runs.c.parent_id.is_(None))
        return await self._all(wanted)

    async def latest(self, user_id: str) -> list[Run]:
        """Of each branch the newest root run and those that have not ended, newest first."""
        roots = (_runs.c.user_id == user_id, _runs.c.parent_id.is_(None))
        newest = select(func.max(_runs.c.creation)).where(*roots).group_by(_runs.c.branch_id)
        wanted = _RUN.where(*roots, or_(_runs.c.creation.in_(newest), _runs.c.state.in_(UNFINISHED)))
        return await self._all(wanted.order_by(_runs.c.creation.desc()))

    async def unfinished(self) -> list[Run]:
        return await self._all(_RUN.where(_runs.c.state.in_(UNFINISHED)).order_by(_runs.c.creation))

    async def request_cancel(self, run_id: str) -> None:
        """Ask the run and everything under it to end; one that has ended stays as it is. Raises NotFound."""
        family = or_(_runs.c.id == run_id, _runs.c.root_id == run_id, _runs.c.parent_id == run_id)
        asked = update(_runs).where(family, _runs.c.state.in_(UNFINISHED)).values(cancel_requested=True)
        async with self._database.writing() as write:
            await _found(write.connection, run_id)
            await write.connection.execute(asked)

    async def events(self, root_id: str, *, after: int = 0, limit: int = 500) -> list[Logged]:
        """The events after a number, in order. Raises nothing for a log that is not there: it has no events."""
        values = {"root": root_id, "after": max(0, min(after, MOST_EVENTS)), "most": limit}
        async with self._database.reading_rows() as connection:
            found = await connection.execute(_READ_EVENTS, values)
            return [Logged(root_id, seq, kind, data) for seq, kind, data in found]

    async def _all(self, wanted: Select[Any]) -> list[Run]:
        async with self._database.reading_rows() as connection:
            return [_run(row) for row in (await connection.execute(wanted)).mappings()]

    async def _write(self, write: Write, run: Run, entries: Sequence[Entry]) -> None:
        """Write entries of each sort in their order, the events first: numbering them locks the log."""
        sorts = (Checkpoint, CallBegun, CallEnded)
        await self._log.append(write, _author(run), [one for one in entries if not isinstance(one, sorts)])
        now = self._log.now()
        await _begin_calls(write.connection, run, [one for one in entries if isinstance(one, CallBegun)], now)
        for one in entries:
            if isinstance(one, CallEnded) and not await self._log.end_call(write, run.id, one):
                raise NotFound("tool call", one.call_id)
        await _keep(write.connection, run, [one for one in entries if isinstance(one, Checkpoint)], now)


def _author(run: Run) -> Author:
    return Author(run.id, run.root_id, run.label)


def _columns(run: Run) -> dict[str, Any]:
    values = {field: getattr(run, field) for field in _COPIED}
    return {
        **values,
        **run.usage.model_dump(by_alias=False),
        **_COLUMN_DEFAULTS,
        "caps": run.caps.model_dump(by_alias=False),
    }


_COPIED = (
    *("id", "root_id", "parent_id", "user_id", "agent", "label", "lane", "node_id", "branch_id", "small", "model"),
    *("offline", "created_at", "state", "reason", "cancel_requested", "started_at", "ended_at", "last_seq"),
)
_COLUMN_DEFAULTS = {"error": None, "epoch": 0}


def _run(row: Any) -> Run:
    return rows.run(row, last_seq=row["log_length"])


async def _first(connection: AsyncConnection, wanted: Select[Any]) -> Run | None:
    row = (await connection.execute(wanted)).mappings().first()
    return None if row is None else _run(row)


async def _found(connection: AsyncConnection, run_id: str) -> Run:
    found = await _first(connection, _RUN.where(_runs.c.id == run_id))
    if found is None:
        raise NotFound("run", run_id)
    return found


def _going_in(lane: str) -> Select[Any]:
    return _RUN.where(_runs.c.lane == lane, _runs.c.state.in_(UNFINISHED)).order_by(_runs.c.creation).limit(1)


async def _owned_node(write: Write, node_id: str, user_id: str) -> None:
    wanted = select(col(tables.Node.id)).where(col(tables.Node.id) == node_id, col(tables.Node.user_id) == user_id)
    if (await write.connection.execute(wanted)).first() is None:
        raise NotFound("node", node_id)


async def _open_root(connection: AsyncConnection, root_id: str) -> None:
    state = await connection.execute(select(_runs.c.state).where(_runs.c.id == root_id).with_for_update())
    found = state.scalar_one_or_none()
    if found is None:
        raise NotFound("run", root_id)
    if found not in UNFINISHED:
        raise RunAlreadyEnded(root_id, RunState(found))


async def _move(
    connection: AsyncConnection, run_id: str, state: RunState, changes: dict[str, Any], allowed: Iterable[RunState]
) -> None:
    """Change the state, if it is one from which this is allowed. Raises RunAlreadyEnded."""
    states = [each.value for each in allowed]
    moved = update(_runs).where(_runs.c.id == run_id, _runs.c.state.in_(states)).values(state=state.value, **changes)
    if (await connection.execute(moved)).rowcount == 0:
        raise RunAlreadyEnded(run_id, (await _found(connection, run_id)).state)


async def _end_children(connection: AsyncConnection, root_id: str, state: RunState, now: datetime) -> None:
    ending = RunState.CANCELLED if state is RunState.COMPLETED else state
    under = (_runs.c.root_id == root_id, _runs.c.id != root_id, _runs.c.state.in_(UNFINISHED))
    await connection.execute(
        update(_runs).where(*under).values(state=ending.value, reason=ENDED_WITH_ROOT, ended_at=now)
    )


async def _begin_calls(connection: AsyncConnection, run: Run, begun: Sequence[CallBegun], now: datetime) -> None:
    """Open the envelopes; one that was begun before and has not ended is begun again, one that has ended stays."""
    if not begun:
        return
    ids = [one.call_id for one in begun]
    wanted = select(_calls.c.call_id).where(_calls.c.run_id == run.id, _calls.c.call_id.in_(ids))
    known = set((await connection.execute(wanted)).scalars())
    fresh = [_envelope(run, one, now) for one in begun if one.call_id not in known]
    if fresh:
        await connection.execute(insert(_calls), fresh)
    if known:
        again = [{"run": run.id, "call": call_id, "now": now} for call_id in sorted(known)]
        await connection.execute(_BEGIN_AGAIN, again)


def _envelope(run: Run, begun: CallBegun, now: datetime) -> dict[str, Any]:
    return {
        "run_id": run.id,
        "call_id": begun.call_id,
        "name": begun.tool,
        "input": begun.input,
        "effect": begun.effect,
        "started_at": now,
        "is_error": False,
        "attempts": 0,
    }


async def _keep(connection: AsyncConnection, run: Run, checkpoints: Sequence[Checkpoint], now: datetime) -> None:
    if not checkpoints:
        return
    last = (await connection.execute(_LAST_POSITION, {"run": run.id})).scalar_one()
    kept = [
        {
            "run_id": run.id,
            "position": position,
            "kind": one.kind,
            "iteration": one.iteration,
            "messages": one.messages,
            "created_at": now,
        }
        for position, one in enumerate(checkpoints, start=last + 1)
    ]
    await connection.execute(insert(_checkpoints), kept)
