"""The statements that one database is asked, whatever other servers of this process ask theirs."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event

from sprout.store.engine.database import Database

_TRANSACTION_STATEMENT = re.compile(r"BEGIN|COMMIT|SAVEPOINT|RELEASE|ROLLBACK")


@contextmanager
def count_statements(database: Database) -> Iterator[list[tuple[str, Any]]]:
    """The statements of the block with their values, read or written, without what opens and closes a transaction."""
    sent: list[tuple[str, Any]] = []
    name = database.writer.engine.url.database

    def note(connection: Connection, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if connection.engine.url.database == name and not _TRANSACTION_STATEMENT.match(statement):
            sent.append((statement, values))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", note)
