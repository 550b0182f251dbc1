"""Vacuum: SQLite's files keep no trace of deleted rows; on PostgreSQL its own vacuum sees to that."""

import sqlite3
from pathlib import Path

from sqlalchemy import Engine

from sprout.errors import DatabaseBusy
from sprout.store.sqlite.backups import remove_backups

DATA_MAY_REMAIN = "Everything is deleted, but the database is in use, so traces may be left in its files: delete again."


ATTEMPTS = 4  # of five seconds each, in which others can be in the way


def vacuum(engine: Engine) -> None:
    """Rewrite SQLite's file without its free pages, empty its log, and remove the backups beside it.

    Blocking. Raises DatabaseBusy: others used it all the time, and traces may be left.
    """
    if engine.dialect.name != "sqlite":
        return
    if not any(_vacuumed(engine) for _ in range(ATTEMPTS)):
        raise DatabaseBusy(DATA_MAY_REMAIN, code="data_may_remain")
    remove_backups(Path(engine.url.database or ""))


def _vacuumed(engine: Engine) -> bool:
    """Return True if the file was rewritten: no other connection was in the way, and there was room."""
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ((is_busy, _, _),) = cursor.fetchall()
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return not is_busy
