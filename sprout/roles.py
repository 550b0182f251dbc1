"""Roles of a process: which part of Sprout's work it does, and whether the settings allow that."""

from enum import StrEnum
from importlib.util import find_spec

from sprout.config import Settings
from sprout.errors import SetupError
from sprout.store.engine.urls import sqlite_file

NEEDS_POSTGRESQL = (
    "REDIS_URL is for several processes on one PostgreSQL database, and the database here is an SQLite file: set "
    "DATABASE_URL to postgresql://…, or unset REDIS_URL."
)
NEEDS_BOTH = (
    "`sprout worker` carries the runs of `sprout serve` processes, with which it shares a PostgreSQL database and "
    "Redis: set DATABASE_URL to postgresql://… and REDIS_URL. Without them `sprout serve` does everything itself."
)
NEEDS_EXTRA = "Several processes on one database need more packages: pip install 'sprout-tutor[scale]'."


class Role(StrEnum):
    """What a process does.

    `COMMAND`: carries the runs that it starts itself, and no others.
    `SERVER`: everything, alone on its database.
    `WEB`: serves requests; its runs are carried by workers.
    `WORKER`: carries runs and reads documents.
    """

    COMMAND = "command"
    SERVER = "server"
    WEB = "web"
    WORKER = "worker"

    @property
    def shares_work(self) -> bool:
        """Whether it is one of several processes that share the work on one database."""
        return self in {Role.WEB, Role.WORKER}

    @property
    def takes_work(self) -> bool:
        """Whether it goes on with what other processes have left or admitted."""
        return self in {Role.SERVER, Role.WORKER}


def role_of_server(settings: Settings) -> Role:
    """The role of `sprout serve`. Raises SetupError: half of what several processes need is configured."""
    if settings.redis_url is None:
        return Role.SERVER
    if sqlite_file(settings.database) is not None:
        raise SetupError(NEEDS_POSTGRESQL)
    return _require_extra(Role.WEB)


def role_of_worker(settings: Settings) -> Role:
    """The role of `sprout worker`. Raises SetupError: what several processes need is not configured."""
    if settings.redis_url is None or sqlite_file(settings.database) is not None:
        raise SetupError(NEEDS_BOTH)
    return _require_extra(Role.WORKER)


def _require_extra(role: Role) -> Role:
    if find_spec("procrastinate") is None:
        raise SetupError(NEEDS_EXTRA)
    return role
