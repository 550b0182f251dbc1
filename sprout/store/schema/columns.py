"""Column types that behave the same on SQLite and PostgreSQL, and the base classes of all tables."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from pydantic import JsonValue
from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    DateTime,
    Dialect,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine
from sqlmodel import Field, SQLModel

from sprout.events import wire_time

NAMING_CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC, aware when written and when read. A time without a zone is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone: {value!r}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class WireTime(TypeDecorator[str]):
    """A time that is read in its wire form, for thousands of rows: SQLite's text nearly has that form."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_result_value(self, value: str | datetime | None, dialect: Dialect) -> str | None:
        if isinstance(value, str):
            return f"{value[:10]}T{value[11:19]}.{value[20:23] or '000'}Z"
        return None if value is None else wire_time(value)


class SafeText(TypeDecorator[str]):
    """Text of any origin: what PostgreSQL cannot store (NUL, unpaired surrogates) becomes U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable_text(value)


JSON_VALUE = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
COUNTER = BigInteger().with_variant(Integer, "sqlite")


class TableModel(SQLModel):
    """A table of Sprout; constraints get their names from one pattern."""

    metadata = MetaData(naming_convention=NAMING_CONVENTION)


class OrderedModel(TableModel):
    """A row with a text id, listed in the order of creation, whatever the clock did in between."""

    creation: int | None = Field(default=None, primary_key=True, sa_type=COUNTER)
    id: str = Field(unique=True, sa_type=SafeText)


def storable_text(words: str) -> str:
    """The text, with U+FFFD for every character that a database cannot store."""
    if "\x00" in words:
        words = words.replace("\x00", "\ufffd")
    if words.isascii():
        return words
    return words.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def json_text(value: JsonValue) -> str:
    """JSON that both databases take."""
    return json.dumps(_storable_json(value), ensure_ascii=False, separators=(",", ":"))


def one_of(column: str, values: Iterable[str]) -> CheckConstraint:
    """A check that the column holds one of the values."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} in ({listed})", name=column)


def unique_where(condition: str, name: str, *columns: str) -> Index:
    """An index that makes the columns unique among the rows for which the condition holds."""
    where = text(condition)
    return Index(name, *columns, unique=True, sqlite_where=where, postgresql_where=where)


def table_of(model: type[TableModel]) -> Table:
    """The Core table of a model, for code where the ORM would be slow."""
    table: Any = getattr(model, "__table__")  # noqa: B009 - SQLModel does not declare it
    assert isinstance(table, Table)
    return table


def _storable_json(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return storable_text(value)
        case list():
            return [_storable_json(item) for item in value]
        case dict():
            return {storable_text(key): _storable_json(item) for key, item in value.items()}
        case _:
            return value
