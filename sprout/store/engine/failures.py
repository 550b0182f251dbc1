"""Translation of the drivers' errors into SproutErrors."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Table, UniqueConstraint
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from sprout.errors import BadInput, Conflict, DatabaseBusy, ServiceNotReady, SetupError, SproutError, StorageFull
from sprout.store.schema.columns import TableModel

_UNIQUE_MESSAGES = {
    "nodes.parent_id, nodes.title_key": "There already is a node with this title here.",
    "nodes.branch_id": "This path has its topic already.",
    "node_edges.source_node_id, node_edges.target_node_id": "This edge is there already.",
    "assessments.user_id, assessments.target_node_id": "There already is a diagnostic for this concept.",
    "node_contents.node_id": "This node has an active content already.",
    "runs.lane": "Another run is active there already.",
}
# PostgreSQL's codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
_COLLIDED = {"40001", "40P01", "25P03"}  # serialization_failure, deadlock_detected, idle_in_transaction_session_timeout
_FULL = {"53100"}  # disk_full
_BUSY = {"53300", "55P03"}  # too_many_connections, lock_not_available
_LOST = {None, "57P01", "57P02", "57P03"}  # no connection, admin_shutdown, crash_shutdown, cannot_connect_now
_BUSY_SQLITE = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED_SQLITE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

_log = logging.getLogger(__name__)


class DatabaseDamaged(SetupError):
    """The file is damaged, or is no database."""


class DatabaseUnreachable(ServiceNotReady):
    """There is no connection to the database's server."""

    def __init__(self, message: str) -> None:
        super().__init__(message, service="PostgreSQL")


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise a driver's errors as SproutErrors, each saying that nothing was stored.

    Raises:
        Conflict, BadInput: the values break a constraint.
        DatabaseBusy: a lock was not released in time, or other transactions were preferred again and again.
        StorageFull: the disk is full.
        SetupError: the operator must act; DatabaseDamaged: the file is broken; DatabaseUnreachable: the server is away.
    """
    try:
        yield
    except DBAPIError as error:
        meant = _sprout_error(error)
        if meant is None:
            raise
        raise meant from error
    except PoolTimeout as error:
        raise DatabaseBusy("The database is too busy: no connection became free in time.") from error


def is_transaction_conflict(error: DBAPIError) -> bool:
    """Whether the database has rolled this transaction back in favour of another: a retry may succeed."""
    return getattr(error.orig, "sqlstate", None) in _COLLIDED


def _sprout_error(error: DBAPIError) -> SproutError | None:
    """The SproutError for it; None for what can only be a bug."""
    state, code = getattr(error.orig, "sqlstate", None), _sqlite_code(error)
    if is_transaction_conflict(error):
        return DatabaseBusy("Two changes met in the same place: try again in a moment.")
    if state in _BUSY or code in _BUSY_SQLITE:
        return DatabaseBusy("The database is busy with something else: try again in a moment.")
    if state in _FULL or code == sqlite3.SQLITE_FULL:
        _log.error("database.full: nothing more can be stored until space is freed")
        return StorageFull("The disk is full: nothing was stored. Make room and try again.")
    if code in _DAMAGED_SQLITE:
        return DatabaseDamaged(f"The database cannot be read, restore a backup: {_first_line(error)}")
    if _is_connection_lost(error):
        return DatabaseUnreachable(f"The database cannot be used: {_first_line(error)}")
    match error:
        case IntegrityError():
            return _constraint_error(error)
        case DataError():
            return BadInput("A value does not fit into the database: a number is too large, or a text is not text.")
        case OperationalError() | InterfaceError() | InternalError():
            return SetupError(f"The database cannot be used: {_first_line(error)}")
    if type(error) is DatabaseError:
        return SetupError(f"The database cannot be used: {_first_line(error)}")
    return None


def _is_connection_lost(error: DBAPIError) -> bool:
    """Whether PostgreSQL was not reached, or went away: what goes wrong in a connection has a code."""
    state = getattr(error.orig, "sqlstate", "")  # SQLite's errors have none
    return isinstance(error, OperationalError | InterfaceError) and state in _LOST


def _sqlite_code(error: DBAPIError) -> int | None:
    """The primary code of SQLite's extended one."""
    code: int | None = getattr(error.orig, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _constraint_error(error: IntegrityError) -> SproutError | None:
    said, state = str(error.orig), getattr(error.orig, "sqlstate", None)
    if state == "23505" or said.startswith("UNIQUE"):
        return Conflict(_UNIQUE_MESSAGES.get(_unique_columns(error), "This is there already."), code="there_already")
    if state == "23503" or said.startswith("FOREIGN KEY"):
        return Conflict(
            "Something that this depends on was removed, or something still depends on it.", code="depends_on_removed"
        )
    if state == "23514" or said.startswith("CHECK"):
        return BadInput(f"A value breaks a constraint of the database: {_first_line(error)}")
    return None


def _unique_columns(error: IntegrityError) -> str:
    """The columns that must be unique, as SQLite names them: "nodes.parent_id, nodes.title_key"."""
    name = getattr(getattr(error.orig, "diag", None), "constraint_name", None)
    if name is None:
        return str(error.orig).partition(": ")[2]
    return next(
        (columns for table in TableModel.metadata.tables.values() for columns in _unique_constraints(table, name)), ""
    )


def _unique_constraints(table: Table, name: str) -> Iterator[str]:
    for rule in (*table.indexes, *table.constraints):
        if isinstance(rule, UniqueConstraint) or rule in table.indexes:
            columns = [f"{table.name}.{column.name}" for column in rule.columns]
            if rule.name == name:
                yield ", ".join(columns)


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).partition("\n")[0][:300]
