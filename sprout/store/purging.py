"""Leaving no trace of what was deleted in SQLite's files; on PostgreSQL its own vacuum sees to that."""

import sqlite3
from pathlib import Path

from sqlalchemy import Engine

from sprout.errors import DatabaseBusy
from sprout.store.backups import remove_backups

TRACES_LEFT = "Everything is deleted, but the database is in use, so traces may be left in its files: delete again."


def purge(engine: Engine) -> None:
    """Write SQLite's file anew without what is free in it, empty its log, and remove the backups beside it.

    Blocking. Raises DatabaseBusy: others were at it all the time, and traces may be left.
    """
    if engine.dialect.name != "sqlite":
        return
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ((is_busy, _, _),) = cursor.fetchall()
    except sqlite3.OperationalError as error:
        raise DatabaseBusy(TRACES_LEFT) from error
    finally:
        connection.close()
    if is_busy:
        raise DatabaseBusy(TRACES_LEFT)
    remove_backups(Path(engine.url.database or ""))
