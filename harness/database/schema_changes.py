"""Schema changes that a program of the version before does not survive: it goes on beside the newer one (X6)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, inspect
from sqlalchemy.engine.interfaces import ReflectedForeignKeyConstraint

from sprout.store.documents.full_text import belongs_to_index
from sprout.store.schema.partitions import is_partition

KEEPS_ROWS_REMOVABLE = {"CASCADE", "SET NULL"}


@dataclass(frozen=True, slots=True)
class ColumnShape:
    """Schema that an older program relies on: it writes its own columns, and leaves out those that it does not know."""

    type: str
    nullable: bool
    has_default: bool


@dataclass(frozen=True, slots=True)
class TableShape:
    """The columns of a table and its rules: what is written must fit each check, key and reference."""

    columns: Mapping[str, ColumnShape]
    rules: frozenset[str]
    references: Mapping[str, str]


def shape_of(connection: Connection) -> dict[str, TableShape]:
    """The tables of a database, without those of the full-text index and the partitions."""
    inspector = inspect(connection)
    inspector.clear_cache()
    names = inspector.get_table_names()
    return {
        name: TableShape(
            {
                one["name"]: ColumnShape(str(one["type"]), one["nullable"], one.get("default") is not None)
                for one in inspector.get_columns(name)
            },
            frozenset(
                [
                    *(f"check {one['sqltext']}" for one in inspector.get_check_constraints(name)),
                    *(f"unique {sorted(one['column_names'])}" for one in inspector.get_unique_constraints(name)),
                    *(f"unique index {one['name']}" for one in inspector.get_indexes(name) if one["unique"]),
                ]
            ),
            {_named(one): one["referred_table"] for one in inspector.get_foreign_keys(name)},
        )
        for name in names
        if not (belongs_to_index(name) or is_partition(name))
    }


def contractions(before: Mapping[str, TableShape], after: Mapping[str, TableShape]) -> list[str]:
    """Sentences on what the change takes from a program that works with the schema before; none if it expands."""
    return [*_of_old_tables(before, after), *_of_new_references(before, after)]


def _of_old_tables(before: Mapping[str, TableShape], after: Mapping[str, TableShape]) -> Iterator[str]:
    for name, table in before.items():
        if name not in after:
            yield f"{name} is gone"
            continue
        now = after[name]
        for column, shape in table.columns.items():
            if column not in now.columns:
                yield f"{name}.{column} is gone"
            elif now.columns[column].type != shape.type:
                yield f"{name}.{column} has another type"
            elif shape.nullable and not now.columns[column].nullable:
                yield f"{name}.{column} must have a value"
        for column in sorted(now.columns.keys() - table.columns.keys()):
            if not now.columns[column].nullable and not now.columns[column].has_default:
                yield f"{name}.{column} is new and must have a value, but has no default of the database"
        yield from (f"{name} has a new rule: {rule}" for rule in sorted(now.rules - table.rules))


def _of_new_references(before: Mapping[str, TableShape], after: Mapping[str, TableShape]) -> Iterator[str]:
    """A row that an older program deletes may have rows of tables that it does not know."""
    for name, table in after.items():
        known = before[name].references if name in before else {}
        for reference in sorted(table.references.keys() - known.keys()):
            if table.references[reference] in before and not reference.endswith(tuple(KEEPS_ROWS_REMOVABLE)):
                yield f"{name} refers to {table.references[reference]}, whose rows can then not be deleted: {reference}"


def _named(reference: ReflectedForeignKeyConstraint) -> str:
    columns = ", ".join(reference["constrained_columns"])
    return f"({columns}) to {reference['referred_table']} {reference['options'].get('ondelete', '')}"
