"""RunStore on SQL: runs and their lanes, tool calls and checkpoints, with their events in one log per root run."""

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, bindparam, func, or_, select, update

from sprout.errors import Conflict, NotFound
from sprout.events import ReachedLimit, Usage
from sprout.loop.tool_calls.permissions import Approval
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.questions import RunQuestion
from sprout.runs.run_store import (
    Admission,
    CallBegun,
    CallCleared,
    CallEnded,
    Checkpoint,
    Entry,
    LogEnd,
    OnBusy,
    RequestKey,
    RunRecord,
    StoredEvent,
    WaitingRuns,
    WorkerLease,
)
from sprout.runs.state import Run, RunError, RunState
from sprout.store.engine.database import Database
from sprout.store.engine.tolerant_reads import fetch_readable, raise_row_damaged
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.runs import leases
from sprout.store.runs.admission import LaneAdmission
from sprout.store.runs.backlog import waiting_runs
from sprout.store.runs.checkpoints import (
    allow_retry,
    close_calls,
    fetch_earlier_journal,
    insert_checkpoints,
    open_calls,
    record_of,
)
from sprout.store.runs.completion import CANCELLED, RunCompletion, child_usage, move_run
from sprout.store.runs.event_log import EventLog, Publish, stored_event
from sprout.store.runs.lock_order import lock_trees
from sprout.store.runs.mapping import RUN, RUN_OF_ID, approvals_column, author_of, run_from, run_of, runs
from sprout.store.runs.retention import PARTITIONS_LOCK, drop_past_partition, prune_events
from sprout.store.schema import run_tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.partitions import count_uncovered, make_partitions
from sprout.store.schema.run_tables import UNFINISHED

MAX_SEQ = 2**62
MAX_IDS_PER_STATEMENT = 1_000

T = TypeVar("T")

_log = logging.getLogger(__name__)

_events, _keys = table_of(run_tables.RunEvent), table_of(run_tables.IdempotencyKey)
_FIRST_OF_KEYS = select(_keys.c.run_id).order_by(_keys.c.created_at, _keys.c.key).limit(1)
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
_WITHOUT_LESSONS = ~or_(*(runs.c.lane.startswith(f"{kind}:") for kind in ("conversation", "key_check", "variants")))
_READ_EVENTS = (
    select(_events.c.seq, _events.c.run_id, _events.c.kind, _events.c.data)
    .where(_events.c.root_id == bindparam("root"), _events.c.seq > bindparam("after"))
    .order_by(_events.c.seq)
    .limit(bindparam("most"))
)


