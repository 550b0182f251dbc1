"""Vacuum: SQLite's files keep no trace of deleted rows; on PostgreSQL its own vacuum sees to that."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.engine.interfaces import DBAPICursor

from sprout.errors import DatabaseBusy
from sprout.store.sqlite.backups import remove_backups

DATA_MAY_REMAIN = "Everything is deleted, but the database is in use, so traces may be left in its files: delete again."

ATTEMPTS = 4  # of five seconds each, in which others can be in the way


class SharedVacuum:
    """One vacuum at a time: those who ask while it runs share the next, since each keeps every writer waiting."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._running = asyncio.Lock()
        self._asked = 0
        self._served = 0

    async def run(self) -> None:
        """Return when a vacuum that began after this call has ended. Raises DatabaseBusy as `vacuum` does."""
        self._asked += 1
        mine = self._asked
        async with self._running:
            if self._served >= mine:
                return
            waiting = self._asked
            await asyncio.to_thread(vacuum, self._engine)
            self._served = waiting


def vacuum(engine: Engine) -> None:
    """Rewrite SQLite's file without its free pages, empty its log, and remove the backups beside it.

    What others are in the way of is tried again, and nothing else: to rewrite the file keeps all of them waiting.

    Blocking. Raises DatabaseBusy: others used it all the time, and traces may be left.
    """
    if engine.dialect.name != "sqlite":
        return
    left = [_rewrite_file, _empty_log]
    for _ in range(ATTEMPTS):
        with closing(engine.raw_connection()) as connection:
            cursor = connection.cursor()
            while left and left[0](cursor):
                left.pop(0)
        if not left:
            remove_backups(Path(engine.url.database or ""))
            return
    raise DatabaseBusy(DATA_MAY_REMAIN, code="data_may_remain")


def _rewrite_file(cursor: DBAPICursor) -> bool:
    """Return True if no other writer was in the way, and there was room."""
    try:
        cursor.execute("VACUUM")
    except sqlite3.OperationalError:
        return False
    return True


def _empty_log(cursor: DBAPICursor) -> bool:
    """Return True if no reader was in the way."""
    try:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError:
        return False
    ((is_busy, _, _),) = cursor.fetchall()
    return not is_busy
