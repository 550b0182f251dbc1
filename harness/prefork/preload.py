"""Preloading in a fork server: all that each of its processes would otherwise do at its start."""

import gc
import importlib

from sqlalchemy.orm import configure_mappers

from sprout.loop.context.tokenizer import count_tokens
from sprout.store.engine import migrate

LAZY_MODULES = (  # by what is chosen by the settings
    "aiosqlite",
    "anyio._backends._asyncio",
    "encodings.idna",
    "httpcore2",
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.aiosqlite",
    "sprout.telemetry.logs",
    "sprout.web.http.connection_limits",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.http.auto",
    "uvloop",
)


def preload() -> None:
    """Import what is imported late, load tables, and keep all of it out of the search for garbage."""
    for name in LAZY_MODULES:
        importlib.import_module(name)
    count_tokens("")
    configure_mappers()
    migrate.head()
    gc.freeze()
