"""Budget ledger: each reservation and settlement is one transaction, so that parallel calls add up."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, bindparam, delete, insert, or_, select, true, update

from sprout.runs.budget.arithmetic import (
    DEPLOYMENT,
    MAX_CALL_DURATION,
    Amount,
    Balance,
    BudgetDecision,
    Fits,
    Reservation,
    accounts_of,
)
from sprout.runs.budget.ledger import Decide
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.budget_tables import BudgetDay, BudgetReservation
from sprout.store.schema.columns import table_of

RETENTION = timedelta(days=2)
BUDGET_LOCK = "spending"

_days, _reservations = table_of(BudgetDay), table_of(BudgetReservation)
_BALANCES = select(_days).where(
    _days.c.day == bindparam("on_day"), _days.c.account.in_(bindparam("of_accounts", expanding=True))
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

    async def balances(self, day: date, learner: str) -> Mapping[str, Balance]:
        accounts = accounts_of(learner)
        values = {"on_day": day, "of_accounts": accounts}
        rows = await self._database.read_tx(lambda connection: connection.execute(_BALANCES, values).mappings().all())
        found = {row["account"]: _balance(row) for row in rows}
        return {account: found.get(account, Balance()) for account in accounts}

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


def _open_day(connection: Connection, reservation: Reservation) -> Mapping[str, Balance]:
    """The balances of the reservation's day, whose rows are made if missing; the first of a day deletes old rows."""
    day = reservation.day
    rows = connection.execute(_BALANCES, {"on_day": day, "of_accounts": reservation.accounts}).mappings()
    found = {row["account"]: _balance(row) for row in rows}
    fresh = [account for account in reservation.accounts if account not in found]
    if fresh:
        connection.execute(insert(_days), [_row(day, account) for account in fresh])
    if DEPLOYMENT in fresh:
        for table in (_days, _reservations):
            connection.execute(delete(table).where(table.c.day < day - RETENTION))
    return {account: found.get(account, Balance()) for account in reservation.accounts}


def _reserve(connection: Connection, reservation: Reservation, worst: Amount) -> None:
    row = {
        "id": reservation.id,
        "day": reservation.day,
        "learner": reservation.payer.learner,
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
    """Add to what both accounts of a reservation have spent and reserved; negative amounts subtract."""
    connection.execute(
        _UPDATE_BALANCES,
        {
            "on_day": ticket["day"],
            "of_accounts": accounts_of(str(ticket["learner"])),
            "more_spent_nano_usd": spent.nano_usd,
            "more_spent_tokens": spent.tokens,
            "more_reserved_nano_usd": reserved.nano_usd,
            "more_reserved_tokens": reserved.tokens,
        },
    )


def _balance(row: RowMapping) -> Balance:
    spent = Amount(row["spent_nano_usd"], row["spent_tokens"])
    reserved = Amount(row["reserved_nano_usd"], row["reserved_tokens"])
    return Balance(spent, reserved)


def _row(day: date, account: str) -> Mapping[str, object]:
    return {
        "day": day,
        "account": account,
        "spent_nano_usd": 0,
        "spent_tokens": 0,
        "reserved_nano_usd": 0,
        "reserved_tokens": 0,
    }
