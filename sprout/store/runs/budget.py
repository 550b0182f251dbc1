"""Budget ledger: each reservation and settlement is one transaction, so that parallel calls add up."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    RowMapping,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from sprout.runs.budget.arithmetic import (
    DEPLOYMENT,
    MAX_CALL_DURATION,
    Amount,
    Balance,
    Budget,
    BudgetDecision,
    Fits,
    Limit,
    PayerLimits,
    PayingClass,
    Period,
    Reservation,
    accounts_of,
    first_day,
    last_day,
)
from sprout.runs.budget.ledger import Decide
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.budget_tables import BudgetDay, BudgetReservation
from sprout.store.schema.class_tables import ClassMember, ClassTable, GivenPath, PathCopy
from sprout.store.schema.columns import table_of

RETENTION = timedelta(days=2)  # of reservations
BUDGET_LOCK = "spending"

_days, _reservations = table_of(BudgetDay), table_of(BudgetReservation)
_classes, _members = table_of(ClassTable), table_of(ClassMember)
_given, _copies = table_of(GivenPath), table_of(PathCopy)
_AMOUNTS = (_days.c.spent_nano_usd, _days.c.spent_tokens, _days.c.reserved_nano_usd, _days.c.reserved_tokens)
_BALANCES = (
    select(
        _days.c.account,
        (_days.c.day == bindparam("on_day")).label("is_today"),
        *(func.sum(amount).label(amount.name) for amount in _AMOUNTS),
    )
    .where(
        _days.c.day.between(bindparam("month_begin"), bindparam("month_end")),
        _days.c.account.in_(bindparam("of_accounts", expanding=True)),
    )
    .group_by(_days.c.account, "is_today")
)
_UPDATE_BALANCES = (
    update(_days)
    .where(_days.c.day == bindparam("on_day"), _days.c.account.in_(bindparam("of_accounts", expanding=True)))
    .values(
        spent_nano_usd=_days.c.spent_nano_usd + bindparam("more_spent_nano_usd"),
        spent_tokens=_days.c.spent_tokens + bindparam("more_spent_tokens"),
        reserved_nano_usd=_days.c.reserved_nano_usd + bindparam("more_reserved_nano_usd"),
        reserved_tokens=_days.c.reserved_tokens + bindparam("more_reserved_tokens"),
    )
)
_DELETE_RESERVATION = delete(_reservations).where(_reservations.c.id == bindparam("ticket")).returning(*_reservations.c)

_CLASSES = (
    select(
        _copies.c.branch_id,
        _classes.c.id,
        _classes.c.name,
        _classes.c.model,
        _classes.c.usd_per_day,
        _classes.c.usd_per_month,
        _classes.c.tokens_per_day,
        _classes.c.tokens_per_month,
    )
    .join(_given, _given.c.id == _copies.c.given_id)
    .join(_classes, _classes.c.id == _given.c.class_id)
    .join(_members, and_(_members.c.class_id == _classes.c.id, _members.c.user_id == _copies.c.user_id))
    .where(_copies.c.user_id == bindparam("learner"), _copies.c.branch_id.is_not(None))
    .order_by(_given.c.creation)
)
_CLASSES_OF_PATH = _CLASSES.where(_copies.c.branch_id == bindparam("branch"))

NOTHING = Amount()

T = TypeVar("T")


class SqlSpendingRepository:
    """SpendingRepository on SQL.

    Transactions follow one another under one lock, and within a process they reach the database one by one: many at
    once would delay the events of runs.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._turn = asyncio.Lock()

    async def reserve(self, reservation: Reservation, decide: Decide) -> BudgetDecision:
        def body(tx: WriteTransaction) -> BudgetDecision:
            tx.lock(BUDGET_LOCK)
            _lapse(tx.connection, _orphaned(reservation))
            verdict = decide(_open_day(tx.connection, reservation))
            if isinstance(verdict, Fits):
                _reserve(tx.connection, reservation, verdict.worst)
            return verdict

        return await self._write_in_turn(body)

    async def settle(self, ticket_id: str, used: Amount) -> None:
        def body(tx: WriteTransaction) -> None:
            tx.lock(BUDGET_LOCK)
            row = tx.connection.execute(_DELETE_RESERVATION, {"ticket": ticket_id}).mappings().one_or_none()
            if row is not None:
                worst = Amount(row["nano_usd"], row["tokens"])
                if row["lapsed"]:
                    _update_balances(tx.connection, row, spent=used.minus(worst), reserved=NOTHING)
                else:
                    _update_balances(tx.connection, row, spent=used, reserved=NOTHING.minus(worst))

        await self._write_in_turn(body)

    async def balances(self, day: date, accounts: Sequence[str]) -> Mapping[Budget, Balance]:
        rows = await self._database.fetch(_BALANCES, _values_of_balances(day, accounts))
        return _balances(_sums(rows), accounts)

    async def classes_of_path(self, branch_id: str, learner: str) -> Sequence[PayingClass]:
        values = {"branch": branch_id, "learner": learner}
        return [_paying_class(row) for row in await self._database.fetch(_CLASSES_OF_PATH, values)]

    async def paying_classes(self, learner: str) -> Sequence[PayingClass]:
        rows = await self._database.fetch(_CLASSES, {"learner": learner})
        first = {row.branch_id: row for row in reversed(rows)}
        return list({row.id: _paying_class(row) for row in first.values()}.values())

    async def expire_orphaned(self) -> None:
        def body(tx: WriteTransaction) -> None:
            if tx.is_exclusive:  # on SQLite no other process can have a reservation
                _lapse(tx.connection, true())

        await self._write_in_turn(body)

    async def _write_in_turn(self, body: Callable[[WriteTransaction], T]) -> T:
        async with self._turn:
            return await self._database.write_tx(body)


