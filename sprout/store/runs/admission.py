"""Admission of runs to lanes, and claims: which run of a lane is next, and who takes over an orphaned one."""

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from sprout.errors import NotFound
from sprout.events import Event, ResumeCause, RunQueued
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.run_store import Admission, KeyReused, LaneBusy, OnBusy, RequestKey, WorkerLease
from sprout.runs.state import MAX_CRASHES, Run, RunAlreadyEnded, RunError, RunState
from sprout.runs.streaming.bus import RUN_ADMITTED, EphemeralEvent, learner_channel
from sprout.store.engine.quotas import enforce_quota
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.runs.checkpoints import progress_marker
from sprout.store.runs.completion import CANCELLED, RunCompletion
from sprout.store.runs.event_log import EventLog
from sprout.store.runs.fencing import check_fencing
from sprout.store.runs.leases import CRASHED_OWNER, is_orphaned, resume_parts
from sprout.store.runs.lock_order import lock_lane, lock_trees
from sprout.store.runs.mapping import RUN, author_of, columns_of, run_from, run_of, runs
from sprout.store.schema import run_tables, tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import UNFINISHED

CRASH_LOOP = RunError(
    "crash_loop",
    f"Sprout was stopped {MAX_CRASHES} times at the same place of this run, so it is not tried again. Everything up "
    "to there is kept; the log says what happened.",
    retryable=True,
)

_nodes, _keys = table_of(tables.Node), table_of(run_tables.IdempotencyKey)
_OWNED_NODE = select(_nodes.c.id).where(_nodes.c.id == bindparam("node"), _nodes.c.user_id == bindparam("user"))
_OPEN_ROOT = (
    select(runs.c.state, runs.c.last_seq, runs.c.cancel_requested)
    .where(runs.c.id == bindparam("run"))
    .with_for_update(key_share=True)
)
_FIRST_IN_LANE = (
    RUN.where(runs.c.lane == bindparam("in_lane"), runs.c.state.in_(UNFINISHED))
    .order_by(runs.c.state == RunState.QUEUED.value, runs.c.creation)
    .limit(1)
)
_SIBLING = RUN.where(runs.c.parent_id == bindparam("parent"), runs.c.lane == bindparam("in_lane")).limit(1)
_INSERT_RUN, _INSERT_KEY = insert(runs), insert(_keys)
_RUN_OF_KEY = select(_keys.c.run_id, _keys.c.digest).where(
    _keys.c.user_id == bindparam("user"), _keys.c.key == bindparam("its_key")
)
_CRASHED = select(runs.c.crash_marker, runs.c.idle).where(runs.c.id == bindparam("run"))
_UPDATE_RUN = update(runs).where(runs.c.id == bindparam("run"), runs.c.epoch == bindparam("its_epoch"))


