"""What a process does once that servers are forked from: all that each of them would do anew at its start."""

import gc
import importlib

from sqlalchemy.orm import configure_mappers

from sprout.loop.tokens import count_tokens
from sprout.store import migrate

IMPORTED_LATE = (  # by what is chosen by the settings
    "aiosqlite",
    "httpcore2",
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.aiosqlite",
    "sprout.telemetry.logs",
    "sprout.web.connections",
    "uvicorn.lifespan.off",
)


def warm_up() -> None:
    """Import what is imported late, load tables, and keep all of it out of the search for garbage."""
    for name in IMPORTED_LATE:
        importlib.import_module(name)
    count_tokens("")
    configure_mappers()
    migrate.head()
    gc.freeze()
