"""RunStore on SQL: runs and their lanes, tool calls and checkpoints, with their events in one log per root run."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, bindparam, func, or_, select, update

from sprout.errors import Conflict, NotFound
from sprout.events import Usage
from sprout.loop.permissions import Approval
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.log import (
    Admission,
    CallBegun,
    CallCleared,
    CallEnded,
    Checkpoint,
    Claim,
    Entry,
    Key,
    LogEnd,
    Logged,
    OnBusy,
    Record,
)
from sprout.runs.question import RunQuestion
from sprout.runs.state import Run, RunError, RunState
from sprout.store import carriers, run_tables
from sprout.store.boundaries import begin_calls, clear_calls, end_calls, keep_checkpoints, record_of
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.endings import CANCELLED, Endings, moved, spent_by_children
from sprout.store.holding import hold_trees
from sprout.store.lanes import Lanes
from sprout.store.log import EventLog, Publish
from sprout.store.readable import damaged_if_senseless, each_readable
from sprout.store.retention import trim
from sprout.store.run_rows import RUN, RUN_OF_ID, approvals_column, author_of, run_from, run_of, runs
from sprout.store.run_tables import UNFINISHED
from sprout.store.write import Write

MOST_EVENTS = 2**62
MOST_IDS = 1_000  # in one statement
DISCARDED = "discarded"

T = TypeVar("T")

_events = table_of(run_tables.RunEvent)
_RUN_OF_USER = RUN_OF_ID.where(runs.c.user_id == bindparam("user"))
_UNFINISHED = RUN.where(runs.c.state.in_(UNFINISHED)).order_by(runs.c.creation)
_OPEN_CHILDREN = select(runs.c.id).where(runs.c.parent_id == bindparam("run"), runs.c.state.in_(UNFINISHED))
_IF_STILL = update(runs).where(
    runs.c.id == bindparam("run"), runs.c.state == bindparam("in_state"), runs.c.epoch == bindparam("its_epoch")
)
_ANSWER = _IF_STILL.where(~runs.c.answered)
_ENDS = select(runs.c.id, runs.c.user_id, runs.c.last_seq, runs.c.state)
_ENDS_OF_ROOTS = _ENDS.where(runs.c.id.in_(bindparam("ids", expanding=True)))
_ENDS_OF_USERS = _ENDS.where(
    runs.c.user_id.in_(bindparam("ids", expanding=True)), runs.c.state.in_(UNFINISHED), runs.c.parent_id.is_(None)
)
_NO_TALK = ~runs.c.lane.startswith("conversation:")
_READ_EVENTS = (
    select(_events.c.seq, _events.c.kind, _events.c.data)
    .where(_events.c.root_id == bindparam("root"), _events.c.seq > bindparam("after"))
    .order_by(_events.c.seq)
    .limit(bindparam("most"))
)


class SqlRunStore:
    """RunStore on SQL. A root that ends takes along what has not ended under it, so that nothing follows its end."""

    def __init__(self, database: Database, publish: Publish, dispatcher: Dispatcher) -> None:
        self._database = database
        self._log = EventLog(publish)
        self._dispatcher = dispatcher
        self._endings = Endings(self._log, dispatcher)
        self._lanes = Lanes(self._log, dispatcher, self._endings)

    async def admit(
        self,
        run: Run,
        *,
        on_busy: OnBusy = OnBusy.ATTACH,
        key: Key | None = None,
        claim: Claim | None = None,
        under: Run | None = None,
    ) -> Admission:
        return await self._written(lambda write: self._lanes.admitted(write, run, on_busy, key, claim, under), run)

    async def enrol(self, claim: Claim) -> None:
        await self._database.write(lambda write: carriers.enrol(write, claim))

    async def renew(self, claim: Claim) -> Sequence[str]:
        return await self._database.write(lambda write: carriers.renew(write, claim))

    async def release(self, claim: Claim) -> None:
        await self._database.write(lambda write: carriers.release(write, claim))

    async def abandon(self, run: Run, *, crashed: bool) -> None:
        await self._written(lambda write: carriers.abandon(write, run, crashed=crashed), run)

    async def rest(self, run: Run, *, resting: bool) -> None:
        await self._written(lambda write: carriers.rest(write, run, resting=resting), run)

    async def stale_lanes(self, claim: Claim) -> Sequence[str]:
        return await self._database.look(lambda connection: carriers.stale_lanes(connection, claim))

    async def claim(self, lane: str, claim: Claim) -> Run | None:
        return await self._database.write(lambda write: self._lanes.claimed(write, lane, claim))

    async def append(self, run: Run, entries: Sequence[Entry]) -> None:
        await self._written(lambda write: self._append(write, run, entries), run)

    async def pause(self, run: Run, question: RunQuestion, entries: Sequence[Entry]) -> Run:
        def body(write: Write) -> Run:
            hold_trees(write, run.lane)
            self._append(write, run, [*entries, question.as_event()])
            changes = {"owner": None, "question": question.as_json(), "answered": False}
            moved(write.connection, run.id, RunState.WAITING_ON_HUMAN, changes)
            waiting = run_of(write.connection, run.id)
            if waiting.cancel_requested:
                return self._endings.ended_here(write, waiting, RunState.CANCELLED, reason=CANCELLED)
            return waiting

        return await self._written(body, run)

    async def answer(self, run: Run, entries: Sequence[Entry], approvals: Sequence[Approval]) -> Run:
        def body(write: Write) -> Run:
            self._append(write, run, entries)
            values = {"in_state": RunState.WAITING_ON_HUMAN.value, "answered": True}
            if not _changed(write, _ANSWER, run, values | {"approvals": approvals_column(approvals)}):
                raise Conflict("This was answered already.")
            self._dispatcher.wake(run.lane, write)
            return run_of(write.connection, run.id)

        return await self._written(body, run)

    async def settle(
        self, run: Run, state: RunState, *, reason: str, usage: Usage, error: RunError | None, entries: Sequence[Entry]
    ) -> Run:
        def body(write: Write) -> Run:
            hold_trees(write, run.lane)
            self._append(write, run, entries)
            return self._endings.settled(write, run, state, reason, usage, error)

        return await self._written(body, run)

    async def cancel(self, run_id: str, *, reason: str = CANCELLED) -> None:
        def body(write: Write) -> None:
            run = run_of(write.connection, run_id)
            hold_trees(write, run.lane, run.id)
            self._endings.cancelled(write, run, reason=reason)

        await self._database.write(body)

    async def offer(self, run: Run) -> Run:
        def body(write: Write) -> Run:
            values = {"in_state": RunState.RUNNING.value, "cause": "asked"}
            if not carriers.is_uncarried(write.connection, run) or not _changed(write, _IF_STILL, run, values):
                raise Conflict("This run is not cut off (any more).")
            self._dispatcher.wake(run.lane, write)
            return run_of(write.connection, run.id)

        return await self._written(body, run)

    async def discard(self, run: Run) -> Run:
        def body(write: Write) -> Run:
            if not run.ended or not _changed(write, _IF_STILL, run, {"in_state": run.state.value, "discarded": True}):
                raise Conflict("This run has not ended: stop it first.")
            return run_of(write.connection, run.id)

        return await self._written(body, run)

    async def trim(self, before: datetime) -> int:
        """Forget the course of runs that ended before this moment, some at a time; of how many (V7)."""
        return await self._database.write(lambda write: trim(write, before))

    async def record(self, run_id: str) -> Record:
        return await self._database.look(lambda connection: record_of(connection, run_of(connection, run_id)))

    async def run(self, run_id: str, *, user_id: str | None = None) -> Run:
        wanted = RUN_OF_ID if user_id is None else _RUN_OF_USER
        with damaged_if_senseless("run", run_id):
            values = {"run": run_id, "user": user_id}
            found = await self._database.look(lambda connection: connection.execute(wanted, values).mappings().first())
            if found is None:
                raise NotFound("run", run_id)
            return run_from(found)

    async def runs(
        self,
        *,
        user_id: str,
        branch_id: str | None = None,
        agent: str | None = None,
        with_talk: bool = True,
        states: Sequence[RunState] = (),
        before: str | None = None,
        roots_only: bool = True,
        limit: int = 50,
    ) -> list[Run]:
        wanted = RUN.where(runs.c.user_id == user_id).order_by(runs.c.creation.desc()).limit(limit)
        if branch_id is not None:
            wanted = wanted.where(runs.c.branch_id == branch_id)
        if agent is not None:
            wanted = wanted.where(runs.c.agent == agent)
        if not with_talk:
            wanted = wanted.where(_NO_TALK)
        if states:
            wanted = wanted.where(runs.c.state.in_([state.value for state in states]))
        if before is not None:
            named = runs.alias("named")
            older = select(named.c.creation).where(named.c.id == before, named.c.user_id == user_id).scalar_subquery()
            wanted = wanted.where(runs.c.creation < older)
        if roots_only:
            wanted = wanted.where(runs.c.parent_id.is_(None))
        return await self._all(wanted)

    async def latest(self, user_id: str) -> list[Run]:
        """Of each branch the newest root run and those that have not ended, newest first; without turns of talk."""
        roots = (runs.c.user_id == user_id, runs.c.parent_id.is_(None), _NO_TALK)
        newest = select(func.max(runs.c.creation)).where(*roots).group_by(runs.c.branch_id)
        wanted = RUN.where(*roots, or_(runs.c.creation.in_(newest), runs.c.state.in_(UNFINISHED)))
        return await self._all(wanted.order_by(runs.c.creation.desc()))

    async def open_roots(self, user_id: str) -> list[Run]:
        return await self._all(_UNFINISHED.where(runs.c.user_id == user_id, runs.c.parent_id.is_(None)))

    async def log_ends(self, root_ids: Collection[str], user_ids: Collection[str]) -> list[LogEnd]:
        def look(connection: Connection) -> list[LogEnd]:
            return [
                LogEnd(root_id, user_id, last_seq, state in UNFINISHED)
                for wanted, ids in ((_ENDS_OF_ROOTS, root_ids), (_ENDS_OF_USERS, user_ids))
                for some in _portions(ids)
                for root_id, user_id, last_seq, state in connection.execute(wanted, {"ids": some})
            ]

        return await self._database.look(look)

    async def unfinished(self) -> list[Run]:
        return await self._all(_UNFINISHED)

    async def open_children(self, run_id: str) -> Sequence[str]:
        return await self._database.look(
            lambda connection: connection.execute(_OPEN_CHILDREN, {"run": run_id}).scalars().all()
        )

    async def spent_by_children(self, run_id: str) -> Usage:
        return await self._database.look(lambda connection: spent_by_children(connection, run_id))

    async def events(self, root_id: str, *, after: int = 0, limit: int = 500) -> list[Logged]:
        """The events after a number, in order. Raises nothing for a log that is not there: it has no events."""
        values = {"root": root_id, "after": max(0, min(after, MOST_EVENTS)), "most": limit}

        def look(connection: Connection) -> list[Logged]:
            return [Logged(root_id, seq, kind, data) for seq, kind, data in connection.execute(_READ_EVENTS, values)]

        return await self._database.look(look)

    async def _written(self, body: Callable[[Write], T], run: Run) -> T:
        """Write in the order of the root run's other writes."""
        return await self._database.write(body, order=run.root_id)

    async def _all(self, wanted: Select[Any]) -> list[Run]:
        return await each_readable(self._database, wanted, runs.c.creation, run_from)

    def _append(self, write: Write, run: Run, entries: Sequence[Entry]) -> None:
        """Write entries of each sort in their order, the events first: numbering them locks the log.

        Raises RunAlreadyEnded, Fenced, NotFound (the run; a tool call that ends and was never begun).
        """
        sorts = (Checkpoint, CallBegun, CallEnded, CallCleared)
        self._log.append(write, author_of(run), [one for one in entries if not isinstance(one, sorts)])
        now = self._log.now()
        clear_calls(write.connection, run.id, [one for one in entries if isinstance(one, CallCleared)])
        begin_calls(write.connection, run.id, [one for one in entries if isinstance(one, CallBegun)], now)
        end_calls(write.connection, run.id, [one for one in entries if isinstance(one, CallEnded)], now)
        keep_checkpoints(write.connection, run.id, [one for one in entries if isinstance(one, Checkpoint)], now)


def _portions(ids: Collection[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while some := list(islice(rest, MOST_IDS)):
        yield some


def _changed(write: Write, statement: Any, run: Run, values: dict[str, Any]) -> bool:
    given = {"run": run.id, "its_epoch": run.epoch, **values}
    return bool(write.connection.execute(statement, given).rowcount == 1)
