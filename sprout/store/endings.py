"""How runs end: settled by their carrier or, where nobody carries them, where the wish is stored."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Update, bindparam, func, select, update

from sprout.crashing import crash_point
from sprout.events import AgentDone, AgentError, Event, RunDone, RunQueued, Usage
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.state import ENDED, NEXT, Run, RunAlreadyEnded, RunError, RunState
from sprout.store.boundaries import own_usage
from sprout.store.carriers import is_uncarried
from sprout.store.log import EventLog
from sprout.store.run_rows import RUN, TREE, author_of, run_from, run_of, runs
from sprout.store.run_tables import UNFINISHED
from sprout.store.write import Write

ENDED_WITH_ROOT = "root_ended"
CANCELLED = "cancelled"

_MOVE: dict[RunState, Update] = {
    to: update(runs).where(
        runs.c.id == bindparam("run"), runs.c.state.in_([state.value for state in RunState if to in NEXT[state]])
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


class Endings:
    """Ends runs, and tells whoever waits for it: the lane, those who queue there, the parent."""

    def __init__(self, log: EventLog, dispatcher: Dispatcher) -> None:
        self._log = log
        self._dispatcher = dispatcher

    def settled(
        self, write: Write, run: Run, state: RunState, reason: str, usage: Usage, error: RunError | None
    ) -> Run:
        """The run in its final state; its last entries are written, and its trees held. Raises RunAlreadyEnded."""
        changes = {
            "reason": reason,
            "error": None if error is None else asdict(error),
            "ended_at": self._log.now(),
            "owner": None,
            **usage.model_dump(by_alias=False),
        }
        moved(write.connection, run.id, state, changes)
        if run.is_root:
            self._end_children(write, run, state)
        self._free(write, run)
        if run.parent_id is not None:
            self._nudged(write, [run.parent_id])
        crash_point("settle_uncommitted")
        return run_of(write.connection, run.id)

    def ended_here(self, write: Write, run: Run, state: RunState, *, reason: str, error: RunError | None = None) -> Run:
        """End a run that nobody carries, its trees held, with the closing events of a carrier (B5)."""
        if run.is_root:
            self._end_children(write, run, state)  # first: what they have spent is the root's too
        usage = _spent(write.connection, run)
        closing: list[Event] = [
            AgentDone(reason=reason, usage=usage)
            if error is None
            else AgentError(code=error.code, message=error.message, retryable=error.retryable)
        ]
        if run.is_root:
            closing.append(RunDone(status=ENDED[state], reason=reason, usage=usage))
        self._log.append(write, author_of(run), closing)
        return self.settled(write, run, state, reason, usage, error)

    def cancelled(self, write: Write, run: Run, *, reason: str = CANCELLED) -> None:
        """Ask the run and all under it to stop; what nobody carries ends here, children before their parents (X1).

        Their trees are held.
        """
        carried: list[str] = []
        found = self._open_tree(write.connection, run.id)
        write.connection.execute(_ASK_TO_STOP, {"wanted": [one.id for one in found]})
        for one in found:
            if one.state is RunState.RUNNING and not is_uncarried(write.connection, one):
                carried.append(one.id)
            elif run_of(write.connection, one.id).state in UNFINISHED:
                self.ended_here(write, one, RunState.CANCELLED, reason=reason)
        self._nudged(write, carried)

    def _free(self, write: Write, run: Run) -> None:
        """Tell everyone who queues behind a run that has ended how many come before him now (B6), and wake the lane."""
        values = {"in_lane": run.lane, "run": run.id}
        for queued in map(run_from, write.connection.execute(_QUEUED_BEHIND, values).mappings().all()):
            self._log.append(write, author_of(queued), [RunQueued(position=queued.position)])
        self._dispatcher.wake(run.lane, write)

    def _end_children(self, write: Write, root: Run, state: RunState) -> None:
        """Nothing follows a root's end: what has not ended under it ends silently with it, children first."""
        left = list(map(run_from, write.connection.execute(_OPEN_UNDER_ROOT, {"root": root.id}).mappings()))
        ending = RunState.CANCELLED if state is RunState.COMPLETED else state
        for one in left:
            spent = _spent(write.connection, one).model_dump(by_alias=False)
            changes = {"run": one.id, "state": ending.value, "ended_at": self._log.now(), **spent}
            write.connection.execute(_END_CHILD, changes)
            self._free(write, one)
        self._nudged(write, [one.id for one in left])

    def _open_tree(self, connection: Connection, run_id: str) -> list[Run]:
        return list(map(run_from, connection.execute(_OPEN_TREE, {"run": run_id}).mappings()))

    def _nudged(self, write: Write, run_ids: Sequence[str]) -> None:
        for run_id in run_ids:
            write.after_commit(lambda run_id=run_id: self._dispatcher.nudge(run_id))  # type: ignore[misc]


def _spent(connection: Connection, run: Run) -> Usage:
    """What the run, which nobody carries, has spent, with all under it."""
    return own_usage(connection, run).plus(spent_by_children(connection, run.id))


def moved(connection: Connection, run_id: str, to: RunState, changes: dict[str, Any]) -> None:
    """Change the run's state, if it is in one from which this is allowed. Raises RunAlreadyEnded."""
    if connection.execute(_MOVE[to], {"run": run_id, "state": to.value, **changes}).rowcount != 1:
        raise RunAlreadyEnded(run_id, run_of(connection, run_id).state)


def spent_by_children(connection: Connection, run_id: str) -> Usage:
    """What the runs directly under this one have spent, with all under them."""
    return Usage(**connection.execute(_SPENT_BY_CHILDREN, {"run": run_id}).mappings().one())
