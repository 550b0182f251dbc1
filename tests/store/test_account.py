"""A learner's account: deleted whole, on both databases, and every table given out or left out for a reason."""

import asyncio
import zipfile
from pathlib import Path

import pytest

from sprout.errors import Conflict
from sprout.learning.paths.account import Account
from sprout.learning.paths.library import DEFAULT_USER_ID, NewDocument
from sprout.store import tables
from sprout.store.account import SqlAccount
from sprout.store.belongings import GIVEN_OUT, LEFT_OUT, WITHHELD
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore
from tests.builders import a_concept, a_run, a_topic, ended, started

FITS: type[Account] = SqlAccount  # mypy checks it


@pytest.fixture
def account(database: Database, library: SqlLibrary) -> SqlAccount:
    return SqlAccount(database, files=library.files)


def test_a_table_is_given_out_or_left_out_for_a_reason() -> None:
    named = [table_of(model).name for model in (*GIVEN_OUT, *LEFT_OUT)]
    assert sorted(named) == sorted(tables.User.metadata.tables)


def test_what_is_withheld_of_a_table_are_columns_that_it_has() -> None:
    for model, columns in WITHHELD.items():
        assert set(columns) <= set(table_of(model).c.keys())


async def test_everything_of_a_learner_goes_and_the_learner_stays(
    data_dir: Path, library: SqlLibrary, runs: SqlRunStore, account: SqlAccount
) -> None:
    topic = await a_topic(library)
    await a_concept(library, topic, "Light")
    notes = NewDocument("notes.md", "text/markdown", b"Light")
    (document,) = await library.add_documents(topic.id, [notes], user_id=DEFAULT_USER_ID)
    await ended(runs, await started(runs, a_run(topic)))
    theirs = await a_topic(library, user_id="somebody-else")
    await account.erase(DEFAULT_USER_ID)
    assert await library.branches(DEFAULT_USER_ID) == []
    assert await library.has_user(DEFAULT_USER_ID)
    assert [*await asyncio.to_thread(data_dir.iterdir)] == [], document
    assert await library.node(theirs.id, user_id="somebody-else") == theirs
    await account.erase(DEFAULT_USER_ID)
    assert (await a_topic(library)).title == "Photosynthesis"


async def test_nothing_goes_while_a_run_is_going(library: SqlLibrary, runs: SqlRunStore, account: SqlAccount) -> None:
    run = await started(runs, a_run(await a_topic(library)))
    with pytest.raises(Conflict):
        await account.erase(DEFAULT_USER_ID)
    assert await runs.run(run.id) == run


async def test_the_archive_of_a_learner_with_nothing_can_be_opened(library: SqlLibrary, account: SqlAccount) -> None:
    await library.ensure_user(DEFAULT_USER_ID)
    with await account.archive(DEFAULT_USER_ID) as file, zipfile.ZipFile(file) as archive:
        assert {f"data/{table_of(model).name}.json" for model in GIVEN_OUT} <= set(archive.namelist())
