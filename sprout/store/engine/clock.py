"""The database's clock."""

from datetime import datetime

from sqlalchemy import Connection, func, select

from sprout.clock import utc_now


def database_now(connection: Connection) -> datetime:
    """The one clock by which all workers measure their leases: the server's on PostgreSQL."""
    if connection.dialect.name == "sqlite":
        return utc_now()
    now: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return now
