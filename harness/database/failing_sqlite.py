"""SQLite whose n-th statement or n-th commit fails, as a disk makes it fail: the driver raises, the rest is real."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Literal

from sqlalchemy import Engine, event

UNCOUNTED = "PRAGMA"  # said once to each connection, before there is anything to lose


class DiskError(StrEnum):
    """An error of SQLite; on a full disk SQLite rolls the whole transaction back by itself."""

    IO = "disk I/O error"
    FULL = "database or disk is full"


CODES = {DiskError.IO: sqlite3.SQLITE_IOERR_WRITE, DiskError.FULL: sqlite3.SQLITE_FULL}
DiskOperation = Literal["statement", "commit"]


@dataclass(slots=True)
class FailingDisk:
    """Disk that counts the writer's operations, once armed, and fails at the n-th.

    Args:
        fails_at: the operation that fails; None for none.
        failed_statement: the statement that failed, or "commit"; None until then.
    """

    fails_on: DiskOperation = "statement"
    error: DiskError = DiskError.IO
    fails_at: int | None = None
    count: int = 0
    failed_statement: str | None = None
    armed: bool = False

    def arm(self) -> None:
        self.armed, self.count = True, 0

    def count_operation(self, of: DiskOperation, statement: str, connection: sqlite3.Connection) -> None:
        """One more. Raises sqlite3.OperationalError where it is the n-th."""
        if not self.armed or of != self.fails_on or statement.startswith(UNCOUNTED):
            return
        self.count += 1
        if self.count != self.fails_at:
            return
        self.failed_statement = " ".join(statement.split())[:80]
        if self.error is DiskError.FULL:
            connection.rollback()
        error = sqlite3.OperationalError(str(self.error))
        error.sqlite_errorcode = CODES[self.error]
        raise error


class _Cursor(sqlite3.Cursor):
    connection: "_Connection"

    def execute(self, statement: str, *values: Any) -> "_Cursor":
        self.connection.disk.count_operation("statement", statement, self.connection)
        super().execute(statement, *values)
        return self

    def executemany(self, statement: str, *values: Any) -> "_Cursor":
        self.connection.disk.count_operation("statement", statement, self.connection)
        super().executemany(statement, *values)
        return self


class _Connection(sqlite3.Connection):
    def __init__(self, *given: Any, disk: FailingDisk, **more: Any) -> None:
        self.disk = disk
        super().__init__(*given, **more)

    def cursor(self, _factory: Any = None) -> Any:
        return super().cursor(_Cursor)

    def commit(self) -> None:
        self.disk.count_operation("commit", "commit", self)
        super().commit()


@contextmanager
def failing_sqlite(disk: FailingDisk) -> Iterator[FailingDisk]:
    """Every database that is opened in the block is written to this disk; readers have another."""

    def connect(dialect: Any, _record: object, _given: object, parameters: dict[str, Any]) -> None:
        if dialect.driver == "pysqlite":
            parameters["factory"] = partial(_Connection, disk=disk)

    event.listen(Engine, "do_connect", connect)
    try:
        yield disk
    finally:
        event.remove(Engine, "do_connect", connect)
