"""Lock order of transactions that end or claim runs: lanes, then roots, sorted, so that none deadlock.

The lock of a root's row is the lock of its log. On SQLite one transaction is active at a time, and holds everything.
"""

from sqlalchemy import bindparam, select, text

from sprout.runs.state import RunState
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.runs.mapping import runs
from sprout.store.schema.run_tables import UNFINISHED

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
_LOCK_ROOTS_IN_LANES = _IN_ORDER.where(runs.c.id.in_(_ROOTS_IN_LANES))
_LOCK_ROOTS_OF_OWNER = _IN_ORDER.where(runs.c.id.in_(_ROOTS_OF_OWNER))


def lock_lane(tx: WriteTransaction, lane: str) -> None:
    """Lock one lane against admissions, claims and endings."""
    tx.lock(f"lane:{lane}")


def lock_trees(tx: WriteTransaction, lane: str, run_id: str = "") -> None:
    """Lock the lane, those of all runs under its runs or under this one, and the roots of all runs there."""
    if not tx.is_exclusive:
        found = tx.connection.execute(_LANES_OF_TREES, {"run": run_id, "lane": lane})
        tx.connection.execute(_LOCK_ROOTS_IN_LANES, {"lanes": list(found.scalars())})


def lock_roots_of(tx: WriteTransaction, owner: str) -> None:
    """Lock the roots of all runs of this worker."""
    if not tx.is_exclusive:
        tx.connection.execute(_LOCK_ROOTS_OF_OWNER, {"owner": owner})
