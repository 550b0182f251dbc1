"""What model calls cost, in the database: held and settled in one step each, so that parallel calls add up."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, bindparam, delete, insert, or_, select, true, update

from sprout.runs.budget import DEPLOYMENT, LONGEST_CALL, Amount, Balance, Fits, Ticket, Verdict, accounts_of
from sprout.runs.purse import Decide
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.spending_table import SpendingDay, SpendingTicket
from sprout.store.write import Write

KEPT = timedelta(days=2)
ONE_AT_A_TIME = "spending"

_days, _tickets = table_of(SpendingDay), table_of(SpendingTicket)
_BALANCES = select(_days).where(
    _days.c.day == bindparam("on_day"), _days.c.account.in_(bindparam("of_accounts", expanding=True))
)
_CHANGE = (
    update(_days)
    .where(_days.c.day == bindparam("on_day"), _days.c.account.in_(bindparam("of_accounts", expanding=True)))
    .values(
        spent_nano_usd=_days.c.spent_nano_usd + bindparam("more_spent_nano_usd"),
        spent_tokens=_days.c.spent_tokens + bindparam("more_spent_tokens"),
        held_nano_usd=_days.c.held_nano_usd + bindparam("more_held_nano_usd"),
        held_tokens=_days.c.held_tokens + bindparam("more_held_tokens"),
    )
)
_TAKE_OUT = delete(_tickets).where(_tickets.c.id == bindparam("ticket")).returning(*_tickets.c)

NOTHING = Amount()

T = TypeVar("T")


class SqlSpending:
    """Each change is one short transaction, and these follow one another. Within a process they come to the database
    one by one: many at once would keep the events of runs waiting.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._turn = asyncio.Lock()

    async def hold(self, ticket: Ticket, decide: Decide) -> Verdict:
        def body(write: Write) -> Verdict:
            write.lock(ONE_AT_A_TIME)
            _let_lapse(write.connection, _abandoned(ticket))
            verdict = decide(_opened(write.connection, ticket))
            if isinstance(verdict, Fits):
                _take(write.connection, ticket, verdict.worst)
            return verdict

        return await self._written(body)

    async def settle(self, ticket_id: str, used: Amount) -> None:
        def body(write: Write) -> None:
            write.lock(ONE_AT_A_TIME)
            row = write.connection.execute(_TAKE_OUT, {"ticket": ticket_id}).mappings().one_or_none()
            if row is not None:
                worst = Amount(row["nano_usd"], row["tokens"])
                if row["lapsed"]:
                    _change(write.connection, row, spent=used.minus(worst), held=NOTHING)
                else:
                    _change(write.connection, row, spent=used, held=NOTHING.minus(worst))

        await self._written(body)

    async def balances(self, day: date, learner: str) -> Mapping[str, Balance]:
        accounts = accounts_of(learner)
        values = {"on_day": day, "of_accounts": accounts}
        rows = await self._database.look(lambda connection: connection.execute(_BALANCES, values).mappings().all())
        found = {row["account"]: _balance(row) for row in rows}
        return {account: found.get(account, Balance()) for account in accounts}

    async def recover(self) -> None:
        """On SQLite, whose file belongs to one process, nobody else can have a ticket."""

        def body(write: Write) -> None:
            if write.alone:
                _let_lapse(write.connection, true())

        await self._written(body)

    async def _written(self, body: Callable[[Write], T]) -> T:
        async with self._turn:
            return await self._database.write(body)


def _abandoned(ticket: Ticket) -> ColumnElement[bool]:
    """Tickets of an earlier taker of this run, and those older than any call."""
    earlier = and_(_tickets.c.run_id == ticket.payer.run_id, _tickets.c.taker != ticket.payer.taker)
    return or_(earlier, _tickets.c.taken_at < ticket.taken_at - LONGEST_CALL)


def _let_lapse(connection: Connection, which: ColumnElement[bool]) -> None:
    """Count as spent what is held for these tickets, once."""
    lapsing = update(_tickets).where(which, _tickets.c.lapsed.is_(False)).values(lapsed=True).returning(*_tickets.c)
    for row in connection.execute(lapsing).mappings().all():
        worst = Amount(row["nano_usd"], row["tokens"])
        _change(connection, row, spent=worst, held=NOTHING.minus(worst))


def _opened(connection: Connection, ticket: Ticket) -> Mapping[str, Balance]:
    """The balances of the ticket's day, whose rows are there then; the first of a day sweeps what is too old."""
    day = ticket.day
    rows = connection.execute(_BALANCES, {"on_day": day, "of_accounts": ticket.accounts}).mappings()
    found = {row["account"]: _balance(row) for row in rows}
    fresh = [account for account in ticket.accounts if account not in found]
    if fresh:
        connection.execute(insert(_days), [_row(day, account) for account in fresh])
    if DEPLOYMENT in fresh:
        for table in (_days, _tickets):
            connection.execute(delete(table).where(table.c.day < day - KEPT))
    return {account: found.get(account, Balance()) for account in ticket.accounts}


def _take(connection: Connection, ticket: Ticket, worst: Amount) -> None:
    row = {
        "id": ticket.id,
        "day": ticket.day,
        "learner": ticket.payer.learner,
        "run_id": ticket.payer.run_id,
        "taker": ticket.payer.taker,
        "nano_usd": worst.nano_usd,
        "tokens": worst.tokens,
        "taken_at": ticket.taken_at,
        "lapsed": False,
    }
    connection.execute(insert(_tickets), row)
    _change(connection, row, spent=NOTHING, held=worst)


def _change(connection: Connection, ticket: RowMapping | Mapping[str, object], *, spent: Amount, held: Amount) -> None:
    """Add to what both accounts of a ticket have spent and hold; less than nothing takes away."""
    connection.execute(
        _CHANGE,
        {
            "on_day": ticket["day"],
            "of_accounts": accounts_of(str(ticket["learner"])),
            "more_spent_nano_usd": spent.nano_usd,
            "more_spent_tokens": spent.tokens,
            "more_held_nano_usd": held.nano_usd,
            "more_held_tokens": held.tokens,
        },
    )


def _balance(row: RowMapping) -> Balance:
    return Balance(Amount(row["spent_nano_usd"], row["spent_tokens"]), Amount(row["held_nano_usd"], row["held_tokens"]))


def _row(day: date, account: str) -> Mapping[str, object]:
    return {
        "day": day,
        "account": account,
        "spent_nano_usd": 0,
        "spent_tokens": 0,
        "held_nano_usd": 0,
        "held_tokens": 0,
    }
