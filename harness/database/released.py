"""Databases as releases leave them, under `released_data/`: a path grown from a model, and one from a file."""

import gzip
import json
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from alembic import command
from sqlalchemy import JSON, Boolean, Connection, DateTime, MetaData, Table, create_engine, inspect, text
from sqlalchemy.pool import NullPool

from sprout.store.engine import migrate
from sprout.store.engine.urls import sqlite_file, sync_url
from sprout.store.schema.partitions import is_partition
from sprout.store.sqlite.lock_file import lock_path

FOLDER = Path(__file__).parent / "released_data"
REVISIONS = sorted(path.name.partition(".")[0] for path in FOLDER.glob("*.sql.gz"))
PAGE_BYTES = 4096
Rows = Mapping[str, list[dict[str, Any]]]


def restore(url: str, revision: str) -> None:
    """Create the database of that release at an unused URL."""
    file = sqlite_file(url)
    if file is not None:
        write_file(file, revision)
        return
    with TemporaryDirectory() as folder:
        written = Path(folder, "released.sqlite3")
        write_file(written, revision)
        with migrate.connect(url) as connection:
            command.upgrade(migrate.migrations(connection), revision)
        with closing(sqlite3.connect(written)) as released, migrate.connect(url) as connection:
            released.row_factory = sqlite3.Row
            copy_rows(released, connection)


def write_file(file: Path, revision: str) -> None:
    """The same as an SQLite file with a write-ahead log, closed."""
    file.write_bytes(_released_bytes(revision))


@cache
def _released_bytes(revision: str) -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder, "released.sqlite3")
        with migrate.connect(f"sqlite:///{file}") as connection:
            command.upgrade(migrate.migrations(connection), revision)
        with closing(sqlite3.connect(file)) as made:
            made.execute("PRAGMA synchronous=OFF")  # each row is a transaction of its own
            made.executescript(_script(revision))
            made.execute("PRAGMA journal_mode=WAL")
        return file.read_bytes()


def a_closed_database(file: Path) -> Path:
    """The oldest release's database, brought up to date and closed by Sprout; without a backup."""
    closed, lock, modified_ns = _closed_bytes()
    file.write_bytes(closed)
    os.utime(file, ns=(modified_ns, modified_ns))
    lock_path(file).write_bytes(lock)
    return file


@cache
def _closed_bytes() -> tuple[bytes, bytes, int]:
    """The file, its lock with the record of the clean shutdown, and when the file was written."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "closed.sqlite3")
        write_file(file, REVISIONS[0])
        migrate.upgrade(f"sqlite:///{file}")
        return file.read_bytes(), lock_path(file).read_bytes(), file.stat().st_mtime_ns


def a_page_of_zeros(file: Path, page: int = 2) -> None:
    """Damage the file as a disk does that has lost a page."""
    content = bytearray(file.read_bytes())
    content[(page - 1) * PAGE_BYTES : page * PAGE_BYTES] = bytes(PAGE_BYTES)
    file.write_bytes(content)


def all_rows(url: str) -> Rows:
    """Every row of every table, in an order of their contents."""
    engine = create_engine(sync_url(url), poolclass=NullPool)
    try:
        with engine.connect() as connection:
            return {
                table: sorted(
                    (dict(row._mapping) for row in connection.execute(text(f'SELECT * FROM "{table}"'))), key=str
                )
                for table in inspect(connection).get_table_names()
                if not is_partition(table)
            }
    finally:
        engine.dispose()


def still_there(before: Rows, after: Rows) -> bool:
    """Return True if every row keeps its values in the tables and columns that still exist."""
    for table in before.keys() & after.keys() - {"alembic_version"}:
        if not before[table]:
            continue
        columns = after[table][0].keys() if after[table] else set[str]()
        same = columns & before[table][0].keys()
        was = [{name: value for name, value in row.items() if name in same} for row in before[table]]
        now = [{name: value for name, value in row.items() if name in same} for row in after[table]]
        if sorted(map(str, was)) != sorted(map(str, now)):
            return False
    return True


def copy_rows(released: sqlite3.Connection, connection: Connection) -> None:
    """Copy every row of an SQLite file into the tables of the same names, in the order of their references."""
    known = MetaData()
    known.reflect(connection)
    for table in known.sorted_tables:
        if table.name == "alembic_version" or is_partition(table.name):
            continue
        rows = [_typed(table, row) for row in released.execute(f'SELECT * FROM "{table.name}" ORDER BY rowid')]
        if rows:
            connection.execute(table.insert(), rows)


def _script(revision: str) -> str:
    return gzip.decompress((FOLDER / f"{revision}.sql.gz").read_bytes()).decode()


def _typed(table: Table, row: sqlite3.Row) -> dict[str, Any]:
    """A row with the values that a server's driver takes."""
    values: dict[str, Any] = dict(row)
    for column in table.columns:
        value = values[column.name]
        if value is None:
            continue
        match column.type:
            case JSON():
                values[column.name] = json.loads(value)
            case DateTime():
                values[column.name] = datetime.fromisoformat(f"{value}+00:00")
            case Boolean():
                values[column.name] = bool(value)
    return values
