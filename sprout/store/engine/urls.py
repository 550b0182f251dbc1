"""Database URLs, converted to the form that each driver takes."""

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from sprout.errors import SetupError

_DIALECTS = {"sqlite": "sqlite", "postgresql": "postgresql", "postgres": "postgresql"}
# libpq's defaults wait for minutes for a server that does not answer, and for hours for a network that lost it.
_CONNECTION = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}
_ASYNC_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg"}
_SYNC_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}


def async_url(url: str) -> URL:
    """The URL with its asynchronous driver. Raises SetupError."""
    return _with_driver(url, _ASYNC_DRIVERS)


def sync_url(url: str) -> URL:
    """The URL with its synchronous driver, for migrations. Raises SetupError."""
    return _with_driver(url, _SYNC_DRIVERS)


def libpq_url(url: str) -> str:
    """The URL of a PostgreSQL database as its own tools take it. Raises SetupError."""
    return sync_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def sqlite_file(url: str) -> Path | None:
    """The file of an embedded database, None for a PostgreSQL server. Raises SetupError."""
    parsed = async_url(url)
    return Path(parsed.database or "") if parsed.get_backend_name() == "sqlite" else None


def shown_address(url: str) -> str:
    """Host, port and database of a PostgreSQL URL, without its password. Raises SetupError."""
    parsed = sync_url(url)
    return f"{parsed.host or 'localhost'}:{parsed.port or 5432}/{parsed.database or ''}"


def _with_driver(url: str, drivers: dict[str, str]) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: an invalid port
        raise SetupError("The database URL cannot be read: write sqlite:///path/to/file or postgresql://…") from None
    dialect = _DIALECTS.get(parsed.drivername.partition("+")[0])
    if dialect is None:
        raise SetupError(f"No database of the kind {parsed.drivername!r}: choose sqlite:///… or postgresql://…")
    if dialect == "sqlite" and (parsed.database or ":memory:") == ":memory:":
        raise SetupError("An SQLite database needs a file: write sqlite:///path/to/file")
    if dialect == "postgresql":
        parsed = parsed.update_query_dict({**_CONNECTION, **parsed.query})
    return parsed.set(drivername=drivers[dialect])