def _orphaned(reservation: Reservation) -> ColumnElement[bool]:
    """Reservations of an earlier attempt of this run, and those older than any call."""
    earlier = and_(
        _reservations.c.run_id == reservation.payer.run_id, _reservations.c.attempt_id != reservation.payer.attempt_id
    )
    return or_(earlier, _reservations.c.reserved_at < reservation.reserved_at - MAX_CALL_DURATION)


def _lapse(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Count the amounts of these reservations as spent, once."""
    lapsing = (
        update(_reservations)
        .where(condition, _reservations.c.lapsed.is_(False))
        .values(lapsed=True)
        .returning(*_reservations.c)
    )
    for row in connection.execute(lapsing).mappings().all():
        worst = Amount(row["nano_usd"], row["tokens"])
        _update_balances(connection, row, spent=worst, reserved=NOTHING.minus(worst))


def _open_day(connection: Connection, reservation: Reservation) -> Mapping[Budget, Balance]:
    """The balances of the reservation's day and month, whose rows are made; a new day deletes old ones."""
    day = reservation.day
    values = _values_of_balances(day, reservation.accounts)
    rows = _sums(connection.execute(_BALANCES, values).all())
    fresh = [account for account in reservation.accounts if (account, True) not in rows]
    if fresh:
        connection.execute(insert(_days), [_row(day, account) for account in fresh])
    if DEPLOYMENT in fresh:
        last_month = first_day(first_day(day) - timedelta(days=1))  # a process whose clock is behind still needs it
        for table, kept_from in ((_days, last_month), (_reservations, day - RETENTION)):
            connection.execute(delete(table).where(table.c.day < kept_from))
    return _balances(rows, reservation.accounts)


def balances_of(connection: Connection, day: date, accounts: Sequence[str]) -> Mapping[Budget, Balance]:
    """These accounts on a day and in its month."""
    rows = connection.execute(_BALANCES, _values_of_balances(day, accounts)).all()
    return _balances(_sums(rows), accounts)


def _values_of_balances(day: date, accounts: Iterable[str]) -> Mapping[str, object]:
    return {
        "on_day": day,
        "month_begin": first_day(day),
        "month_end": last_day(day),
        "of_accounts": [*accounts],
    }


def _sums(rows: Iterable[Row[Any]]) -> Mapping[tuple[str, bool], Balance]:
    """By account, this day and the other days of its month."""
    return {(row.account, bool(row.is_today)): _balance(row) for row in rows}


def _balances(sums: Mapping[tuple[str, bool], Balance], accounts: Iterable[str]) -> Mapping[Budget, Balance]:
    found = {}
    for account in accounts:
        today = sums.get((account, True), Balance())
        found[Budget(account, Period.DAY)] = today
        found[Budget(account, Period.MONTH)] = today.plus(sums.get((account, False), Balance()))
    return found


def _reserve(connection: Connection, reservation: Reservation, worst: Amount) -> None:
    row = {
        "id": reservation.id,
        "day": reservation.day,
        "learner": reservation.payer.learner,
        "class_id": reservation.payer.class_id,
        "run_id": reservation.payer.run_id,
        "attempt_id": reservation.payer.attempt_id,
        "nano_usd": worst.nano_usd,
        "tokens": worst.tokens,
        "reserved_at": reservation.reserved_at,
        "lapsed": False,
    }
    connection.execute(insert(_reservations), row)
    _update_balances(connection, row, spent=NOTHING, reserved=worst)


def _update_balances(
    connection: Connection, ticket: RowMapping | Mapping[str, object], *, spent: Amount, reserved: Amount
) -> None:
    """Add to what the accounts of a reservation have spent and reserved; negative amounts subtract."""
    class_id = ticket["class_id"]
    connection.execute(
        _UPDATE_BALANCES,
        {
            "on_day": ticket["day"],
            "of_accounts": accounts_of(str(ticket["learner"]), None if class_id is None else str(class_id)),
            "more_spent_nano_usd": spent.nano_usd,
            "more_spent_tokens": spent.tokens,
            "more_reserved_nano_usd": reserved.nano_usd,
            "more_reserved_tokens": reserved.tokens,
        },
    )


def _balance(row: Row[Any]) -> Balance:
    """From a row of sums, which are decimals on PostgreSQL."""
    spent = Amount(int(row.spent_nano_usd), int(row.spent_tokens))
    reserved = Amount(int(row.reserved_nano_usd), int(row.reserved_tokens))
    return Balance(spent, reserved)


def _paying_class(row: Row[Any]) -> PayingClass:
    day = Limit(row.usd_per_day, row.tokens_per_day)
    month = Limit(row.usd_per_month, row.tokens_per_month)
    return PayingClass(row.id, row.name, PayerLimits(day, month), row.model)


def _row(day: date, account: str) -> Mapping[str, object]:
    return {
        "day": day,
        "account": account,
        "spent_nano_usd": 0,
        "spent_tokens": 0,
        "reserved_nano_usd": 0,
        "reserved_tokens": 0,
    }
