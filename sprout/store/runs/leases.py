"""Worker leases: acquired, renewed and released; runs whose worker has none are orphaned."""

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, exists, or_, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from sprout.runs.run_store import WorkerLease
from sprout.runs.state import Run, RunState
from sprout.store.engine.clock import database_now
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.runs.fencing import check_fencing
from sprout.store.runs.lock_order import lock_roots_of
from sprout.store.runs.mapping import author_of, runs, worker_leases
from sprout.store.schema.run_tables import GOES_ON

CRASHED_OWNER = ""
ANY_WORKER = WorkerLease("-", lease_s=0.0)

_ALIVE = exists().where(worker_leases.c.id == runs.c.owner, worker_leases.c.lease_until >= bindparam("now"))
ORPHANED = and_(
    runs.c.state == RunState.RUNNING.value,
    or_(runs.c.owner.is_(None), and_(runs.c.owner != bindparam("me"), ~_ALIVE)),
)
_GOES_ON = text(GOES_ON)  # in the words of its index: runs that wait for a person pile up
_holder = runs.alias("holder")
FREE_LANE = ~exists().where(
    _holder.c.lane == runs.c.lane,
    _holder.c.state.in_([RunState.RUNNING.value, RunState.WAITING_ON_HUMAN.value]),
)
_CLAIMABLE_LANES = (
    select(runs.c.lane)
    .where(
        or_(
            and_(ORPHANED, or_(bindparam("resume"), runs.c.cancel_requested, runs.c.cause == "asked")),
            _GOES_ON,
            and_(runs.c.state == RunState.QUEUED.value, FREE_LANE),
        )
    )
    .distinct()
)


def _upsert_lease(dialect: Any) -> Any:
    fresh = dialect.insert(worker_leases)
    return fresh.on_conflict_do_update(
        index_elements=[worker_leases.c.id], set_={"lease_until": fresh.excluded.lease_until}
    )


_RENEW = {"sqlite": _upsert_lease(sqlite), "postgresql": _upsert_lease(postgresql)}
_TO_STOP = select(runs.c.id).where(
    runs.c.owner == bindparam("me"), runs.c.state == RunState.RUNNING.value, runs.c.cancel_requested
)
_RELEASE_RUNS = (
    update(runs).where(runs.c.owner == bindparam("me"), runs.c.state == RunState.RUNNING.value).returning(runs.c.lane)
)
_RELEASE_RUN = update(runs).where(
    runs.c.id == bindparam("run"),
    runs.c.epoch == bindparam("its_epoch"),
    runs.c.state == RunState.RUNNING.value,
)
_RESUME_PARTS = (
    update(runs).where(runs.c.parent_id == bindparam("run"), ORPHANED).values(cause="asked").returning(runs.c.lane)
)
_SET_IDLE = _RELEASE_RUN.values(idle=bindparam("rests"))


def acquire(tx: WriteTransaction, lease: WorkerLease) -> None:
    """Acquire the lease; an exclusive worker ends all others."""
    if lease.exclusive:
        tx.connection.execute(delete(worker_leases).where(worker_leases.c.id != lease.owner))
    _extend_lease(tx.connection, lease)


def renew(tx: WriteTransaction, lease: WorkerLease) -> list[str]:
    """Renew the lease; the ids of the worker's runs that must stop."""
    _extend_lease(tx.connection, lease)
    return list(tx.connection.execute(_TO_STOP, {"me": lease.owner}).scalars())


def release(tx: WriteTransaction, lease: WorkerLease) -> list[str]:
    """Release the lease and all runs of the worker; their lanes."""
    lock_roots_of(tx, lease.owner)
    lanes = list(tx.connection.execute(_RELEASE_RUNS, {"me": lease.owner, "owner": None}).scalars())
    tx.connection.execute(delete(worker_leases).where(worker_leases.c.id == lease.owner))
    return lanes


def release_run(tx: WriteTransaction, run: Run, *, crashed: bool) -> None:
    """Release a run, so that any worker may claim it."""
    owner = CRASHED_OWNER if crashed else None
    tx.connection.execute(_RELEASE_RUN, {"run": run.id, "its_epoch": run.epoch, "owner": owner})


def resume_parts(tx: WriteTransaction, run: Run, lease: WorkerLease) -> list[str]:
    """Request that the orphaned children of a run resume, since it waits for them; their lanes."""
    values = {"run": run.id, "now": database_now(tx.connection), "me": lease.owner}
    return list(tx.connection.execute(_RESUME_PARTS, values).scalars())


def set_idle(tx: WriteTransaction, run: Run, *, idle: bool) -> None:
    """Store whether a run only waits. Raises NotFound, RunAlreadyEnded, Fenced."""
    values = {"run": run.id, "its_epoch": run.epoch, "rests": idle}
    if tx.connection.execute(_SET_IDLE, values).rowcount != 1:
        check_fencing(tx.connection, author_of(run))


def claimable_lanes(connection: Connection, lease: WorkerLease) -> list[str]:
    """Lanes with a run to claim."""
    values = {"now": database_now(connection), "me": lease.owner, "resume": lease.auto_resume}
    return list(connection.execute(_CLAIMABLE_LANES, values).scalars())


def is_orphaned(connection: Connection, run: Run, lease: WorkerLease = ANY_WORKER) -> bool:
    """Whether the run is running without a live worker; never true of the claimer's own."""
    wanted = select(runs.c.id).where(runs.c.id == run.id, ORPHANED)
    return connection.execute(wanted, {"now": database_now(connection), "me": lease.owner}).first() is not None


def _extend_lease(connection: Connection, lease: WorkerLease) -> None:
    until = database_now(connection) + timedelta(seconds=lease.lease_s)
    connection.execute(_RENEW[connection.dialect.name], {"id": lease.owner, "lease_until": until})
