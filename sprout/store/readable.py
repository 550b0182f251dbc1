"""Rows of which some may be damaged: one that cannot be read must not hide the others (D-4)."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Column, RowMapping, Select

from sprout.errors import RowDamaged, SetupError
from sprout.store.database import Database

T = TypeVar("T")

_SENSELESS = (ValueError, TypeError, KeyError, OverflowError)  # what a column's type or a value's class says of it

_log = logging.getLogger(__name__)


async def each_readable(
    database: Database, wanted: Select[Any], key: Column[Any], made: Callable[[RowMapping], T]
) -> list[T]:
    """What each row means, in order; one that cannot be read is left out, and the log says so.

    Args:
        key: a column of `wanted` that tells its rows apart.
        made: what a row means.
    """
    try:
        return await _all(database, wanted, made)
    except (*_SENSELESS, SetupError):  # a text that is none fails in the driver; a database that is away, below again
        return await _one_by_one(database, wanted, key, made)


def those_readable(rows: Iterable[RowMapping], key: Column[Any], made: Callable[[RowMapping], T]) -> list[T]:
    """`each_readable` for rows that a transaction has read."""
    found: list[T] = []
    for row in rows:
        try:
            found.append(made(row))
        except _SENSELESS:
            _log.exception("row.damaged", extra={"table": key.table.name, "key": row[key]})
    return found


@contextmanager
def damaged_if_senseless(what: str, id_: str) -> Iterator[None]:
    """Raises RowDamaged where reading the one row in the block fails by what is in it."""
    try:
        yield
    except _SENSELESS as error:
        raise RowDamaged(what, id_) from error


async def _all(database: Database, wanted: Select[Any], made: Callable[[RowMapping], T]) -> list[T]:
    return await database.look(lambda connection: [made(row) for row in connection.execute(wanted).mappings()])


async def _one_by_one(
    database: Database, wanted: Select[Any], key: Column[Any], made: Callable[[RowMapping], T]
) -> list[T]:
    only_keys = wanted.with_only_columns(key, maintain_column_froms=True)
    keys = await database.look(lambda connection: connection.execute(only_keys).scalars().all())
    found: list[T] = []
    for each in keys:
        try:
            found += await _all(database, wanted.where(key == each), made)
        except (*_SENSELESS, SetupError):
            _log.exception("row.damaged", extra={"table": key.table.name, "key": each})
    return found
