"""What a driver's error means to the rest of Sprout: the one place that turns it into a SproutError."""

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

from sprout.errors import BadInput, Conflict, SetupError, SproutError
from sprout.store.columns import Row

_TAKEN = {
    "nodes.parent_id, nodes.title_key": "There already is a node with this title here.",
    "nodes.branch_id": "This path has its topic already.",
    "node_edges.source_node_id, node_edges.target_node_id": "This edge is there already.",
    "assessments.user_id, assessments.target_node_id": "There already is a diagnostic for this concept.",
    "node_contents.node_id": "This node has an active content already.",
    "runs.lane": "Another run is going there already.",
}
_COLLIDED = {"40001", "40P01"}  # PostgreSQL: serialization_failure, deadlock_detected


@contextmanager
def translated() -> Iterator[None]:
    """Raise a driver's errors as SproutErrors: Conflict, BadInput or, where a person must help, SetupError."""
    try:
        yield
    except DBAPIError as error:
        meant = _meaning(error)
        if meant is None:
            raise
        raise meant from error
    except PoolTimeout as error:
        raise SetupError("The database is too busy: no connection came free in time.") from error


def _meaning(error: DBAPIError) -> SproutError | None:
    """The SproutError for it; None for what can only be a bug of ours."""
    if getattr(error.orig, "sqlstate", None) in _COLLIDED:
        return Conflict("Two changes met in the same place: try again.")
    match error:
        case IntegrityError():
            return _broken_rule(error)
        case DataError():
            return BadInput("A value does not fit into the database: a number is too large, or a text is not text.")
        case OperationalError() | InterfaceError() | InternalError():
            return SetupError(f"The database cannot be used: {_first_line(error)}")
    if type(error) is DatabaseError:  # a damaged file, or one that is no database
        return SetupError(f"The database cannot be read, restore a backup: {_first_line(error)}")
    return None


def _broken_rule(error: IntegrityError) -> SproutError | None:
    said, state = str(error.orig), getattr(error.orig, "sqlstate", None)
    if state == "23505" or said.startswith("UNIQUE"):
        return Conflict(_TAKEN.get(_unique_columns(error), "This is there already."))
    if state == "23503" or said.startswith("FOREIGN KEY"):
        return Conflict("What this belongs to is gone, or something still belongs to it.")
    if state == "23514" or said.startswith("CHECK"):
        return BadInput(f"A value breaks a rule of the database: {_first_line(error)}")
    return None


def _unique_columns(error: IntegrityError) -> str:
    """The columns that must be unique, as SQLite names them: "nodes.parent_id, nodes.title_key"."""
    name = getattr(getattr(error.orig, "diag", None), "constraint_name", None)
    if name is None:
        return str(error.orig).partition(": ")[2]
    return next((columns for table in Row.metadata.tables.values() for columns in _named(table, name)), "")


def _named(table: Table, name: str) -> Iterator[str]:
    for rule in (*table.indexes, *table.constraints):
        if isinstance(rule, UniqueConstraint) or rule in table.indexes:
            columns = [f"{table.name}.{column.name}" for column in rule.columns]
            if rule.name == name:
                yield ", ".join(columns)


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).partition("\n")[0][:300]
