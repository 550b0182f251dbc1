"""The round trips between this process and PostgreSQL, as libpq's own trace of the protocol shows them."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from psycopg.pq import Trace
from sqlalchemy import event
from sqlalchemy.pool import Pool

from sprout.store.engine.database import Database

# A server answers these: a statement of the simple protocol, and the end of one of the extended protocol.
_ASKS = re.compile(r"\bF\t\d+\t(?:Query|Sync)\b")
_PARSES = re.compile(r"\bF\t\d+\tParse\b")


@dataclass(slots=True)
class ProtocolTrace:
    """The messages of a block's connections to one database, once it has ended."""

    messages: str = ""

    @property
    def round_trips(self) -> int:
        return len(_ASKS.findall(self.messages))

    @property
    def parses(self) -> int:
        """Statements that were sent as text, to be parsed and planned."""
        return len(_PARSES.findall(self.messages))


@contextmanager
def trace_protocol(database: Database) -> Iterator[ProtocolTrace]:
    """What the connections of this database send while the block runs."""
    name = database.writer.engine.url.database
    found, traced = ProtocolTrace(), dict[int, Any]()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:

        def note(connection: Any, _record: object, _proxy: object) -> None:
            pgconn = connection.driver_connection.pgconn
            if id(pgconn) not in traced and pgconn.db.decode() == name:
                traced[id(pgconn)] = pgconn
                pgconn.trace(file.fileno())
                pgconn.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)

        event.listen(Pool, "checkout", note)
        try:
            yield found
        finally:
            event.remove(Pool, "checkout", note)
            for pgconn in traced.values():
                pgconn.untrace()
            file.seek(0)
            found.messages = file.read()
