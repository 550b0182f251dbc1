"""Adoption on both databases: every row of a learner changes hands, and undoing and replaying go on."""

from collections.abc import Mapping
from functools import partial

import pytest
from sqlalchemy import Table, func, select
from sqlmodel import Session
from sqlmodel import select as select_rows

from harness.builders import a_concept, a_run, a_topic, end_run, start_run
from sprout.errors import Conflict
from sprout.learning.actor import Actor
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.reviews.cards import DEFAULT_RETENTION
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.adoption import adopt, adoptable_tables
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.columns import TableModel, table_of
from sprout.store.schema.review_tables import ReviewSettingsRow
from tests.store.accounts.conftest import an_account


def owned_tables() -> list[Table]:
    """All tables whose rows name a user."""
    return [table for table in TableModel.metadata.sorted_tables if "user_id" in table.c]


async def rows_of(database: Database, user_id: str) -> Mapping[str, int]:
    def count(session: Session) -> Mapping[str, int]:
        found = {
            table.name: session.execute(
                select(func.count()).select_from(table).where(table.c.user_id == user_id)
            ).scalar_one()
            for table in adoptable_tables()
        }
        return {name: rows for name, rows in found.items() if rows}

    return await database.read_orm_tx(count)


def _add(row: ReviewSettingsRow, tx: WriteTransaction) -> None:
    tx.session.add(row)


def test_every_table_of_a_user_is_given_but_those_of_the_account_itself() -> None:
    kept = {table.name for table in owned_tables()} - {table.name for table in adoptable_tables()}
    accounts = {"accounts", "account_sessions", "access_tokens", "one_time_codes", "security_events"}
    accounts |= {"passkeys", "linked_identities", "sign_in_attempts"}
    assert kept == accounts | {"classes", "class_members", "path_copies", "contrast_recipients", "sent_statements"}
    assert table_of(AccountTable).name in kept


async def test_there_and_back_everything_is_counted_and_works_on(
    accounts: SqlAccounts, paths: SqlPaths, runs: SqlRunStore, repositories: SqlPathRepository, database: Database
) -> None:
    anna, bert = await an_account(accounts, "Anna"), await an_account(accounts, "Bert")
    topic = await a_topic(paths)
    light = await a_concept(paths, topic, "Light")
    await repositories.edit_graph(topic.id, lambda graph: graph.remove(light.id), actor=Actor(DEFAULT_USER_ID))
    run = await end_run(runs, await start_run(runs, a_run(topic)))
    theirs = await a_topic(paths, "Sound", user_id=bert)
    had = await rows_of(database, DEFAULT_USER_ID)
    assert {"branches", "nodes", "runs", "graph_operations"} <= had.keys()

    assert await adopt(database, giver=DEFAULT_USER_ID, taker=anna) == had
    assert (await rows_of(database, DEFAULT_USER_ID), await rows_of(database, anna)) == ({}, had)
    assert (await paths.node(topic.id, user_id=anna)).user_id == anna
    assert (await runs.run(run.id, user_id=anna)).id == run.id
    (removal, *_) = await paths.changes(topic.branch_id or "", user_id=anna)
    await paths.undo(removal.id, user_id=anna)
    assert (await paths.node(light.id, user_id=anna)).title == "Light"
    stored = await runs.events(run.root_id, after=0)
    assert stored
    assert not [one for one in stored if DEFAULT_USER_ID in one.data]

    back = await adopt(database, giver=anna, taker=DEFAULT_USER_ID)
    assert back["nodes"] == had["nodes"] + 1
    assert (await paths.node(light.id, user_id=DEFAULT_USER_ID)).title == "Light"
    assert await paths.node(theirs.id, user_id=bert) == theirs


async def test_what_both_have_one_of_stays_as_the_taker_has_it(
    accounts: SqlAccounts, paths: SqlPaths, database: Database
) -> None:
    anna = await an_account(accounts, "Anna")
    await paths.ensure_user(DEFAULT_USER_ID)
    for user_id, retention in ((DEFAULT_USER_ID, DEFAULT_RETENTION), (anna, 0.8)):
        row = ReviewSettingsRow(user_id=user_id, retention=retention, minutes=10, time_zone="UTC", day_starts_at=4)
        await database.write_tx(partial(_add, row))
    assert "review_settings" not in await adopt(database, giver=DEFAULT_USER_ID, taker=anna)
    kept = await database.read_orm_tx(
        lambda session: [(row.user_id, row.retention) for row in session.exec(select_rows(ReviewSettingsRow))]
    )
    assert kept == [(anna, 0.8)]


async def test_nothing_changes_hands_while_a_run_is_going(
    accounts: SqlAccounts, paths: SqlPaths, runs: SqlRunStore, database: Database
) -> None:
    anna = await an_account(accounts, "Anna")
    await start_run(runs, a_run(await a_topic(paths)))
    had = await rows_of(database, DEFAULT_USER_ID)
    with pytest.raises(Conflict):
        await adopt(database, giver=DEFAULT_USER_ID, taker=anna)
    assert (await rows_of(database, DEFAULT_USER_ID), await rows_of(database, anna)) == (had, {})
