"""SQLite whose n-th statement or n-th commit fails, as a disk makes it fail: the driver raises, the rest is real."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Literal

from sqlalchemy import Engine, event

NOT_COUNTED = "PRAGMA"  # said once to each connection, before there is anything to lose


class Ill(StrEnum):
    """What SQLite says; where the disk is full, it takes the whole transaction back by itself."""

    IO = "disk I/O error"
    FULL = "database or disk is full"


CODES = {Ill.IO: sqlite3.SQLITE_IOERR_WRITE, Ill.FULL: sqlite3.SQLITE_FULL}
Of = Literal["statement", "commit"]


@dataclass(slots=True)
class Disk:
    """Counts what the writer asks of it, once it is armed, and fails at the n-th.

    Args:
        at: which one fails; None for none.
        struck: at which statement that was, or "commit"; None until then.
    """

    of: Of = "statement"
    ill: Ill = Ill.IO
    at: int | None = None
    asked: int = 0
    struck: str | None = None
    armed: bool = False

    def arm(self) -> None:
        self.armed, self.asked = True, 0

    def ask(self, of: Of, said: str, connection: sqlite3.Connection) -> None:
        """One more. Raises sqlite3.OperationalError where it is the n-th."""
        if not self.armed or of != self.of or said.startswith(NOT_COUNTED):
            return
        self.asked += 1
        if self.asked != self.at:
            return
        self.struck = " ".join(said.split())[:80]
        if self.ill is Ill.FULL:
            connection.rollback()
        error = sqlite3.OperationalError(str(self.ill))
        error.sqlite_errorcode = CODES[self.ill]
        raise error


class _Cursor(sqlite3.Cursor):
    connection: "_Connection"

    def execute(self, statement: str, *values: Any) -> "_Cursor":
        self.connection.disk.ask("statement", statement, self.connection)
        super().execute(statement, *values)
        return self

    def executemany(self, statement: str, *values: Any) -> "_Cursor":
        self.connection.disk.ask("statement", statement, self.connection)
        super().executemany(statement, *values)
        return self


class _Connection(sqlite3.Connection):
    def __init__(self, *given: Any, disk: Disk, **more: Any) -> None:
        self.disk = disk
        super().__init__(*given, **more)

    def cursor(self, _factory: Any = None) -> Any:
        return super().cursor(_Cursor)

    def commit(self) -> None:
        self.disk.ask("commit", "commit", self)
        super().commit()


@contextmanager
def failing(disk: Disk) -> Iterator[Disk]:
    """Every database that is opened in the block is written to this disk; readers have another."""

    def connect(dialect: Any, _record: object, _given: object, parameters: dict[str, Any]) -> None:
        if dialect.driver == "pysqlite":
            parameters["factory"] = partial(_Connection, disk=disk)

    event.listen(Engine, "do_connect", connect)
    try:
        yield disk
    finally:
        event.remove(Engine, "do_connect", connect)
