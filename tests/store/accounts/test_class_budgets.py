"""Budgets of classes, on both databases: who pays a call, to the cent, whatever happens while it goes on."""

import asyncio
from datetime import UTC, datetime

import pytest

from sprout.accounts.class_budgets import BudgetNumbers, ClassBudgets, MoreThanAllowed
from sprout.accounts.classes import LocalModelMissing
from sprout.accounts.principal import AccountRole
from sprout.errors import ModelFailure, NotFound
from sprout.events import Usage
from sprout.runs.budget.arithmetic import CLASS, LEARNER, Amount, Limit, Payer, PayerLimits, Reservation
from sprout.runs.budget.ledger import BudgetLedger
from sprout.runs.budget.refusal import BudgetSpent, ClassModelRefused
from sprout.store.accounts.class_budgets import SqlClassBudgets
from sprout.store.accounts.classes import SqlClasses
from sprout.store.runs.budget import SqlSpendingRepository
from tests.store.accounts.conftest import CODES, HERE, SchoolWithPath, an_account

FITS: type[ClassBudgets] = SqlClassBudgets  # mypy checks it
NANO = 1_000_000_000
CENT = Amount(NANO // 100, 10)
MOST = BudgetNumbers(usd_per_month=20.0)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 18, 48, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class School:
    """A class whose learners have copies of a path, and the ledger that pays for them: a token costs a tenth cent."""

    def __init__(self, people: SchoolWithPath) -> None:
        self.people, self.clock = people, Clock()
        self.spending = SqlSpendingRepository(people.database)
        self.budgets = SqlClassBudgets(people.database, MOST, clock=self.clock)
        self.ledger = self.ledger_with({})

    def ledger_with(self, limits: dict[str, PayerLimits], *, local_model: str | None = None) -> BudgetLedger:
        return BudgetLedger(
            self.spending,
            limits,
            price,
            has_classes=True,
            local_model=local_model,
            clock=self.clock,
            max_wait_s=0,
            recheck_interval_s=0.01,
        )

    async def copy_of(self, learner: str) -> str:
        (copy, *_) = await self.people.given.copies(learner)
        return copy.branch_id

    async def payer(self, learner: str, branch_id: str | None = None, *, model: str = "model") -> Payer:
        branch_id = branch_id or await self.copy_of(learner)
        return await self.ledger.payer(learner, branch_id, model, run_id="run", attempt_id="first")

    async def call(self, learner: str, *, tokens: int = 10) -> Reservation:
        reservation, _ = await self.ledger.reserve(
            await self.payer(learner), "model", prompt_tokens=0, max_tokens=tokens
        )
        return reservation

    async def set_budget(self, **numbers: float) -> None:
        row = BudgetNumbers.model_validate(numbers)
        await self.budgets.set_budget(self.people.class_ids[0], row, user_id=self.people.teacher)

    async def spent_cents(self) -> tuple[float, float]:
        """What the class has spent today and in this month."""
        row = await self.budgets.budget(self.people.class_ids[0], user_id=self.people.teacher)
        return round(row.today.usd * 100, 6), round(row.this_month.usd * 100, 6)


def price(_: str, usage: Usage) -> float:
    return usage.output_tokens / 1_000


@pytest.fixture
async def school(school_with_path: SchoolWithPath) -> School:
    await school_with_path.give()
    await school_with_path.giver.give_lacking()
    return School(school_with_path)


async def test_a_call_on_a_path_of_a_class_is_paid_by_it_and_any_other_by_the_learner_alone(school: School) -> None:
    learner = school.people.learners[0]
    assert (await school.payer(learner)).class_id == school.people.class_ids[0]
    assert (await school.payer(learner, "a path of their own")).class_id is None
    await school.ledger.settle(await school.call(learner), CENT)
    assert await school.spent_cents() == (1, 1)


async def test_I8_fifty_at_once_hold_no_more_than_their_class_has(school: School) -> None:
    await school.set_budget(usd_per_day=0.07)
    learners = [school.people.learners[n % 3] for n in range(50)]
    held = await asyncio.gather(*(school.call(one) for one in learners), return_exceptions=True)
    tickets = [one for one in held if isinstance(one, Reservation)]
    refused = [one for one in held if isinstance(one, ModelFailure)]
    assert (len(tickets), len(refused)) == (7, 43)
    assert {one.code for one in refused} == {"budget_held"}
    await asyncio.gather(*(school.ledger.settle(one, CENT) for one in tickets))
    assert await school.spent_cents() == (7, 7)
    with pytest.raises(ModelFailure, match=r"Your class's budget of \$0\.0700 a day is spent"):
        await school.call(learners[0])


async def test_all_three_must_cover_a_call(school: School) -> None:
    learner, other, _ = school.people.learners
    school.ledger = school.ledger_with({LEARNER: PayerLimits(Limit(0.01))})
    await school.ledger.settle(await school.call(learner), CENT)
    with pytest.raises(ModelFailure, match=r"Your budget of"):
        await school.call(learner)
    await school.ledger.settle(await school.call(other), CENT)
    assert await school.spent_cents() == (2, 2)


async def test_the_settings_hold_for_a_class_that_sets_nothing_and_for_one_that_sets_more(school: School) -> None:
    school.ledger = school.ledger_with({CLASS: PayerLimits(Limit(0.01))})
    await school.set_budget(usd_per_day=5)
    await school.ledger.settle(await school.call(school.people.learners[0]), CENT)
    with pytest.raises(ModelFailure, match=r"Your class's budget of \$0\.0100 a day"):
        await school.call(school.people.learners[1])


async def test_a_new_day_has_a_new_budget_and_the_month_goes_on_until_it_turns(school: School) -> None:
    await school.set_budget(usd_per_day=0.02, usd_per_month=0.03)
    learner = school.people.learners[0]
    for _ in range(2):
        await school.ledger.settle(await school.call(learner), CENT)
    with pytest.raises(ModelFailure, match="a day is spent"):
        await school.call(learner)
    school.clock.now = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    late = await school.call(learner)
    with pytest.raises(ModelFailure) as refused:
        await school.call(school.people.learners[1])
    assert refused.value.code == "budget_held"
    school.clock.now = datetime(2026, 12, 1, 0, 1, tzinfo=UTC)
    await school.call(learner)
    await school.ledger.settle(late, CENT)
    assert await school.spent_cents() == (0, 0), "what is held is not spent"
    school.clock.now = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    assert await school.spent_cents() == (1, 3), "a call of the night is paid by the month in which it began"
    with pytest.raises(ModelFailure) as spent:
        await school.call(learner)
    assert (spent.value.code, spent.value.retry_after_s) == ("budget_spent_month", 60)
    assert "a month is spent" in str(spent.value)


async def test_a_run_is_not_started_while_no_call_is_covered_and_says_when_it_is_free_again(school: School) -> None:
    await school.set_budget(usd_per_day=1.5)
    learner = school.people.learners[0]
    branch = await school.copy_of(learner)
    await school.ledger.require_room(learner, branch, "model")
    await school.ledger.settle(await school.call(learner), Amount(NANO))
    with pytest.raises(BudgetSpent, match="Reviews, reading and questions with choices go on") as refused:
        await school.ledger.require_room(learner, branch, "model")
    assert refused.value.free_at == datetime(2026, 11, 22, tzinfo=UTC)
    assert refused.value.code == "budget_over"
    await school.ledger.require_room(learner, None, "model")
    tightest = (await school.ledger.status(learner))["tightest"]
    assert tightest == {
        "payer": "class",
        "className": CODES[0],
        "period": "day",
        "unit": "usd",
        "spent": 1.0,
        "limit": 1.5,
        "near": False,
        "resetsAt": "2026-11-22T00:00:00.000Z",
    }


async def test_a_learner_who_leaves_in_the_middle_of_a_call_has_it_paid_and_the_next_not(school: School) -> None:
    learner, class_id = school.people.learners[0], school.people.class_ids[0]
    going = await school.call(learner)
    await school.people.memberships.leave(class_id, user_id=learner, origin=HERE)
    await school.ledger.settle(going, CENT)
    assert await school.spent_cents() == (1, 1)
    assert (await school.payer(learner)).class_id is None
    assert await school.spending.paying_classes(learner) == []


async def test_a_class_that_is_deleted_in_the_middle_of_a_call_has_paid_it(school: School) -> None:
    learner, class_id = school.people.learners[0], school.people.class_ids[0]
    branch, going = await school.copy_of(learner), await school.call(learner)
    await school.people.classes.delete(class_id, teacher_id=school.people.teacher)
    await school.ledger.settle(going, CENT)
    day = school.clock.now.date()
    balances = await school.spending.balances(day, [f"class:{class_id}", f"learner:{learner}", "deployment"])
    assert {balance.spent for balance in balances.values()} == {CENT}
    assert {balance.reserved for balance in balances.values()} == {Amount()}
    assert (await school.payer(learner, branch)).class_id is None


async def test_of_two_classes_the_one_that_gave_the_path_first_and_still_has_the_learner_pays(school: School) -> None:
    learner, (first, second) = school.people.learners[0], school.people.class_ids
    await school.people.memberships.join(CODES[1], user_id=learner, origin=HERE)
    await school.people.give(1)
    await school.people.giver.give_lacking()
    assert (await school.payer(learner)).class_id == first
    assert [one.id for one in await school.spending.paying_classes(learner)] == [first]
    await school.people.memberships.leave(first, user_id=learner, origin=HERE)
    assert (await school.payer(learner)).class_id == second


async def test_a_class_without_a_model_stops_the_next_call_and_refuses_a_run_in_whichever_class_it_is_off(
    school: School,
) -> None:
    learner, (_, second) = school.people.learners[0], school.people.class_ids
    await school.people.memberships.join(CODES[1], user_id=learner, origin=HERE)
    await school.people.give(1)
    await school.people.giver.give_lacking()
    branch = await school.copy_of(learner)
    changed = await school.people.classes.change(second, teacher_id=school.people.teacher, model="off")
    assert changed.model == "off"
    with pytest.raises(ModelFailure) as stopped:
        await school.payer(learner)
    assert stopped.value.code == "class_model_off"
    with pytest.raises(ClassModelRefused):
        await school.ledger.require_room(learner, branch, "model")
    assert not await school.ledger.covers(learner, branch, "model", prompt_tokens=1, max_tokens=1)
    await school.ledger.require_room(learner, None, "model")
    await school.ledger.require_room(school.people.learners[1], await school.copy_of(school.people.learners[1]), "m")
    await school.people.classes.change(second, teacher_id=school.people.teacher, model="on")
    await school.ledger.require_room(learner, branch, "model")


async def test_of_two_classes_the_stricter_decides_which_model_is_asked_and_a_missing_local_one_is_replaced_by_none(
    school: School,
) -> None:
    learner, (first, second) = school.people.learners[0], school.people.class_ids
    await school.people.memberships.join(CODES[1], user_id=learner, origin=HERE)
    await school.people.give(1)
    await school.people.giver.give_lacking()
    branch, teacher = await school.copy_of(learner), school.people.teacher
    classes = SqlClasses(school.people.database, has_local_model=True)
    with pytest.raises(LocalModelMissing):
        await school.people.classes.change(second, teacher_id=teacher, model="local")

    school.ledger = school.ledger_with({}, local_model="at-home")
    assert not await school.ledger.uses_local_model(learner, branch)
    await classes.change(second, teacher_id=teacher, model="local")
    assert await school.ledger.uses_local_model(learner, branch), "although the class that pays uses the server's"
    assert (await school.payer(learner, model="at-home")).class_id == first
    with pytest.raises(ModelFailure) as stopped:
        await school.payer(learner)
    assert stopped.value.code == "class_model_local"
    assert await school.ledger.covers(learner, branch, "model", prompt_tokens=1, max_tokens=1), "by the local one"
    assert not await school.ledger.uses_local_model(learner, None)

    school.ledger = school.ledger_with({})
    with pytest.raises(ClassModelRefused) as refused:
        await school.ledger.require_room(learner, branch, "at-home")
    assert refused.value.code == "class_model_missing"
    assert not await school.ledger.covers(learner, branch, "model", prompt_tokens=1, max_tokens=1)

    school.ledger = school.ledger_with({}, local_model="at-home")
    await classes.change(first, teacher_id=teacher, model="off")
    assert not await school.ledger.uses_local_model(learner, branch)
    with pytest.raises(ModelFailure) as stopped:
        await school.payer(learner, model="at-home")
    assert stopped.value.code == "class_model_off"


async def test_a_budget_is_set_by_the_teacher_or_an_owner_and_no_higher_than_the_settings_allow(
    school: School,
) -> None:
    class_id, budgets = school.people.class_ids[0], school.budgets
    owner = await an_account(school.people.accounts, "Olga", AccountRole.OWNER)
    other = await an_account(school.people.accounts, "Theo", AccountRole.TEACHER)
    numbers = BudgetNumbers(usd_per_day=1.25, tokens_per_month=9_000_000_000)
    for who in (school.people.teacher, owner):
        row = await budgets.set_budget(class_id, numbers, user_id=who)
        assert (row.usd_per_day, row.usd_per_month, row.tokens_per_month) == (1.25, None, 9_000_000_000)
        assert row.most == MOST
    for stranger in (other, school.people.learners[0]):
        with pytest.raises(NotFound):
            await budgets.budget(class_id, user_id=stranger)
        with pytest.raises(NotFound):
            await budgets.set_budget(class_id, numbers, user_id=stranger)
    with pytest.raises(MoreThanAllowed) as refused:
        await budgets.set_budget(class_id, BudgetNumbers(usd_per_month=20.01), user_id=owner)
    assert refused.value.field == "usdPerMonth"
    assert (await budgets.budget(class_id, user_id=owner)).usd_per_day == 1.25, "nothing was changed"
