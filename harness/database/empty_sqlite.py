"""SQLite databases that are up to date and hold nothing: copies, since migrating anew takes longer than most tests."""

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sprout.store.engine.migrate import upgrade


def create_empty_database(folder: Path) -> str:
    """URL of the database in the folder, which is created if missing."""
    file = folder / "sprout.sqlite3"
    if not file.exists():
        file.write_bytes(_migrated_bytes())
    return f"sqlite:///{file}"


@cache
def _migrated_bytes() -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder, "sprout.sqlite3")
        upgrade(f"sqlite:///{file}")
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")  # as every start leaves it: turning to it is two syncs
        return file.read_bytes()
