"""Other learners on PostgreSQL: copies of all rows of the learner who is there, by the thousand and within seconds."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from sprout.clock import utc_now
from sprout.store.engine.migrate import connect
from sprout.store.engine.urls import sync_url
from sprout.store.schema.columns import TableModel
from sprout.store.schema.partitions import WEEK, first_id, make_partitions, week_of

WEEKS = 5  # over which the copies' runs are spread
PAUSED = 2  # one in so many has left a path that waits for an answer
ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-"
LONGEST_KEY = 200  # characters; a longer text that holds an id is no key
SHORTENED = 100  # characters that are left of a long text
OF_PROCESSES = {"worker_leases"}  # as many rows as there are workers, however many learners


class OtherLearners:
    """Copies of the learner whose rows are in the database when this is made.

    A copy has the same texts, times and states, and ids of its own. It is spread over several weeks by the time in its
    ids, so that several partitions of the event log have rows. One in two has a path that waits for an answer.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._count = 0
        self._tables = [table for table in TableModel.metadata.sorted_tables if table.name not in OF_PROCESSES]
        with connect(url) as connection:
            now = utc_now()
            for weeks in (WEEKS - 1, 0):
                make_partitions(connection, now - weeks * WEEK)
            connection.execute(text("create schema original"))
            for table in self._tables:
                connection.execute(text(f"create table original.{table.name} as table public.{table.name}"))
            self._columns = {table.name: _copied_columns(connection, table.name) for table in self._tables}
            counted = text("select count(*) from original.run_events")
            self.events_each: int = connection.execute(counted).scalar_one()

    @property
    def copied_tables(self) -> frozenset[str]:
        """The tables that grow with the learners, since the one who was copied has rows in them."""
        return frozenset(name for name, columns in self._columns.items() if columns)

    def grow(self, events: int) -> int:
        """Add learners until their events are as many; how many learners there are."""
        until = events // self.events_each
        with connect(self._url) as connection:
            connection.execute(text("set local session_replication_role = replica"))  # what is copied refers to copies
            for name, columns in self._columns.items():
                if columns:
                    _copy(connection, name, columns, range(self._count + 1, until + 1))
            connection.execute(
                text(
                    "update runs set state = 'waiting_on_human', ended_at = null where agent = 'topic'"
                    f" and split_part(id, '~', 2) <> '' and split_part(id, '~', 2)::int % {PAUSED} = 0 and ended_at"
                    " is not null"
                )
            )
        self._count = until
        _vacuum(self._url)
        return until


def _copied_columns(connection: Connection, name: str) -> dict[str, str]:
    """The columns of a table that are copied, with the expression that makes the copy's value; none if it is empty."""
    table = TableModel.metadata.tables[name]
    expressions = {}
    for column in table.columns:
        quoted = f'"{column.name}"'
        if column.name == "creation":
            continue
        if column.type.compile(dialect=connection.dialect) != "TEXT":
            expressions[quoted] = quoted
            continue
        longest, holds_id = connection.execute(
            text(f"select max(length({quoted})), bool_or({quoted} ~ '{ID}') from original.{name}")
        ).one()
        if longest is not None and holds_id and longest <= LONGEST_KEY:
            expressions[quoted] = _other_key(quoted)
        elif column.unique:
            expressions[quoted] = f"{quoted} || '~' || n"
        elif longest is not None and longest > LONGEST_KEY:
            expressions[quoted] = f"left({quoted}, {SHORTENED})"
        else:
            expressions[quoted] = quoted
    filled = connection.execute(text(f"select exists (select from original.{name})")).scalar_one()
    return expressions if filled else {}


def _other_key(quoted: str) -> str:
    """A key of the n-th copy: the ids in it get the time of another week, and it gets a number."""
    return (
        f"case when {quoted} ~ '{ID}' then regexp_replace({quoted}, '[0-9a-f]{{8}}(-[0-9a-f]{{4}}-7)', week || '\\1',"
        f" 'g') || '~' || n else {quoted} end"
    )


def _copy(connection: Connection, name: str, columns: dict[str, str], numbers: range) -> None:
    connection.execute(
        text(
            f"insert into {name} ({', '.join(columns)}) select {', '.join(columns.values())}"
            f" from original.{name} cross join (select n, (cast(:weeks as text[]))[n % {WEEKS} + 1] as week"
            " from generate_series(cast(:first as int), cast(:last as int)) as n) as copies on conflict do nothing"
        ),
        {"weeks": _week_times(), "first": numbers.start, "last": numbers.stop - 1},
    )


def _week_times() -> Sequence[str]:
    """The beginning of an id that was made in the middle of each of the weeks."""
    monday = week_of(utc_now())
    return [first_id(monday - weeks * WEEK + timedelta(days=3))[:8] for weeks in range(WEEKS)]


def _vacuum(url: str) -> None:
    engine = create_engine(sync_url(url), poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("vacuum (analyze)"))