class LaneAdmission:
    """Admits and claims, each under the locks of `lock_order`."""

    def __init__(self, log: EventLog, dispatcher: Dispatcher, completion: RunCompletion) -> None:
        self._log = log
        self._dispatcher = dispatcher
        self._completion = completion

    def admit(
        self,
        tx: WriteTransaction,
        run: Run,
        on_busy: OnBusy,
        key: RequestKey | None,
        lease: WorkerLease | None,
        under: Run | None,
    ) -> Admission:
        """Raises NotFound, RunAlreadyEnded, Fenced, LaneBusy, KeyReused, TooManyRequests."""
        connection = tx.connection
        if key is not None and (before := self._run_of_key(tx, run.user_id, key)) is not None:
            return Admission(before, "replayed")
        if connection.execute(_OWNED_NODE, {"node": run.node_id, "user": run.user_id}).first() is None:
            raise NotFound("node", run.node_id)
        hold = lock_trees if on_busy is OnBusy.INTERRUPT else lock_lane
        hold(tx, run.lane)
        active = _head_of_lane(connection, run.lane)
        if active is not None and on_busy is OnBusy.INTERRUPT:  # also one that no worker has taken up yet
            self._completion.cancel(tx, active)
            active = _head_of_lane(connection, run.lane)
        admission = _existing_admission(connection, run, active, on_busy)
        if admission is None:
            admission = self._insert(tx, run, lease, under, free=active is None)
        if key is not None:
            made = {"user_id": run.user_id, "key": key.key, "digest": key.digest, "created_at": self._log.now()}
            connection.execute(_INSERT_KEY, {**made, "run_id": admission.run.id})
        return admission

    def claim(self, tx: WriteTransaction, lane: str, lease: WorkerLease) -> Run | None:
        """Claim the next run of the lane and start it; None if there is none."""
        lock_trees(tx, lane)
        while (run := _head_of_lane(tx.connection, lane)) is not None:
            if run.state is RunState.RUNNING and not is_orphaned(tx.connection, run, lease):
                return None
            if run.cancel_requested:
                self._completion.end_without_worker(tx, run, RunState.CANCELLED, reason=CANCELLED)
                continue
            match run.state:
                case RunState.QUEUED:
                    return self._start(tx, run, lease)
                case RunState.WAITING_ON_HUMAN if run.answered:
                    return self._start(tx, run, lease, cause="answered")
                case RunState.RUNNING if lease.auto_resume or run.cause == "asked":
                    if (resumed := self._take_over(tx, run, lease)) is not None:
                        return resumed
                case _:
                    return None
        return None

    def _take_over(self, tx: WriteTransaction, run: Run, lease: WorkerLease) -> Run | None:
        """Take over an orphaned run; None if it crashed too often at one place, and was ended.

        A crash while the run was idle does not count.
        """
        before = tx.connection.execute(_CRASHED, {"run": run.id}).one()
        if run.owner is None or (before.idle and run.owner != CRASHED_OWNER):
            return self._start(tx, run, lease)
        marker = progress_marker(tx.connection, run.id)
        crashes = run.crashes + 1 if marker == before.crash_marker else 1
        if crashes >= MAX_CRASHES:
            self._completion.end_without_worker(tx, run, RunState.FAILED, reason=CRASH_LOOP.code, error=CRASH_LOOP)
            return None
        return self._start(tx, replace(run, crashes=crashes), lease, crash_marker=marker)

    def _start(
        self, tx: WriteTransaction, run: Run, lease: WorkerLease, *, cause: ResumeCause | None = None, **changes: Any
    ) -> Run:
        begun = replace(
            run,
            state=RunState.RUNNING,
            epoch=run.epoch + 1,
            owner=lease.owner,
            started_at=run.started_at or self._log.now(),
            cause=cause or run.cause,
            question=None,
            answered=False,
            position=0,
            cut_off=False,
        )
        values = {
            "run": run.id,
            "its_epoch": run.epoch,
            "state": begun.state.value,
            "epoch": begun.epoch,
            "owner": begun.owner,
            "started_at": begun.started_at,
            "question": None,
            "answered": False,
            "crashes": begun.crashes,
            "cause": "cut_off",  # that of the claim after this one, unless another is stored
            "idle": run.suspect,  # until its turn comes
            **changes,
        }
        tx.connection.execute(_UPDATE_RUN, values)
        if begun.epoch > 1 and not lease.auto_resume:
            for lane in resume_parts(tx, run, lease):
                self._dispatcher.wake_lane(lane, tx)
        return replace(begun, last_seq=self._log.append(tx, author_of(begun), [begun.opening_event()]))

    def _run_of_key(self, tx: WriteTransaction, user_id: str, key: RequestKey) -> Run | None:
        """The run of an earlier request with this key. Raises KeyReused."""
        tx.lock(f"key:{user_id}:{key.key}")
        found = tx.connection.execute(_RUN_OF_KEY, {"user": user_id, "its_key": key.key}).one_or_none()
        if found is None:
            return None
        if found.digest != key.digest:
            raise KeyReused
        return run_of(tx.connection, found.run_id)

    def _insert(
        self, tx: WriteTransaction, run: Run, lease: WorkerLease | None, under: Run | None, *, free: bool
    ) -> Admission:
        asked_to_stop = not run.is_root and _lock_open_root(tx.connection, run.root_id)
        if under is not None:
            check_fencing(tx.connection, author_of(under))
        if run.is_root:
            enforce_quota(tx, "runs_at_once", run.user_id)
        run = replace(run, cancel_requested=asked_to_stop)
        if free and lease is not None:
            run = replace(run, state=RunState.RUNNING, epoch=1, owner=lease.owner, started_at=self._log.now())
        tx.connection.execute(_INSERT_RUN, columns_of(run))
        if run.state is RunState.QUEUED:
            run = run if free else run_of(tx.connection, run.id)  # for its position
            self._dispatcher.wake_lane(run.lane, tx)
        first = _first_events(run)
        last_seq = self._log.append(tx, author_of(run), first) if first or not run.is_root else 0
        if run.is_root:
            message = EphemeralEvent(learner_channel(run.user_id), RUN_ADMITTED, run.id)
            tx.after_commit(lambda: self._log.publish(message))
        return Admission(replace(run, last_seq=last_seq), "new")


def _first_events(run: Run) -> list[Event]:
    """Empty for a run that waits only for a worker: its first event says that it has started."""
    if run.state is not RunState.QUEUED:
        return [run.opening_event()]
    return [RunQueued(position=run.position)] if run.position else []


def _existing_admission(connection: Connection, run: Run, active: Run | None, on_busy: OnBusy) -> Admission | None:
    """The run that serves in place of a new one, if there is one and the caller wants that.

    Raises LaneBusy.
    """
    if run.parent_id is not None:
        sibling = {"parent": run.parent_id, "in_lane": run.lane}
        if (row := connection.execute(_SIBLING, sibling).mappings().first()) is not None:
            return Admission(run_from(row), "attached")
    if active is None:
        return None
    if on_busy is OnBusy.REJECT:
        raise LaneBusy(active.id)
    return Admission(active, "attached") if on_busy is OnBusy.ATTACH else None


def _head_of_lane(connection: Connection, lane: str) -> Run | None:
    """The run that holds the lane or, if none does, the first in its queue."""
    row = connection.execute(_FIRST_IN_LANE, {"in_lane": lane}).mappings().first()
    return None if row is None else run_from(row)


def _lock_open_root(connection: Connection, root_id: str) -> bool:
    """Lock the root; whether its cancellation was requested. Raises NotFound, RunAlreadyEnded."""
    found = connection.execute(_OPEN_ROOT, {"run": root_id}).one_or_none()
    if found is None:
        raise NotFound("run", root_id)
    if found.state not in UNFINISHED:
        raise RunAlreadyEnded(root_id, RunState(found.state))
    return bool(found.cancel_requested)
