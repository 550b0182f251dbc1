"""Spending and reservations on SQLite and PostgreSQL: parallel calls add up, nothing is lost or returned twice."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Literal, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select

from sprout.ids import new_id
from sprout.runs.budget.arithmetic import (
    DEPLOYMENT,
    MAX_CALL_DURATION,
    Amount,
    Balance,
    Budget,
    BudgetDecision,
    Fits,
    MustWait,
    Payer,
    Period,
    Reservation,
    accounts_of,
)
from sprout.runs.budget.ledger import Decide, SpendingRepository
from sprout.store.engine.database import Database, open_database
from sprout.store.runs.budget import SqlSpendingRepository
from sprout.store.schema.budget_tables import BudgetDay, BudgetReservation
from sprout.store.schema.columns import table_of

FITS: type[SpendingRepository] = SqlSpendingRepository  # mypy checks it
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ALL, ANN = Budget(DEPLOYMENT, Period.DAY), Budget("learner:ann", Period.DAY)
DAYS = count()  # each example has a day of its own, since all share the deployment's account


@pytest.fixture
async def spending(database: Database) -> SqlSpendingRepository:
    for model in (BudgetDay, BudgetReservation):
        await database.write_tx(lambda tx, table=table_of(model): tx.connection.execute(delete(table)))  # type: ignore[misc]
    return SqlSpendingRepository(database)


def a_ticket(
    learner: str = "ann", *, run_id: str | None = None, taker: str = "first", at: datetime = NOON
) -> Reservation:
    return Reservation(new_id(), Payer(learner, run_id or new_id(), taker), at)


async def balances(spending: SpendingRepository, at: datetime) -> Mapping[Budget, Balance]:
    return await spending.balances(at.date(), accounts_of("ann"))


def up_to(most: int, worst: int) -> Decide:
    """Holds this worst where the deployment then has no more than `most`, both in billionths of a dollar."""

    def decide(balances: Mapping[Budget, Balance]) -> BudgetDecision:
        balance = balances[ALL]
        fits = balance.spent.plus(balance.reserved).nano_usd + worst <= most
        return Fits(1, Amount(worst, worst)) if fits else MustWait(ALL, balance)

    return decide


async def test_D16_what_is_held_counts_and_what_is_not_used_of_it_is_given_back(
    spending: SqlSpendingRepository,
) -> None:
    first = a_ticket()
    assert isinstance(await spending.reserve(first, up_to(10, 6)), Fits)
    assert isinstance(await spending.reserve(a_ticket(), up_to(10, 6)), MustWait)
    await spending.settle(first.id, Amount(4, 3))
    assert isinstance(await spending.reserve(a_ticket("bob"), up_to(10, 6)), Fits)
    found = await balances(spending, NOON)
    assert (found[ALL], found[ANN]) == (Balance(Amount(4, 3), Amount(6, 6)), Balance(Amount(4, 3)))


async def test_I8_a_hundred_at_once_hold_no_more_than_there_is(spending: SqlSpendingRepository) -> None:
    tickets = [a_ticket(f"learner {n % 7}") for n in range(100)]
    verdicts = await asyncio.gather(*(spending.reserve(ticket, up_to(50, 7)) for ticket in tickets))
    held = [ticket for ticket, verdict in zip(tickets, verdicts, strict=True) if isinstance(verdict, Fits)]
    assert len(held) == 7
    assert (await balances(spending, NOON))[ALL].reserved.nano_usd == 49
    await asyncio.gather(*(spending.settle(ticket.id, Amount(1)) for ticket in tickets))
    assert (await balances(spending, NOON))[ALL] == Balance(Amount(7))


async def test_I8_several_processes_at_one_database_hold_no_more_than_there_is(postgres_url: str) -> None:
    async with open_database(postgres_url) as one, open_database(postgres_url) as other:
        places = [SqlSpendingRepository(one), SqlSpendingRepository(other)]
        day = NOON + timedelta(days=10_000)
        verdicts = await asyncio.gather(*(places[n % 2].reserve(a_ticket(at=day), up_to(50, 7)) for n in range(60)))
        assert sum(isinstance(verdict, Fits) for verdict in verdicts) == 7


async def test_a_ticket_is_settled_once(spending: SqlSpendingRepository) -> None:
    ticket = a_ticket()
    await spending.reserve(ticket, up_to(10, 6))
    for _ in range(2):
        await spending.settle(ticket.id, Amount(5))
    await spending.settle("no such ticket", Amount(5))
    assert (await balances(spending, NOON))[ALL] == Balance(Amount(5))


async def test_trap_7_what_a_crash_left_is_spent_at_its_worst_once_its_run_is_taken_up_again(
    spending: SqlSpendingRepository,
) -> None:
    await spending.reserve(a_ticket(run_id="r", taker="first"), up_to(10, 6))
    await spending.reserve(a_ticket(run_id="r", taker="second"), up_to(10, 4))
    balance = (await balances(spending, NOON))[ALL]
    assert balance == Balance(Amount(6, 6), Amount(4, 4))


async def test_a_ticket_lapses_when_it_is_older_than_any_call_and_is_corrected_if_it_is_settled_after_all(
    spending: SqlSpendingRepository,
) -> None:
    slept = a_ticket()
    await spending.reserve(slept, up_to(10, 6))
    for later, balance in (
        (MAX_CALL_DURATION, Balance(reserved=Amount(6, 6))),
        (MAX_CALL_DURATION + timedelta(seconds=1), Balance(Amount(6, 6))),
    ):
        await spending.reserve(a_ticket(at=NOON + later), up_to(0, 1))
        assert (await balances(spending, NOON))[ALL] == balance
    await spending.settle(slept.id, Amount(2, 1))
    assert (await balances(spending, NOON))[ALL] == Balance(Amount(2, 1))


async def test_a_start_knows_that_no_other_process_has_tickets_where_there_can_be_only_one(
    spending: SqlSpendingRepository, database: Database
) -> None:
    await spending.reserve(a_ticket(), up_to(10, 6))
    await spending.expire_orphaned()
    balance = (await balances(spending, NOON))[ALL]
    alone = database.writer.engine.dialect.name == "sqlite"
    assert balance == (Balance(Amount(6, 6)) if alone else Balance(reserved=Amount(6, 6)))


async def test_a_new_day_begins_with_nothing_and_a_call_of_the_night_is_paid_by_the_day_it_began_on(
    spending: SqlSpendingRepository,
) -> None:
    night, morning = NOON.replace(hour=23, minute=59), NOON + timedelta(hours=12, minutes=1)
    late = a_ticket(at=night)
    await spending.reserve(late, up_to(10, 9))
    assert isinstance(await spending.reserve(a_ticket(at=morning), up_to(10, 9)), Fits)
    await spending.settle(late.id, Amount(3))
    assert (await balances(spending, night))[ALL] == Balance(Amount(3))
    assert (await balances(spending, morning))[ALL] == Balance(reserved=Amount(9, 9))


async def test_a_month_is_the_sum_of_its_days(spending: SqlSpendingRepository) -> None:
    month = Budget(DEPLOYMENT, Period.MONTH)
    for at, used in (
        (NOON.replace(day=1), 3),
        (NOON, 4),
        (NOON.replace(day=30), 5),
        (NOON.replace(month=12, day=1), 6),
    ):
        ticket = a_ticket(at=at)
        await spending.reserve(ticket, up_to(10, 9))
        await spending.settle(ticket.id, Amount(used))
    for at, today, so_far in ((NOON, 4, 12), (NOON.replace(month=12, day=31), 0, 6)):
        found = await balances(spending, at)
        assert (found[ALL], found[month]) == (Balance(Amount(today)), Balance(Amount(so_far)))


async def test_what_is_older_than_the_last_month_and_reservations_that_are_long_gone_are_swept(
    spending: SqlSpendingRepository, database: Database
) -> None:
    times = [NOON.replace(month=month, day=day) for month, day in ((10, 31), (11, 1), (11, 30), (12, 1))]
    for at in times:
        await spending.reserve(a_ticket(at=at), up_to(10, 6))
    async with database.open_read_connection() as connection:
        days = (await connection.execute(select(table_of(BudgetDay).c.day).distinct())).scalars().all()
        tickets = (await connection.execute(select(table_of(BudgetReservation).c.day))).scalars().all()
    assert sorted(days) == [at.date() for at in times[1:]]
    assert sorted(tickets) == [at.date() for at in times[2:]]


Act = Literal["hold", "settle", "crash", "take up", "an hour"]
ACTS = st.lists(st.tuples(st.sampled_from(get_args(Act)), st.integers(1, 12), st.floats(0, 1)), max_size=25)


@dataclass
class Story:
    """Calls that are held, settled and lost, and what the provider really billed for them."""

    spending: SqlSpendingRepository
    most: int
    now: datetime
    going: list[tuple[Reservation, int]] = field(default_factory=list)
    lost: list[tuple[Reservation, int]] = field(default_factory=list)
    billed: int = 0

    async def act(self, act: Act, size: int, share: float) -> None:
        match act:
            case "hold":
                await self.hold(a_ticket(at=self.now), size)
            case "settle" if self.going:
                ticket, worst = self.going.pop(size % len(self.going))
                self.billed += (used := int(worst * share))
                await self.spending.settle(ticket.id, Amount(used, used))
            case "crash" if self.going:
                ticket, worst = self.going.pop(size % len(self.going))
                self.billed += int(worst * share)
                self.lost.append((ticket, worst))
            case "take up" if self.lost:
                ticket, _ = self.lost[size % len(self.lost)]
                await self.hold(a_ticket(run_id=ticket.payer.run_id, taker=new_id(), at=self.now), size)
            case "an hour":
                self.now += timedelta(hours=1, seconds=1)

    async def hold(self, reservation: Reservation, worst: int) -> None:
        if isinstance(await self.spending.reserve(reservation, up_to(self.most, worst)), Fits):
            self.going.append((reservation, worst))

    async def total(self) -> int:
        balance = (await balances(self.spending, self.now))[ALL]
        return balance.spent.plus(balance.reserved).nano_usd


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(acts=ACTS)
async def test_I8_however_calls_end_no_more_is_billed_than_the_budget_and_what_is_not_used_comes_back(
    spending: SqlSpendingRepository, acts: list[tuple[Act, int, float]]
) -> None:
    midnight = datetime(2030, 1, 1, tzinfo=UTC) + timedelta(days=4 * next(DAYS))
    story = Story(spending, most=30, now=midnight)
    for act, size, share in acts:
        if (story.now - midnight) > timedelta(hours=22):
            break
        await story.act(act, size, share)
        assert story.billed <= await story.total() <= story.most
    for ticket, worst in story.going:
        await spending.settle(ticket.id, Amount(worst - 1, worst - 1))
        story.billed += worst - 1
    lost = sum(worst for _, worst in story.lost)
    assert story.billed - lost <= await story.total() <= story.billed + lost
    if not story.lost:
        assert await story.total() == story.billed
