"""PostgreSQL databases of a test's own, dropped at its end."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import make_url

from harness.services import POSTGRES, require


@contextmanager
def create_postgres() -> Iterator[str]:
    """The URL of a new database without tables."""
    require("postgres")
    name = f"sprout_test_{secrets.token_hex(6)}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"create database {name}".encode())
        # This server never loses power: no commit has to wait for its disk.
        server.execute(f"alter database {name} set synchronous_commit = off".encode())
    try:
        yield make_url(POSTGRES).set(database=name).render_as_string(hide_password=False)
    finally:
        with psycopg.connect(POSTGRES, autocommit=True) as server:
            server.execute(f"drop database {name} with (force)".encode())
