"""Who carries runs: leases that are renewed, and what is left behind where one is not."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, exists, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from sprout.clock import utc_now
from sprout.runs.log import Claim
from sprout.runs.state import Run, RunState
from sprout.store.holding import hold_roots_of
from sprout.store.log import refuse_lost
from sprout.store.run_rows import author_of, carriers, runs
from sprout.store.write import Write

NOBODY = ""
ANYBODY = Claim("-", lease_s=0.0)

_ALIVE = exists().where(carriers.c.id == runs.c.owner, carriers.c.lease_until >= bindparam("now"))
UNCARRIED = and_(
    runs.c.state == RunState.RUNNING.value,
    or_(runs.c.owner.is_(None), and_(runs.c.owner != bindparam("me"), ~_ALIVE)),
)
_WAITING = runs.c.state == RunState.WAITING_ON_HUMAN.value
_holder = runs.alias("holder")
_FREE_LANE = ~exists().where(
    _holder.c.lane == runs.c.lane,
    _holder.c.state.in_([RunState.RUNNING.value, RunState.WAITING_ON_HUMAN.value]),
)
_STALE_LANES = (
    select(runs.c.lane)
    .where(
        or_(
            and_(UNCARRIED, or_(bindparam("resume"), runs.c.cancel_requested, runs.c.cause == "asked")),
            and_(_WAITING, or_(runs.c.answered, runs.c.cancel_requested)),
            and_(runs.c.state == RunState.QUEUED.value, _FREE_LANE),
        )
    )
    .distinct()
)


def _insert_or_prolong(dialect: Any) -> Any:
    fresh = dialect.insert(carriers)
    return fresh.on_conflict_do_update(index_elements=[carriers.c.id], set_={"lease_until": fresh.excluded.lease_until})


_RENEW = {"sqlite": _insert_or_prolong(sqlite), "postgresql": _insert_or_prolong(postgresql)}
_TO_STOP = select(runs.c.id).where(
    runs.c.owner == bindparam("me"), runs.c.state == RunState.RUNNING.value, runs.c.cancel_requested
)
_LET_GO = update(runs).where(runs.c.owner == bindparam("me"), runs.c.state == RunState.RUNNING.value)
_ABANDON = update(runs).where(
    runs.c.id == bindparam("run"),
    runs.c.epoch == bindparam("its_epoch"),
    runs.c.state == RunState.RUNNING.value,
)
_REST = _ABANDON.values(resting=bindparam("rests"))


def now_of(connection: Connection) -> datetime:
    """The one clock by which all carriers measure their leases: the database's where it has one."""
    if connection.dialect.name == "sqlite":
        return utc_now()
    now: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return now


def enrol(write: Write, claim: Claim) -> None:
    """Begin to carry; whoever is alone ends everybody else's lease."""
    if claim.alone:
        write.connection.execute(delete(carriers).where(carriers.c.id != claim.owner))
    _prolong(write.connection, claim)


def renew(write: Write, claim: Claim) -> list[str]:
    """Prolong the lease; the ids of the owner's runs that shall stop."""
    _prolong(write.connection, claim)
    return list(write.connection.execute(_TO_STOP, {"me": claim.owner}).scalars())


def release(write: Write, claim: Claim) -> None:
    """Let go of everything in good order."""
    hold_roots_of(write, claim.owner)
    write.connection.execute(_LET_GO, {"me": claim.owner, "owner": None})
    write.connection.execute(delete(carriers).where(carriers.c.id == claim.owner))


def abandon(write: Write, run: Run, *, crashed: bool) -> None:
    """Leave a run to whoever finds it."""
    owner = NOBODY if crashed else None
    write.connection.execute(_ABANDON, {"run": run.id, "its_epoch": run.epoch, "owner": owner})


def rest(write: Write, run: Run, *, resting: bool) -> None:
    """Keep whether a run only waits. Raises NotFound, RunAlreadyEnded, Fenced."""
    values = {"run": run.id, "its_epoch": run.epoch, "rests": resting}
    if write.connection.execute(_REST, values).rowcount != 1:
        refuse_lost(write.connection, author_of(run))


def stale_lanes(connection: Connection, claim: Claim) -> list[str]:
    """Lanes in which there is something to claim."""
    values = {"now": now_of(connection), "me": claim.owner, "resume": claim.resume}
    return list(connection.execute(_STALE_LANES, values).scalars())


def is_uncarried(connection: Connection, run: Run, claim: Claim = ANYBODY) -> bool:
    """Whether the run should be going and nobody carries it: never true of the claimer's own."""
    wanted = select(runs.c.id).where(runs.c.id == run.id, UNCARRIED)
    return connection.execute(wanted, {"now": now_of(connection), "me": claim.owner}).first() is not None


def _prolong(connection: Connection, claim: Claim) -> None:
    until = now_of(connection) + timedelta(seconds=claim.lease_s)
    connection.execute(_RENEW[connection.dialect.name], {"id": claim.owner, "lease_until": until})
