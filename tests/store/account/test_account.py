"""A learner's account: deleted whole, on both databases, and every table given out or left out for a reason."""

import asyncio
import zipfile
from pathlib import Path

import pytest
from sqlmodel import select

from harness.builders import a_concept, a_run, a_topic, end_run, start_run
from sprout.errors import Conflict
from sprout.learning.paths.account import Account
from sprout.learning.paths.repository import DEFAULT_USER_ID, NewDocument
from sprout.store.account.account import SqlAccount
from sprout.store.account.user_data import EXCLUDED_TABLES, EXPORTED_TABLES, WITHHELD_COLUMNS
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

FITS: type[Account] = SqlAccount  # mypy checks it


@pytest.fixture
def account(database: Database, paths: SqlPaths) -> SqlAccount:
    return SqlAccount(database, storage=paths.storage)


def test_a_table_is_given_out_or_left_out_for_a_reason() -> None:
    named = [table_of(model).name for model in (*EXPORTED_TABLES, *EXCLUDED_TABLES)]
    assert sorted(named) == sorted(tables.User.metadata.tables)


def test_what_is_withheld_of_a_table_are_columns_that_it_has() -> None:
    for model, columns in WITHHELD_COLUMNS.items():
        assert set(columns) <= set(table_of(model).c.keys())


async def test_everything_of_a_learner_goes_and_the_learner_stays(
    data_dir: Path, paths: SqlPaths, runs: SqlRunStore, account: SqlAccount, database: Database
) -> None:
    topic = await a_topic(paths)
    await a_concept(paths, topic, "Light")
    notes = NewDocument("notes.md", "text/markdown", b"Light")
    (document,) = await paths.add_documents(topic.id, [notes], user_id=DEFAULT_USER_ID)
    await end_run(runs, await start_run(runs, a_run(topic)))
    theirs = await a_topic(paths, user_id="somebody-else")
    await account.erase(DEFAULT_USER_ID)
    assert await paths.branches(DEFAULT_USER_ID) == []
    async with database.open_read_session() as session:
        assert DEFAULT_USER_ID in (await session.exec(select(tables.User.id))).all()
    assert [*await asyncio.to_thread(data_dir.iterdir)] == [], document
    assert await paths.node(theirs.id, user_id="somebody-else") == theirs
    await account.erase(DEFAULT_USER_ID)
    assert (await a_topic(paths)).title == "Photosynthesis"


async def test_nothing_goes_while_a_run_is_going(paths: SqlPaths, runs: SqlRunStore, account: SqlAccount) -> None:
    run = await start_run(runs, a_run(await a_topic(paths)))
    with pytest.raises(Conflict):
        await account.erase(DEFAULT_USER_ID)
    assert await runs.run(run.id) == run


async def test_the_archive_of_a_learner_with_nothing_can_be_opened(paths: SqlPaths, account: SqlAccount) -> None:
    await paths.ensure_user(DEFAULT_USER_ID)
    with await account.archive(DEFAULT_USER_ID) as file, zipfile.ZipFile(file) as archive:
        assert {f"data/{table_of(model).name}.json" for model in EXPORTED_TABLES} <= set(archive.namelist())
