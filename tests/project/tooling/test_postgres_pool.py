"""Databases of tests: what is given back to the pool is empty for the next test."""

import psycopg
from sqlalchemy import Table

from harness.database.postgres import EMPTIED, pooled_postgres
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.engine.database import open_database
from sprout.store.schema.columns import TableModel
from sprout.store.schema.tables import User


def test_every_row_goes_with_one_that_is_deleted() -> None:
    gone, left = set(EMPTIED), dict(TableModel.metadata.tables)
    while with_others := [name for name, table in left.items() if name in gone or _goes_with(table, gone)]:
        gone.update(with_others)
        for name in with_others:
            del left[name]
    assert [*left] == []


async def test_a_database_that_is_given_back_is_used_again_without_its_rows() -> None:
    with pooled_postgres() as url:
        async with open_database(url) as database:
            await database.write_tx(lambda tx: tx.session.add(User(id=DEFAULT_USER_ID)))
    with pooled_postgres() as again, psycopg.connect(again) as connection:
        assert again == url
        assert connection.execute("select id from users").fetchall() == []


def _goes_with(table: Table, others: set[str]) -> bool:
    return any(key.column.table.name in others and key.ondelete == "CASCADE" for key in table.foreign_keys)
