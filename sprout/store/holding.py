"""What a transaction holds before it ends or claims runs: lanes, then roots, in one order for all: nobody waits in a
ring. Who holds a root's row holds its log. On SQLite one transaction is under way at a time, and holds everything."""

from sqlalchemy import bindparam, select, text

from sprout.runs.state import RunState
from sprout.store.run_rows import runs
from sprout.store.run_tables import UNFINISHED
from sprout.store.write import Write

_LANES_OF_TREES = text("""
    with recursive tree (id, lane, state) as (
        select id, lane, state from runs where id = :run or (lane = :lane and state in :unfinished)
        union
        select runs.id, runs.lane, runs.state from runs join tree on runs.parent_id = tree.id
    ),
    lanes (lane) as (select lane from tree where state in :unfinished union select :lane)
    select lane, pg_advisory_xact_lock(hashtextextended('lane:' || lane, 0))
    from (select lane collate "C" as lane from lanes order by 1) as in_order
""").bindparams(bindparam("unfinished", UNFINISHED, expanding=True))
_ROOTS_IN_LANES = select(runs.c.root_id).where(
    runs.c.lane.in_(bindparam("lanes", expanding=True)), runs.c.state.in_(UNFINISHED)
)
_ROOTS_OF_OWNER = select(runs.c.root_id).where(
    runs.c.owner == bindparam("owner"), runs.c.state == RunState.RUNNING.value
)
_IN_ORDER = select(runs.c.id).order_by(runs.c.id).with_for_update(key_share=True)
_HOLD_ROOTS_IN_LANES = _IN_ORDER.where(runs.c.id.in_(_ROOTS_IN_LANES))
_HOLD_ROOTS_OF_OWNER = _IN_ORDER.where(runs.c.id.in_(_ROOTS_OF_OWNER))


def hold_lane(write: Write, lane: str) -> None:
    """Hold one lane: nobody else is admitted there, claims there, or ends there."""
    write.lock(f"lane:{lane}")


def hold_trees(write: Write, lane: str, run_id: str = "") -> None:
    """Hold the lane, those of all that is under the runs in it or under this one, and the roots of all runs there."""
    if not write.alone:
        found = write.connection.execute(_LANES_OF_TREES, {"run": run_id, "lane": lane})
        write.connection.execute(_HOLD_ROOTS_IN_LANES, {"lanes": list(found.scalars())})


def hold_roots_of(write: Write, owner: str) -> None:
    """Hold the roots of all runs that this carrier has."""
    if not write.alone:
        write.connection.execute(_HOLD_ROOTS_OF_OWNER, {"owner": owner})
