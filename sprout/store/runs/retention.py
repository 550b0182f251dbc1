"""Retention of the event log: of an old root run the run itself and its last event are kept.

On PostgreSQL the events of a week's runs are removed together, with their partition, once all of them are old enough;
if a run of that week has not ended or ended late, the events of the others are deleted run by run.
"""

from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, bindparam, delete, exists, insert, or_, select, text

from sprout.store.engine.transaction import WriteTransaction
from sprout.store.runs.mapping import runs
from sprout.store.schema import run_tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.partitions import (
    EVENTS,
    LIMIT_WAIT,
    WEEK,
    events_table,
    existing_weeks,
    first_id,
    partition_name,
    week_of,
)

PARTITIONS_LOCK = f"{EVENTS} partitions"
ROOTS_PER_BATCH = 20  # root runs in one transaction, so that no other waits long for it

_events = table_of(run_tables.RunEvent)
_calls, _checkpoints = table_of(run_tables.ToolCall), table_of(run_tables.CheckpointRow)
_OLD = (
    select(runs.c.id, runs.c.last_seq)
    .where(
        runs.c.parent_id.is_(None),
        runs.c.ended_at < bindparam("before"),
        exists().where(and_(_events.c.root_id == runs.c.id, _events.c.seq < runs.c.last_seq)),
    )
    .limit(ROOTS_PER_BATCH)
)
_OLD_IN_PAST_WEEKS = _OLD.where(runs.c.id < bindparam("end"))
_DELETE_ALL_BUT_LAST = delete(_events).where(_events.c.root_id == bindparam("root"), _events.c.seq < bindparam("last"))
_OF_TREE = select(runs.c.id).where(runs.c.root_id == bindparam("root"))
_IN_RANGE = (runs.c.root_id >= bindparam("first"), runs.c.root_id < bindparam("end"))
_STILL_NEEDED = (
    select(runs.c.id)
    .where(
        *_IN_RANGE, runs.c.parent_id.is_(None), or_(runs.c.ended_at.is_(None), runs.c.ended_at >= bindparam("before"))
    )
    .limit(1)
)
_COLUMNS = [column.name for column in _events.c]
_OF_RANGE = select(runs.c.id).where(*_IN_RANGE)


def drop_past_partition(tx: WriteTransaction, before: datetime, now: datetime) -> int | None:
    """Drop the oldest partition of a past week all of whose root runs ended before this moment; its number of runs.

    None if there is none. The last events of its runs move to the default partition.
    """
    if tx.is_exclusive:
        return None
    tx.lock(PARTITIONS_LOCK)
    past = min(week_of(before), week_of(now))
    for week in existing_weeks(tx.connection):
        values = {"first": first_id(week), "end": first_id(week + WEEK), "before": before}
        if week < past and tx.connection.execute(_STILL_NEEDED, values).first() is None:
            return _drop(tx.connection, week)
    return None


def prune_events(tx: WriteTransaction, before: datetime) -> int:
    """Delete the events, calls and checkpoints of some root runs that ended before this moment; how many runs."""
    wanted: Select[Any] = _OLD if tx.is_exclusive else _OLD_IN_PAST_WEEKS
    values = {"before": before} if tx.is_exclusive else {"before": before, "end": first_id(week_of(before))}
    old = tx.connection.execute(wanted, values).all()
    for root_id, last_seq in old:
        tx.connection.execute(_DELETE_ALL_BUT_LAST, {"root": root_id, "last": last_seq})
        for table in (_calls, _checkpoints):
            tx.connection.execute(delete(table).where(table.c.run_id.in_(_OF_TREE)), {"root": root_id})
    return len(old)


def _drop(connection: Connection, week: date) -> int:
    name = partition_name(week)
    values = {"first": first_id(week), "end": first_id(week + WEEK)}
    for table in (_calls, _checkpoints):
        connection.execute(delete(table).where(table.c.run_id.in_(_OF_RANGE)), values)
    partition, last_events = events_table(name), events_table("last_events")
    is_last = and_(runs.c.id == partition.c.root_id, runs.c.last_seq == partition.c.seq)
    connection.execute(LIMIT_WAIT)
    connection.execute(text(f"create temporary table last_events (like {EVENTS}) on commit drop"))
    connection.execute(insert(last_events).from_select(_COLUMNS, select(*partition.c).join(runs, is_last)))
    connection.execute(text(f"drop table {name}"))
    restore = insert(_events).from_select(_COLUMNS, select(*last_events.c)).execution_options(preserve_rowcount=True)
    return connection.execute(restore).rowcount