class SqlRunStore:
    """RunStore on SQL. A root that ends also ends the unfinished runs under it, so that nothing follows its end."""

    def __init__(self, database: Database, publish: Publish, dispatcher: Dispatcher) -> None:
        self._database = database
        self._log = EventLog(publish)
        self._dispatcher = dispatcher
        self._completion = RunCompletion(self._log, dispatcher)
        self._admission = LaneAdmission(self._log, dispatcher, self._completion)

    async def admit(
        self,
        run: Run,
        *,
        on_busy: OnBusy = OnBusy.ATTACH,
        key: RequestKey | None = None,
        lease: WorkerLease | None = None,
        parent: Run | None = None,
    ) -> Admission:
        return await self._write_in_order(lambda tx: self._admission.admit(tx, run, on_busy, key, lease, parent), run)

    async def acquire_lease(self, lease: WorkerLease) -> None:
        await self._database.write_tx(lambda tx: leases.acquire(tx, lease))

    async def renew_lease(self, lease: WorkerLease) -> Sequence[str]:
        return await self._database.write_tx(lambda tx: leases.renew(tx, lease))

    async def release_lease(self, lease: WorkerLease) -> None:
        def body(tx: WriteTransaction) -> None:
            for lane in leases.release(tx, lease):
                self._dispatcher.wake_lane(lane, tx)

        await self._database.write_tx(body)

    async def release_run(self, run: Run, *, crashed: bool) -> None:
        await self._write_in_order(lambda tx: leases.release_run(tx, run, crashed=crashed), run)

    async def set_idle(self, run: Run, *, idle: bool) -> None:
        await self._write_in_order(lambda tx: leases.set_idle(tx, run, idle=idle), run)

    async def claimable_lanes(self, lease: WorkerLease) -> Sequence[str]:
        return await self._database.read_tx(lambda connection: leases.claimable_lanes(connection, lease))

    async def waiting_runs(self) -> WaitingRuns:
        return await self._database.read_tx(waiting_runs)

    async def claim(self, lane: str, lease: WorkerLease) -> Run | None:
        return await self._database.write_tx(lambda tx: self._admission.claim(tx, lane, lease))

    async def append(self, run: Run, entries: Sequence[Entry]) -> None:
        await self._write_in_order(lambda tx: self._append(tx, run, entries), run)

    async def pause(self, run: Run, question: RunQuestion, entries: Sequence[Entry]) -> Run:
        def body(tx: WriteTransaction) -> Run:
            lock_trees(tx, run.lane)
            self._append(tx, run, [*entries, question.as_event()])
            changes = {"owner": None, "question": question.as_json(), "answered": False}
            move_run(tx.connection, run.id, RunState.WAITING_ON_HUMAN, changes)
            waiting = run_of(tx.connection, run.id)
            if waiting.cancel_requested:
                return self._completion.end_without_worker(tx, waiting, RunState.CANCELLED, reason=CANCELLED)
            return waiting

        return await self._write_in_order(body, run)

    async def answer(self, run: Run, entries: Sequence[Entry], approvals: Sequence[Approval]) -> Run:
        def body(tx: WriteTransaction) -> Run:
            self._append(tx, run, entries)
            values = {"in_state": RunState.WAITING_ON_HUMAN.value, "answered": True}
            if not _update_run(tx, _ANSWER, run, values | {"approvals": approvals_column(approvals)}):
                raise Conflict("This was answered already.", code="run_answered")
            self._dispatcher.wake_lane(run.lane, tx)
            return run_of(tx.connection, run.id)

        return await self._write_in_order(body, run)

    async def settle(
        self,
        run: Run,
        state: RunState,
        *,
        reason: str,
        usage: Usage,
        error: RunError | None,
        entries: Sequence[Entry],
        reached_limit: ReachedLimit | None = None,
    ) -> Run:
        def body(tx: WriteTransaction) -> Run:
            lock_trees(tx, run.lane)
            self._append(tx, run, entries)
            return self._completion.settle(tx, run, state, reason, usage, error, reached_limit)

        return await self._write_in_order(body, run)

    async def cancel(self, run_id: str, *, reason: str = CANCELLED) -> None:
        def body(tx: WriteTransaction) -> None:
            run = run_of(tx.connection, run_id)
            lock_trees(tx, run.lane, run.id)
            self._completion.cancel(tx, run, reason=reason)

        await self._database.write_tx(body)

    async def request_resume(self, run: Run) -> Run:
        def body(tx: WriteTransaction) -> Run:
            values = {"in_state": RunState.RUNNING.value, "cause": "asked"}
            if not leases.is_orphaned(tx.connection, run) or not _update_run(tx, _IF_STILL, run, values):
                raise Conflict("This run isn't interrupted, so there is nothing to resume.", code="run_not_cut_off")
            self._dispatcher.wake_lane(run.lane, tx)
            return run_of(tx.connection, run.id)

        return await self._write_in_order(body, run)

    async def discard(self, run: Run) -> Run:
        def body(tx: WriteTransaction) -> Run:
            if not run.ended or not _update_run(tx, _IF_STILL, run, {"in_state": run.state.value, "discarded": True}):
                raise Conflict("This run is still active. Stop it first.", code="run_in_progress")
            return run_of(tx.connection, run.id)

        return await self._write_in_order(body, run)

    async def prune_events(self, before: datetime) -> int:
        # On PostgreSQL partitions of the next weeks are made ahead, and past ones dropped whole.
        await self._make_partitions()
        dropped, now = 0, self._log.now()
        while (count := await self._database.write_tx(lambda tx: drop_past_partition(tx, before, now))) is not None:
            dropped += count
        return dropped or await self._database.write_tx(lambda tx: prune_events(tx, before))

    async def record(self, run_id: str) -> RunRecord:
        return await self._database.read_tx(lambda connection: record_of(connection, run_of(connection, run_id)))

    async def journal_before(self, run: Run) -> str | None:
        return await fetch_earlier_journal(self._database, run)

    async def run(self, run_id: str, *, user_id: str | None = None) -> Run:
        wanted = RUN_OF_ID if user_id is None else _RUN_OF_USER
        with raise_row_damaged("run", run_id):
            found = await self._database.fetch(wanted, {"run": run_id, "user": user_id})
            if not found:
                raise NotFound("run", run_id)
            return run_from(found[0]._mapping)

    async def runs(
        self,
        *,
        user_id: str,
        branch_id: str | None = None,
        agent: str | None = None,
        include_conversations: bool = True,
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
        if not include_conversations:
            wanted = wanted.where(_WITHOUT_LESSONS)
        if states:
            wanted = wanted.where(runs.c.state.in_([state.value for state in states]))
        if before is not None:
            named = runs.alias("named")
            older = select(named.c.creation).where(named.c.id == before, named.c.user_id == user_id).scalar_subquery()
            wanted = wanted.where(runs.c.creation < older)
        if roots_only:
            wanted = wanted.where(runs.c.parent_id.is_(None))
        return await self._fetch_runs(wanted)

    async def run_of_key(self, key: str, *, user_id: str) -> Run | None:
        first = _FIRST_OF_KEYS.where(_keys.c.user_id == user_id, _keys.c.key.startswith(key, autoescape=True))
        return next(iter(await self._fetch_runs(RUN.where(runs.c.id == first.scalar_subquery()))), None)

    async def latest(self, user_id: str) -> list[Run]:
        roots = (runs.c.user_id == user_id, runs.c.parent_id.is_(None), _WITHOUT_LESSONS)
        newest = select(func.max(runs.c.creation)).where(*roots).group_by(runs.c.branch_id)
        wanted = RUN.where(*roots, or_(runs.c.creation.in_(newest), runs.c.state.in_(UNFINISHED)))
        return await self._fetch_runs(wanted.order_by(runs.c.creation.desc()))

    async def unfinished_roots(self, user_id: str) -> list[Run]:
        return await self._fetch_runs(_UNFINISHED.where(runs.c.user_id == user_id, runs.c.parent_id.is_(None)))

    async def log_ends(self, root_ids: Collection[str], user_ids: Collection[str]) -> list[LogEnd]:
        def body(connection: Connection) -> list[LogEnd]:
            return [
                LogEnd(root_id, user_id, last_seq, state in UNFINISHED)
                for wanted, ids in ((_ENDS_OF_ROOTS, root_ids), (_ENDS_OF_USERS, user_ids))
                for some in _batches(ids)
                for root_id, user_id, last_seq, state in connection.execute(wanted, {"ids": some})
            ]

        return await self._database.read_tx(body)

    async def unfinished_children(self, run_id: str) -> Sequence[str]:
        return [row.id for row in await self._database.fetch(_OPEN_CHILDREN, {"run": run_id})]

    async def child_usage(self, run_id: str) -> Usage:
        return await self._database.read_tx(lambda connection: child_usage(connection, run_id))

    async def events(self, root_id: str, *, after: int = 0, limit: int = 500) -> list[StoredEvent]:
        values = {"root": root_id, "after": max(0, min(after, MAX_SEQ)), "most": limit}
        rows = await self._database.fetch(_READ_EVENTS, values)
        return [stored_event(root_id, row.seq, row.run_id, row.kind, row.data) for row in rows]

    async def _make_partitions(self) -> None:
        def body(tx: WriteTransaction) -> int:
            if tx.is_exclusive:
                return 0
            tx.lock(PARTITIONS_LOCK)
            make_partitions(tx.connection, self._log.now())
            return count_uncovered(tx.connection)

        uncovered = await self._database.write_tx(body)
        if uncovered:
            _log.warning("run_events.default_partition", extra={"events": uncovered})  # of weeks without a partition

    async def _write_in_order(self, body: Callable[[WriteTransaction], T], run: Run) -> T:
        """Write in the order of the root run's other writes."""
        return await self._database.write_tx(body, order=run.root_id)

    async def _fetch_runs(self, wanted: Select[Any]) -> list[Run]:
        return await fetch_readable(self._database, wanted, runs.c.creation, run_from)

    def _append(self, tx: WriteTransaction, run: Run, entries: Sequence[Entry]) -> None:
        """Write entries of each kind in their order, the events first: numbering them locks the log.

        Raises RunAlreadyEnded, Fenced, NotFound (the run; a tool call that ends without having begun).
        """
        sorts = (Checkpoint, CallBegun, CallEnded, CallCleared)
        self._log.append(tx, author_of(run), [one for one in entries if not isinstance(one, sorts)])
        now = self._log.now()
        allow_retry(tx.connection, run.id, [one for one in entries if isinstance(one, CallCleared)])
        open_calls(tx.connection, run.id, [one for one in entries if isinstance(one, CallBegun)], now)
        close_calls(tx.connection, run.id, [one for one in entries if isinstance(one, CallEnded)], now)
        insert_checkpoints(tx.connection, run.id, [one for one in entries if isinstance(one, Checkpoint)], now)


def _batches(ids: Collection[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while some := list(islice(rest, MAX_IDS_PER_STATEMENT)):
        yield some


def _update_run(tx: WriteTransaction, statement: Any, run: Run, values: dict[str, Any]) -> bool:
    given = {"run": run.id, "its_epoch": run.epoch, **values}
    return bool(tx.connection.execute(statement, given).rowcount == 1)
