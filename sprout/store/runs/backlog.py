"""Backlog: runs that wait for a worker, counted over all processes."""

from datetime import timedelta

from sqlalchemy import Connection, and_, case, func, or_, select

from sprout.runs.run_store import WaitingRuns
from sprout.runs.state import RunState
from sprout.store.engine.clock import database_now
from sprout.store.runs.leases import ANY_WORKER, FREE_LANE, ORPHANED
from sprout.store.runs.mapping import runs

_QUEUED = runs.c.state == RunState.QUEUED.value
_WAITING = select(func.count(), func.min(case((_QUEUED, runs.c.created_at)))).where(
    or_(ORPHANED, and_(_QUEUED, FREE_LANE))
)


def waiting_runs(connection: Connection) -> WaitingRuns:
    """Runs that a free worker would take. One that waits for another in its lane is not among them."""
    now = database_now(connection)
    count, oldest = connection.execute(_WAITING, {"now": now, "me": ANY_WORKER.owner}).one()
    age = now - oldest if oldest is not None else timedelta()
    return WaitingRuns(count, max(0.0, age.total_seconds()))
