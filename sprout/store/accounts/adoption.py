"""Adoption: everything that one user has, given to another, in one transaction."""

import json
from collections.abc import Mapping

from sqlalchemy import Table, delete, func, select, update
from sqlmodel import col
from sqlmodel import select as select_one

from sprout.accounts.security_log import TERMINAL, SecurityEventKind
from sprout.clock import utc_now
from sprout.store.accounts.security_log import log_event
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.removal_guards import refuse_while_running
from sprout.store.schema import account_tables, class_tables, record_tables, run_tables, sign_in_tables
from sprout.store.schema.columns import TableModel, table_of
from sprout.store.schema.review_tables import ReviewSessionRow, ReviewSettingsRow
from sprout.store.schema.tables import User

_ACCOUNT_TABLES = frozenset(
    table_of(model)
    for model in (
        account_tables.AccountTable,
        class_tables.ClassTable,
        class_tables.ClassMember,
        class_tables.PathCopy,
        class_tables.ContrastRecipient,
        record_tables.SentStatement,
        account_tables.AccountSession,
        account_tables.AccessToken,
        account_tables.OneTimeCode,
        account_tables.SecurityEvent,
        sign_in_tables.PasskeyTable,
        sign_in_tables.LinkedIdentityTable,
        sign_in_tables.SignInAttempt,
    )
)
_settings, _sessions = table_of(ReviewSettingsRow), table_of(ReviewSessionRow)
_keys, _runs = table_of(run_tables.IdempotencyKey), table_of(run_tables.Run)
_events, _changes = table_of(run_tables.RunEvent), table_of(run_tables.GraphOperation)
_SNAPSHOTS = ("before", "after", "removed_rows")


def adoptable_tables() -> list[Table]:
    """Every table whose rows belong to a learner by themselves; the others follow them."""
    return [
        table for table in TableModel.metadata.sorted_tables if "user_id" in table.c and table not in _ACCOUNT_TABLES
    ]


async def adopt(database: Database, *, giver: str, taker: str) -> Mapping[str, int]:
    """Give everything of a user to another; the numbers of rows by table, of those that had any.

    What both have one of, such as the settings of reviews, stays as the taker has it.

    Raises Conflict: one of the giver's runs is active.
    """

    def body(tx: WriteTransaction) -> Mapping[str, int]:
        for user_id in sorted({giver, taker}):
            tx.lock(f"user:{user_id}")
            if tx.session.exec(select_one(User.id).where(User.id == user_id)).first() is None:
                tx.session.add(User(id=user_id))
        tx.flush()
        refuse_while_running(tx, col(run_tables.Run.user_id) == giver)
        _make_room(tx, giver, taker)
        given = {
            table.name: tx.connection.execute(
                update(table).where(table.c.user_id == giver).values(user_id=taker)
            ).rowcount
            for table in adoptable_tables()
        }
        _rename_owner(tx, giver, taker)
        for user_id in (giver, taker):
            log_event(tx, SecurityEventKind.DATA_ADOPTED, user_id, origin=TERMINAL)
        return {name: count for name, count in given.items() if count}

    return await database.write_tx(body)


def _make_room(tx: WriteTransaction, giver: str, taker: str) -> None:
    """Leave behind what a user has one of, where the taker has it already."""
    connection = tx.connection
    if connection.execute(select(_settings.c.user_id).where(_settings.c.user_id == taker)).first() is not None:
        connection.execute(delete(_settings).where(_settings.c.user_id == giver))
    theirs = [*connection.execute(select(_keys.c.key).where(_keys.c.user_id == taker)).scalars()]
    connection.execute(delete(_keys).where(_keys.c.user_id == giver, _keys.c.key.in_(theirs)))
    open_ = _sessions.c.ended_at.is_(None)
    if connection.execute(select(_sessions.c.id).where(_sessions.c.user_id == taker, open_)).first() is not None:
        connection.execute(update(_sessions).where(_sessions.c.user_id == giver, open_).values(ended_at=utc_now()))


def _rename_owner(tx: WriteTransaction, giver: str, taker: str) -> None:
    """Name the new owner in events, and in the rows that undoing a change would restore."""
    roots = select(_runs.c.id).where(_runs.c.user_id == taker)
    renamed = func.replace(_events.c.data, giver, taker)
    holds_it = _events.c.data.contains(giver, autoescape=True)
    tx.connection.execute(update(_events).where(_events.c.root_id.in_(roots), holds_it).values(data=renamed))
    columns = [_changes.c[name] for name in _SNAPSHOTS]
    for row in tx.connection.execute(select(_changes.c.id, *columns).where(_changes.c.user_id == taker)).all():
        texts = {name: json.dumps(row._mapping[name]) for name in _SNAPSHOTS}
        if any(giver in text for text in texts.values()):
            values = {name: json.loads(text.replace(giver, taker)) for name, text in texts.items()}
            tx.connection.execute(update(_changes).where(_changes.c.id == row.id).values(values))
