"""Idle connections to PostgreSQL: whether the server has ended one, without asking it."""

from selectors import EVENT_READ, DefaultSelector
from typing import Any

from sqlalchemy import Dialect
from sqlalchemy.ext.asyncio import AsyncEngine


def check_without_asking(engine: AsyncEngine) -> None:
    """Have the pool look at a connection's socket before each use; SQLAlchemy's own check is a round trip."""
    dialect = engine.dialect
    dialect.do_ping = lambda connection: _is_silent(dialect, connection)  # type: ignore[method-assign, assignment]


def _is_silent(dialect: Dialect, connection: Any) -> bool:
    """Whether nothing has come over an idle connection: unasked, a server says little but that it ends it."""
    with DefaultSelector() as selector:
        selector.register(dialect.get_driver_connection(connection).fileno(), EVENT_READ)
        return not selector.select(0)
