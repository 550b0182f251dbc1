"""Partitions of the event log on PostgreSQL: one for the root runs of each week, made ahead of time.

A run's id begins with its time (UUID version 7), so the root runs of a week are a range of ids, and (root_id, seq) is
unique over all partitions. The default partition takes what no week covers: the last events of runs whose partition was
dropped and, if partitions were not made in time, events of new runs, which move as soon as their partition is made.
"""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from sqlalchemy import Connection, TableClause, and_, column, delete, func, insert, select, table, text

WEEK = timedelta(days=7)
WEEKS_AHEAD = 4
EVENTS = "run_events"
DEFAULT = f"{EVENTS}_default"
LIMIT_WAIT = text("set local lock_timeout = '3s'")  # other writers queue behind a waiting lock request

_PARTITION = re.compile(rf"{EVENTS}_(\d{{8}})")
_NAMES = text(
    "select pg_class.relname from pg_inherits join pg_class on pg_class.oid = pg_inherits.inhrelid "
    "where pg_inherits.inhparent = cast('run_events' as regclass) order by 1"
)


def week_of(moment: datetime) -> date:
    """The Monday (UTC) of the moment's week."""
    day = moment.astimezone(UTC).date()
    return day - timedelta(days=day.weekday())


def first_id(day: date) -> str:
    """The smallest id of this day (UTC): below all that are made from its beginning on, above all earlier ones."""
    began = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return str(UUID(int=int(began.timestamp()) * 1000 << 80))


def partition_name(week: date) -> str:
    """The name of the partition of the week that begins on this day."""
    return f"{EVENTS}_{week:%Y%m%d}"


def is_partition(name: str | None) -> bool:
    """Whether a table is a partition of the event log, which no model describes."""
    return name is not None and (name == DEFAULT or _PARTITION.fullmatch(name) is not None)


def existing_weeks(connection: Connection) -> Sequence[date]:
    """The first days of the weeks that have a partition, in order."""
    found = map(_PARTITION.fullmatch, connection.execute(_NAMES).scalars())
    return [datetime.strptime(one[1], "%Y%m%d").replace(tzinfo=UTC).date() for one in found if one is not None]


def make_partitions(connection: Connection, now: datetime) -> Sequence[date]:
    """Make the missing partitions of this week and the next ones; the weeks for which one was made."""
    this_week, existing = week_of(now), existing_weeks(connection)
    wanted = [this_week + ahead * WEEK for ahead in range(WEEKS_AHEAD + 1)]
    missing = [week for week in wanted if week not in existing]
    if missing:
        # In the order in which a run's writes take them. The new partition refers to runs, and the default partition
        # must get no more events of a week while its own are moved.
        connection.execute(LIMIT_WAIT)
        for name in ("runs", EVENTS):
            connection.execute(text(f"lock table {name} in share row exclusive mode"))
    for week in missing:
        _make_partition(connection, week)
    return missing


def count_uncovered(connection: Connection) -> int:
    """The number of events in the default partition that are not older than all other partitions."""
    weeks = existing_weeks(connection)
    first = first_id(weeks[0]) if weeks else ""
    default = events_table(DEFAULT)
    wanted = select(func.count()).select_from(default).where(default.c.root_id >= first)
    count: int = connection.execute(wanted).scalar_one()
    return count


def events_table(name: str) -> TableClause:
    """A table with the columns of the event log."""
    return table(name, *map(column, ("root_id", "seq", "run_id", "kind", "data")))


def _make_partition(connection: Connection, week: date) -> None:
    name, first, end = partition_name(week), first_id(week), first_id(week + WEEK)
    connection.execute(text(f"create table {name} (like {EVENTS} including defaults)"))
    default = events_table(DEFAULT)
    of_week = and_(default.c.root_id >= first, default.c.root_id < end)
    moved = delete(default).where(of_week).returning(*default.c).cte("moved")
    connection.execute(insert(events_table(name)).from_select([*moved.c.keys()], select(moved)))
    connection.execute(text(f"alter table {EVENTS} attach partition {name} for values from ('{first}') to ('{end}')"))
