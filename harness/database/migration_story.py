"""Killed migrations: for n = 1, 2, 3, … a child upgrades the database and is killed at its n-th arrival at a point.

The migrations are those of the program and one more, which rebuilds a table, changes rows and adds a table; where there
is no database yet, the child makes it.

Usage: python -m harness.database.migration_story URL POINT FOLDER; FOLDER is empty, for the migrations.
Prints a line per child: its number, "killed" or "lived", and what was found after it: "before", "after" or "BROKEN".
"""

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from harness.database.released import Rows, all_rows, still_there
from sprout import failpoints
from sprout.store.engine import migrate
from sprout.store.engine.urls import sqlite_file
from sprout.store.sqlite import backups
from sprout.store.sqlite.checks import faults_of

NEXT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "next", {head!r}


def upgrade():
    with op.batch_alter_table("user_node_progress", recreate="always") as progress:
        progress.add_column(sa.Column("mood", sa.Text(), nullable=False, server_default="calm"))
    op.create_table("moods", sa.Column("id", sa.Integer(), primary_key=True), sa.Column("name", sa.Text()))
    op.create_index("ix_moods_name", "moods", ["name"])
    op.execute("insert into moods (name) select title from nodes")
    op.execute("update nodes set accuracy_score = accuracy_score")
"""


def with_one_more(folder: Path) -> None:
    """Make this process's program one that is a migration ahead."""
    source = migrate._MIGRATIONS
    shutil.copytree(source, folder, dirs_exist_ok=True)
    (folder / "versions" / "next.py").write_text(NEXT.format(head=migrate.head()))
    migrate._MIGRATIONS = folder
    migrate.head.cache_clear()
    backups.PAGES_PER_STEP = 16


def tell(url: str, point: str, every: int) -> Iterator[str]:
    before, old = all_rows(url), migrate.current_revision(url)
    for n in count(1, every):
        child = os.fork()
        if child == 0:
            failpoints._trigger = failpoints._Trigger(f"{point}:{n}")
            migrate.upgrade(url)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0 and os.WTERMSIG(status) != signal.SIGKILL:
            sys.exit(f"child {n} did not die as it should: {status}")
        yield f"{n} {'lived' if status == 0 else 'killed'} {found(url, before, old)}"
        if status == 0:
            return


def found(url: str, before: Rows, old: str | None) -> str:
    """State of the database: unchanged, or completely migrated with all its data."""
    file = sqlite_file(url)
    sound = file is None or not file.exists() or faults_of(file) == []
    if sound and migrate.current_revision(url) == old and all_rows(url) == before:
        return "before"
    after = all_rows(url)
    done = migrate.current_revision(url) == "next" and len(after["moods"]) == len(before.get("nodes", ()))
    return "after" if sound and done and still_there(before, after) else "BROKEN"


if __name__ == "__main__":
    with_one_more(Path(sys.argv[3]))
    for line in tell(sys.argv[1], sys.argv[2], int(sys.argv[4])):
        sys.stdout.write(f"{line}\n")
