"""What is kept of runs that ended long ago: the run itself and its last word (V7)."""

from datetime import datetime

from sqlalchemy import and_, bindparam, delete, exists, select

from sprout.store import run_tables
from sprout.store.columns import table_of
from sprout.store.run_rows import runs
from sprout.store.write import Write

AT_ONCE = 20  # root runs in one transaction, so that nobody waits long for it

_events = table_of(run_tables.RunEvent)
_calls, _checkpoints = table_of(run_tables.ToolCall), table_of(run_tables.Checkpoint)
_OLD = (
    select(runs.c.id, runs.c.last_seq)
    .where(
        runs.c.parent_id.is_(None),
        runs.c.ended_at < bindparam("before"),
        exists().where(and_(_events.c.root_id == runs.c.id, _events.c.seq < runs.c.last_seq)),
    )
    .limit(AT_ONCE)
)
_ALL_BUT_THE_LAST = delete(_events).where(_events.c.root_id == bindparam("root"), _events.c.seq < bindparam("last"))
_OF_FAMILY = select(runs.c.id).where(runs.c.root_id == bindparam("root"))


def trim(write: Write, before: datetime) -> int:
    """Forget the course of some root runs that ended before this moment; of how many."""
    old = write.connection.execute(_OLD, {"before": before}).all()
    for root_id, last_seq in old:
        write.connection.execute(_ALL_BUT_THE_LAST, {"root": root_id, "last": last_seq})
        for table in (_calls, _checkpoints):
            write.connection.execute(delete(table).where(table.c.run_id.in_(_OF_FAMILY)), {"root": root_id})
    return len(old)
