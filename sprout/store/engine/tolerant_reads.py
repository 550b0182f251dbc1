"""Tolerant reads: a damaged row is left out and does not hide the others."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Column, RowMapping, Select

from sprout.errors import CorruptRow, SetupError
from sprout.store.engine.database import Database

T = TypeVar("T")

_DECODING_ERRORS = (
    ValueError,
    TypeError,
    KeyError,
    OverflowError,
)  # raised by a column's type or a value's class

_log = logging.getLogger(__name__)


async def fetch_readable(
    database: Database, wanted: Select[Any], key: Column[Any], decode: Callable[[RowMapping], T]
) -> list[T]:
    """The value of each row, in order; an unreadable one is left out and logged.

    Args:
        key: a column of `wanted` that identifies its rows.
        decode: makes the value of a row.
    """
    try:
        return await _fetch_all(database, wanted, decode)
    except (
        *_DECODING_ERRORS,
        SetupError,
    ):  # invalid text fails in the driver; a lost connection fails again below
        return await _fetch_one_by_one(database, wanted, key, decode)


def decode_readable(rows: Iterable[RowMapping], key: Column[Any], decode: Callable[[RowMapping], T]) -> list[T]:
    """`fetch_readable` for rows that a transaction has read."""
    found: list[T] = []
    for row in rows:
        try:
            found.append(decode(row))
        except _DECODING_ERRORS:
            _log.exception("row.damaged", extra={"table": key.table.name, "key": row[key]})
    return found


@contextmanager
def raise_row_damaged(what: str, id_: str) -> Iterator[None]:
    """Raises CorruptRow if the one row that the block reads cannot be decoded."""
    try:
        yield
    except _DECODING_ERRORS as error:
        raise CorruptRow(what, id_) from error


async def _fetch_all(database: Database, wanted: Select[Any], decode: Callable[[RowMapping], T]) -> list[T]:
    return [decode(row._mapping) for row in await database.fetch(wanted)]


async def _fetch_one_by_one(
    database: Database, wanted: Select[Any], key: Column[Any], decode: Callable[[RowMapping], T]
) -> list[T]:
    only_keys = wanted.with_only_columns(key, maintain_column_froms=True)
    found: list[T] = []
    for (each,) in await database.fetch(only_keys):
        try:
            found += await _fetch_all(database, wanted.where(key == each), decode)
        except (*_DECODING_ERRORS, SetupError):
            _log.exception("row.damaged", extra={"table": key.table.name, "key": each})
    return found
