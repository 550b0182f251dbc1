"""Runs in the database: their states, lanes, tool calls and checkpoints, with their events in one log per root run."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, bindparam, func, insert, or_, select, update
from sqlalchemy.orm import aliased
from sqlalchemy.sql.dml import ReturningUpdate

from sprout.errors import NotFound
from sprout.events import Event, Usage
from sprout.runs.log import CallBegun, CallEnded, Checkpoint, Entry, Logged
from sprout.runs.state import ENDED, NEXT, Run, RunAlreadyEnded, RunError, RunState
from sprout.store import rows, run_tables, tables
from sprout.store.boundaries import begin_calls, end_calls, keep_checkpoints
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.log import Author, EventLog, Publish
from sprout.store.run_tables import UNFINISHED
from sprout.store.write import Write

ENDED_WITH_ROOT = "root_ended"
MOST_EVENTS = 2**62

_runs, _nodes, _events = table_of(run_tables.Run), table_of(tables.Node), table_of(run_tables.RunEvent)
_root = aliased(_runs, name="root")
_RUN = select(*_runs.c, _root.c.last_seq.label("log_length")).join(_root, _root.c.id == _runs.c.root_id)
_RUN_OF_ID = _RUN.where(_runs.c.id == bindparam("run"))
_RUN_OF_USER = _RUN_OF_ID.where(_runs.c.user_id == bindparam("user"))
_UNFINISHED = _RUN.where(_runs.c.state.in_(UNFINISHED)).order_by(_runs.c.creation)
_GOING_IN_LANE = _UNFINISHED.where(_runs.c.lane == bindparam("in_lane")).limit(1)
_OPEN_ROOT = select(_runs.c.state, _runs.c.last_seq).where(_runs.c.id == bindparam("run")).with_for_update()
_OWNED_NODE = select(_nodes.c.id).where(_nodes.c.id == bindparam("node"), _nodes.c.user_id == bindparam("user"))
_INSERT_RUN = insert(_runs).returning(*_runs.c)
_MOVE: dict[RunState, ReturningUpdate[Any]] = {
    to: update(_runs)
    .where(
        _runs.c.id == bindparam("run"),
        _runs.c.state.in_([state.value for state in RunState if to in NEXT[state]]),
    )
    .returning(*_runs.c)
    for to in RunState
    if to is not RunState.QUEUED
}
_START = update(_runs).where(_runs.c.id == bindparam("run"), _runs.c.state == RunState.QUEUED.value).returning(*_runs.c)
_END_CHILDREN = (
    update(_runs)
    .where(_runs.c.root_id == bindparam("root"), _runs.c.id != bindparam("root"), _runs.c.state.in_(UNFINISHED))
    .values(reason=ENDED_WITH_ROOT)
)
_ASK_TO_STOP = (
    update(_runs)
    .where(
        or_(*(column == bindparam("run") for column in (_runs.c.id, _runs.c.root_id, _runs.c.parent_id))),
        _runs.c.state.in_(UNFINISHED),
    )
    .values(cancel_requested=True)
)
_READ_EVENTS = (
    select(_events.c.seq, _events.c.kind, _events.c.data)
    .where(_events.c.root_id == bindparam("root"), _events.c.seq > bindparam("after"))
    .order_by(_events.c.seq)
    .limit(bindparam("most"))
)


class SqlRunStore:
    """RunStore on SQL. A root that ends takes along what has not ended under it, so that nothing follows its end."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._log = EventLog(publish)

    async def admit(self, run: Run) -> Run:
        """Insert a queued run; where its lane has one that has not ended, return that one instead.

        Raises NotFound (its node is gone, or not its user's), RunAlreadyEnded (a child of a root that has ended).
        """
        return await self._database.write(lambda write: _admitted(write, run), order=run.root_id)

    async def start(self, run: Run, events: Sequence[Event]) -> Run:
        def body(write: Write) -> Run:
            last_seq = self._log.append(write, _author(run), events)
            changes = {"state": RunState.RUNNING.value, "started_at": self._log.now()}
            return _moved(write.connection, _START, run.id, changes, last_seq)

        return await self._database.write(body, order=run.root_id)

    async def append(self, run: Run, entries: Sequence[Entry]) -> None:
        await self._database.write(lambda write: self._append(write, run, entries), order=run.root_id)

    async def settle(
        self, run: Run, state: RunState, *, reason: str, usage: Usage, error: RunError | None, entries: Sequence[Entry]
    ) -> Run:
        def body(write: Write) -> Run:
            now = self._log.now()
            last_seq = self._append(write, run, entries)
            changes = {
                "state": state.value,
                "reason": reason,
                "error": None if error is None else asdict(error),
                "ended_at": now if state in ENDED else None,
                **usage.model_dump(by_alias=False),
            }
            settled = _moved(write.connection, _MOVE[state], run.id, changes, last_seq)
            if state in ENDED and run.id == run.root_id:
                _end_children(write.connection, run.id, state, now)
            return settled

        return await self._database.write(body, order=run.root_id)

    async def run(self, run_id: str, *, user_id: str | None = None) -> Run:
        wanted = _RUN_OF_ID if user_id is None else _RUN_OF_USER
        async with self._database.reading_rows() as connection:
            found = (await connection.execute(wanted, {"run": run_id, "user": user_id})).mappings().first()
        if found is None:
            raise NotFound("run", run_id)
        return _run(found)

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
        return await self._all(_UNFINISHED)

    async def request_cancel(self, run_id: str) -> None:
        """Ask the run and everything under it to end; one that has ended stays as it is. Raises NotFound."""

        def body(write: Write) -> None:
            if write.connection.execute(_RUN_OF_ID, {"run": run_id}).first() is None:
                raise NotFound("run", run_id)
            write.connection.execute(_ASK_TO_STOP, {"run": run_id})

        await self._database.write(body)

    async def events(self, root_id: str, *, after: int = 0, limit: int = 500) -> list[Logged]:
        """The events after a number, in order. Raises nothing for a log that is not there: it has no events."""
        values = {"root": root_id, "after": max(0, min(after, MOST_EVENTS)), "most": limit}
        async with self._database.reading_rows() as connection:
            found = await connection.execute(_READ_EVENTS, values)
            return [Logged(root_id, seq, kind, data) for seq, kind, data in found]

    async def _all(self, wanted: Select[Any]) -> list[Run]:
        async with self._database.reading_rows() as connection:
            return [_run(row) for row in (await connection.execute(wanted)).mappings()]

    def _append(self, write: Write, run: Run, entries: Sequence[Entry]) -> int:
        """Write entries of each sort in their order, the events first: numbering them locks the log. Its last number.

        Raises RunAlreadyEnded, NotFound (the run; a tool call that ends and was never begun).
        """
        sorts = (Checkpoint, CallBegun, CallEnded)
        last_seq = self._log.append(write, _author(run), [one for one in entries if not isinstance(one, sorts)])
        now = self._log.now()
        begin_calls(write.connection, run.id, [one for one in entries if isinstance(one, CallBegun)], now)
        end_calls(write.connection, run.id, [one for one in entries if isinstance(one, CallEnded)], now)
        keep_checkpoints(write.connection, run.id, [one for one in entries if isinstance(one, Checkpoint)], now)
        return last_seq


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


