"""Completion of runs: settled by their worker or, if they have none, by the transaction that ends them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Update, bindparam, func, select, update

from sprout.events import AgentDone, AgentError, Event, ReachedLimit, RunDone, RunQueued, Usage
from sprout.failpoints import failpoint
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.state import TERMINAL_STATES, TRANSITIONS, Run, RunAlreadyEnded, RunError, RunState
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.runs.checkpoints import own_usage
from sprout.store.runs.event_log import EventLog
from sprout.store.runs.leases import is_orphaned
from sprout.store.runs.mapping import RUN, TREE, author_of, run_from, run_of, runs
from sprout.store.schema.run_tables import UNFINISHED

ENDED_WITH_ROOT = "root_ended"
CANCELLED = "cancelled"

_MOVE: dict[RunState, Update] = {
    to: update(runs).where(
        runs.c.id == bindparam("run"), runs.c.state.in_([state.value for state in RunState if to in TRANSITIONS[state]])
    )
    for to in RunState
    if to is not RunState.QUEUED
}
_OPEN_UNDER_ROOT = RUN.where(
    runs.c.root_id == bindparam("root"), runs.c.id != bindparam("root"), runs.c.state.in_(UNFINISHED)
).order_by(runs.c.creation.desc())
_END_CHILD = update(runs).where(runs.c.id == bindparam("run")).values(reason=ENDED_WITH_ROOT)
_before = runs.alias("before")
_QUEUED_BEHIND = RUN.where(
    runs.c.lane == bindparam("in_lane"),
    runs.c.state == RunState.QUEUED.value,
    runs.c.creation > select(_before.c.creation).where(_before.c.id == bindparam("run")).scalar_subquery(),
).order_by(runs.c.creation)
_SPENT = [func.coalesce(func.sum(runs.c[field]), 0).label(field) for field in Usage.model_fields]
_SPENT_BY_CHILDREN = select(*_SPENT).where(runs.c.parent_id == bindparam("run"))
_OPEN_TREE = RUN.where(runs.c.id.in_(select(TREE.c.id)), runs.c.state.in_(UNFINISHED)).order_by(runs.c.creation.desc())
_ASK_TO_STOP = (
    update(runs)
    .where(runs.c.id.in_(bindparam("wanted", expanding=True)), runs.c.state.in_(UNFINISHED))
    .values(cancel_requested=True)
)


class RunCompletion:
    """Ends runs and wakes the lane, the queue behind them and the parent."""

    def __init__(self, log: EventLog, dispatcher: Dispatcher) -> None:
        self._log = log
        self._dispatcher = dispatcher

    def settle(
        self,
        tx: WriteTransaction,
        run: Run,
        state: RunState,
        reason: str,
        usage: Usage,
        error: RunError | None,
        reached_limit: ReachedLimit | None = None,
    ) -> Run:
        """The run in its final state; its last entries are written, its trees locked. Raises RunAlreadyEnded."""
        changes = {
            "reason": reason,
            "reached_limit": None if reached_limit is None else reached_limit.model_dump(by_alias=False),
            "error": None if error is None else asdict(error),
            "ended_at": self._log.now(),
            "owner": None,
            **usage.model_dump(by_alias=False),
        }
        move_run(tx.connection, run.id, state, changes)
        if run.is_root:
            self._end_children(tx, run, state)
        self._free_lane(tx, run)
        if run.parent_id is not None:
            self._notify(tx, [run.parent_id])
        failpoint("settle_uncommitted")
        return run_of(tx.connection, run.id)

    def end_without_worker(
        self, tx: WriteTransaction, run: Run, state: RunState, *, reason: str, error: RunError | None = None
    ) -> Run:
        """End a run without a worker, its trees locked, with the closing events that a worker would write."""
        if run.is_root:
            self._end_children(tx, run, state)  # first: their usage is the root's too
        usage = _total_usage(tx.connection, run)
        closing: list[Event] = [
            AgentDone(reason=reason, usage=usage)
            if error is None
            else AgentError(code=error.code, message=error.message, params=error.params, retryable=error.retryable)
        ]
        if run.is_root:
            closing.append(RunDone(status=TERMINAL_STATES[state], reason=reason, usage=usage))
        self._log.append(tx, author_of(run), closing)
        return self.settle(tx, run, state, reason, usage, error)

    def cancel(self, tx: WriteTransaction, run: Run, *, reason: str = CANCELLED) -> None:
        """Request the cancellation of the run and all under it; those without a worker end here, children first.

        Their trees are locked.
        """
        running: list[str] = []
        found = self._unfinished_tree(tx.connection, run.id)
        tx.connection.execute(_ASK_TO_STOP, {"wanted": [one.id for one in found]})
        for one in found:
            if one.state is RunState.RUNNING and not is_orphaned(tx.connection, one):
                running.append(one.id)
            elif run_of(tx.connection, one.id).state in UNFINISHED:
                self.end_without_worker(tx, one, RunState.CANCELLED, reason=reason)
        self._notify(tx, running)

    def _free_lane(self, tx: WriteTransaction, run: Run) -> None:
        """Store the new position of every run queued behind an ended one, and wake the lane for the first."""
        values = {"in_lane": run.lane, "run": run.id}
        behind = list(map(run_from, tx.connection.execute(_QUEUED_BEHIND, values).mappings()))
        for queued in behind:
            self._log.append(tx, author_of(queued), [RunQueued(position=queued.position)])
        if behind:
            self._dispatcher.wake_lane(run.lane, tx)

    def _end_children(self, tx: WriteTransaction, root: Run, state: RunState) -> None:
        """End all unfinished runs under a root without events, children first: nothing follows a root's end."""
        left = list(map(run_from, tx.connection.execute(_OPEN_UNDER_ROOT, {"root": root.id}).mappings()))
        ending = RunState.CANCELLED if state is RunState.COMPLETED else state
        for one in left:
            spent = _total_usage(tx.connection, one).model_dump(by_alias=False)
            changes = {"run": one.id, "state": ending.value, "ended_at": self._log.now(), **spent}
            tx.connection.execute(_END_CHILD, changes)
            self._free_lane(tx, one)
        self._notify(tx, [one.id for one in left])

    def _unfinished_tree(self, connection: Connection, run_id: str) -> list[Run]:
        return list(map(run_from, connection.execute(_OPEN_TREE, {"run": run_id}).mappings()))

    def _notify(self, tx: WriteTransaction, run_ids: Sequence[str]) -> None:
        for run_id in run_ids:
            self._dispatcher.wake_run(run_id, tx)


def _total_usage(connection: Connection, run: Run) -> Usage:
    """The usage of a run without a worker and of all under it."""
    return own_usage(connection, run).plus(child_usage(connection, run.id))


def move_run(connection: Connection, run_id: str, to: RunState, changes: dict[str, Any]) -> None:
    """Change the run's state if the transition is allowed. Raises RunAlreadyEnded."""
    if connection.execute(_MOVE[to], {"run": run_id, "state": to.value, **changes}).rowcount != 1:
        raise RunAlreadyEnded(run_id, run_of(connection, run_id).state)


def child_usage(connection: Connection, run_id: str) -> Usage:
    """The usage of the runs directly under this one, with all under them."""
    return Usage(**connection.execute(_SPENT_BY_CHILDREN, {"run": run_id}).mappings().one())
