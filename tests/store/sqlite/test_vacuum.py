"""Vacuum: what was deleted is in no file, also where others use the database meanwhile."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, event

from sprout.errors import DatabaseBusy
from sprout.store.sqlite.vacuum import vacuum

WORD = b"Canary"
MOMENT_S = 0.01


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database whose only row was deleted, with the row still in its log."""
    path = tmp_path / "sprout.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE notes (text)")
        database.commit()
    return path


@pytest.fixture
def reader(file: Path) -> Iterator[sqlite3.Connection]:
    """Somebody who reads the database as it was before the row was deleted."""
    with closing(sqlite3.connect(file, isolation_level=None)) as reader, closing(sqlite3.connect(file)) as writer:
        writer.execute("INSERT INTO notes VALUES (?)", [WORD.decode()])
        writer.commit()
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM notes").fetchall()
        writer.execute("DELETE FROM notes")
        writer.commit()
        yield reader


def engine_of(file: Path) -> Engine:
    return create_engine(f"sqlite:///{file}", connect_args={"timeout": MOMENT_S})


def stored(file: Path) -> bytes:
    return b"".join(each.read_bytes() for each in file.parent.glob(f"{file.name}*"))


def test_I15_a_reader_who_is_in_the_way_at_first_leaves_no_trace_behind(file: Path, reader: sqlite3.Connection) -> None:
    engine, tries = engine_of(file), 0

    def leave_at_the_second(*_: object) -> None:
        nonlocal tries
        tries += 1
        if tries == 2:
            reader.execute("ROLLBACK")

    event.listen(engine, "checkout", leave_at_the_second)
    rewritten: list[str] = []
    event.listen(engine, "connect", lambda made, _: made.set_trace_callback(rewritten.append))
    assert WORD in stored(file)
    vacuum(engine)
    assert WORD not in stored(file)
    assert rewritten.count("VACUUM") == 1, "to rewrite the file once is enough"


def test_I15_a_reader_who_stays_is_told_of(file: Path, reader: sqlite3.Connection) -> None:
    with pytest.raises(DatabaseBusy, match="traces may be left"):
        vacuum(engine_of(file))
