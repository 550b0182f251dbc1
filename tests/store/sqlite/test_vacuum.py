"""Vacuum: what was deleted is in no file, also where others use the database meanwhile."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, event

from sprout.errors import DatabaseBusy
from sprout.store.sqlite.vacuum import SharedVacuum, vacuum

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


def statements_of(engine: Engine) -> list[str]:
    """What is executed on connections that are made from now on."""
    executed: list[str] = []
    event.listen(engine, "connect", lambda made, _: made.set_trace_callback(executed.append))
    return executed


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
    executed = statements_of(engine)
    assert WORD in stored(file)
    vacuum(engine)
    assert WORD not in stored(file)
    assert executed.count("VACUUM") == 1, "to rewrite the file once is enough"


def test_I15_a_reader_who_stays_is_told_of(file: Path, reader: sqlite3.Connection) -> None:
    with pytest.raises(DatabaseBusy, match="traces may be left"):
        vacuum(engine_of(file))


async def test_I15_those_who_ask_while_the_file_is_rewritten_share_the_next_time(file: Path) -> None:
    engine = engine_of(file)
    executed = statements_of(engine)
    shared = SharedVacuum(engine)
    deleted_by: list[int] = []

    async def delete(number: int) -> None:
        with closing(sqlite3.connect(file)) as writer:
            writer.execute("INSERT INTO notes VALUES (?)", [f"{WORD.decode()}{number}"])
            writer.commit()
            writer.execute("DELETE FROM notes")
            writer.commit()
        await shared.run()
        assert f"{WORD.decode()}{number}".encode() not in stored(file)
        deleted_by.append(executed.count("VACUUM"))

    await asyncio.gather(*map(delete, range(10)))
    assert sorted(deleted_by) == [1] + [2] * 9
    await delete(10)
    assert deleted_by[-1] == 3