def _run(row: RowMapping) -> Run:
    return rows.run(row, last_seq=row["log_length"])


def _admitted(write: Write, run: Run) -> Run:
    log_length = 0 if run.id == run.root_id else _open_root(write.connection, run.root_id)
    if write.connection.execute(_OWNED_NODE, {"node": run.node_id, "user": run.user_id}).first() is None:
        raise NotFound("node", run.node_id)
    write.lock(f"lane:{run.lane}")
    going = write.connection.execute(_GOING_IN_LANE, {"in_lane": run.lane}).mappings().first()
    if going is not None:
        return _run(going)
    queued = write.connection.execute(_INSERT_RUN, _columns(run)).mappings().one()
    return rows.run(queued, last_seq=log_length)


def _open_root(connection: Connection, root_id: str) -> int:
    """The last number in the root's log. Raises NotFound, RunAlreadyEnded."""
    found = connection.execute(_OPEN_ROOT, {"run": root_id}).one_or_none()
    if found is None:
        raise NotFound("run", root_id)
    if found.state not in UNFINISHED:
        raise RunAlreadyEnded(root_id, RunState(found.state))
    last_seq: int = found.last_seq
    return last_seq


def _moved(
    connection: Connection, move: ReturningUpdate[Any], run_id: str, changes: Mapping[str, Any], last_seq: int
) -> Run:
    """The run with its state changed, if it was in one from which this is allowed. Raises RunAlreadyEnded."""
    row = connection.execute(move, {"run": run_id, **changes}).mappings().one_or_none()
    if row is None:
        raise RunAlreadyEnded(run_id, _run(connection.execute(_RUN_OF_ID, {"run": run_id}).mappings().one()).state)
    return rows.run(row, last_seq=last_seq)


def _end_children(connection: Connection, root_id: str, state: RunState, now: datetime) -> None:
    ending = RunState.CANCELLED if state is RunState.COMPLETED else state
    connection.execute(_END_CHILDREN, {"root": root_id, "state": ending.value, "ended_at": now})
