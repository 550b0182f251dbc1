"""A database as 0.1 left it, under `release_0_1_data/`.

A path from notes and one of a built-in course, each with a lesson that waits for an answer; an answered diagnostic, and
a part that its learner has removed.
"""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import text

from harness.database.released import copy_rows
from sprout.store.engine import migrate
from sprout.store.engine.urls import sqlite_file

FOLDER = Path(__file__).parent / "release_0_1_data"
REVISION = "b61f0c7e2d94"


def restore_0_1(url: str) -> None:
    """Create the database at the URL of one without tables, or of none."""
    file = sqlite_file(url)
    if file is not None:
        _write(file)
        return
    with TemporaryDirectory() as folder:
        written = Path(folder, "release.sqlite3")
        _write(written)
        with closing(sqlite3.connect(written)) as released, migrate.connect(url) as connection:
            released.row_factory = sqlite3.Row
            connection.execute(text(_script("postgres_schema")))
            connection.execute(text("insert into alembic_version values (:revision)"), {"revision": REVISION})
            copy_rows(released, connection)


def _write(file: Path) -> None:
    with closing(sqlite3.connect(file)) as made:
        made.executescript(_script("sqlite"))


def _script(name: str) -> str:
    return gzip.decompress((FOLDER / f"{name}.sql.gz").read_bytes()).decode()
