"""Model calls that are reserved against the day's budget (faults.md D16, I8; traps 7, 64)."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event

from harness.loop.scripted_turn import ManualClock, claude_at
from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import Usage
from sprout.ids import new_id
from sprout.llm.catalogue import UNKNOWN, facts_of
from sprout.loop.model import ChatModel, Message, ModelRequest, ReplyEnded, ReplyPart, Text, TextPart, UsagePart
from sprout.loop.stop import Stop, Stopped
from sprout.offline.faults.scenarios import Fault
from sprout.offline.script import Reply, Scripted, TextOut
from sprout.offline.script import Step as ScriptStep
from sprout.offline.server import running_offline_server
from sprout.runs.budget.arithmetic import (
    DEPLOYMENT,
    LEARNER,
    Amount,
    Balance,
    Budget,
    BudgetDecision,
    Limit,
    PayerLimits,
    Period,
    Reservation,
    accounts_of,
)
from sprout.runs.budget.call_reservation import MAX_TOKENS_PER_S, CallBudget
from sprout.runs.budget.ledger import BudgetLedger, Decide
from sprout.runs.metered_model import MeteredModel
from sprout.store.engine.database import Database, open_database
from sprout.store.runs.budget import SqlSpendingRepository

PRICED = "claude-opus-5-5"  # $4 and $20 for a million tokens
REQUEST = ModelRequest(PRICED, "You are tested.", (Message("user", (Text("Go. " * 200),)),), (), 8_000)
WORST_USD = 0.16  # of a reply to it
TOLD = Usage(input_tokens=1_000, output_tokens=500)
TOLD_USD = 0.014


def prices(model: str, usage: Usage) -> float | None:
    facts = facts_of(model)
    return None if facts is UNKNOWN else facts.priced(usage).cost_usd


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 18, 48, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class BlockingModel:
    """A model whose replies begin, tell what they used so far, and go on when they are let go."""

    def __init__(self, *, begins: bool = True, usage: Usage = TOLD) -> None:
        self.asked: list[ModelRequest] = []
        self.going = asyncio.Event()
        self.released = asyncio.Event()
        self._begins = begins
        self._usage = usage

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        self.asked.append(request)
        if self._begins:
            yield UsagePart(self._usage.model_copy(update={"output_tokens": 1}))
            yield TextPart(0, "Light")
        self.going.set()
        await self.released.wait()
        yield UsagePart(self._usage)
        yield ReplyEnded("end_turn")


@dataclass
class LedgerDay:
    """Budget ledger on a database, with its accounts."""

    spending: SqlSpendingRepository
    ledger: BudgetLedger
    clock: Clock
    tasks: list[asyncio.Task[Sequence[ReplyPart]]] = field(default_factory=list)

    def asks(
        self, model: BlockingModel, *, learner: str = "ann", run_id: str = "r", request: ModelRequest = REQUEST
    ) -> asyncio.Task[Sequence[ReplyPart]]:
        """A call of a run that is taken up now."""
        budgeted_model = budgeted(model, self.ledger, learner=learner, run_id=run_id)
        return asyncio.create_task(all_of(budgeted_model, request))

    async def balance(self, account: str = DEPLOYMENT) -> Balance:
        balances = await self.spending.balances(self.clock.now.date(), accounts_of("ann"))
        return balances[Budget(account, Period.DAY)]

    async def spent(self) -> Amount:
        """Amount spent, once nothing is reserved."""
        balance = await self.balance()
        assert balance.reserved == Amount()
        return balance.spent

    async def spent_usd(self) -> float:
        return (await self.spent()).usd


def budgeted(
    model: ChatModel, ledger: BudgetLedger, *, learner: str, run_id: str, clock: Callable[[], float] = time.monotonic
) -> MeteredModel:
    """The model within the budget of one run."""
    return MeteredModel(model, CallBudget(ledger, learner=learner, run_id=run_id, clock=clock).reserve)


async def all_of(model: MeteredModel, request: ModelRequest = REQUEST) -> Sequence[ReplyPart]:
    async with aclosing(model.reply(request)) as parts:
        return [part async for part in parts]


@pytest.fixture
def a_day(topology_database: Database) -> Callable[..., LedgerDay]:
    def make(
        usd: float | None = 1.0,
        *,
        tokens: int | None = None,
        account: str = LEARNER,
        max_wait_s: float = 20.0,
        recheck_interval_s: float = 20.0,
    ) -> LedgerDay:
        spending, clock = SqlSpendingRepository(topology_database), Clock()
        ledger = BudgetLedger(
            spending,
            {account: PayerLimits(Limit(usd, tokens))},
            prices,
            clock=clock,
            max_wait_s=max_wait_s,
            recheck_interval_s=recheck_interval_s,
        )
        return LedgerDay(spending, ledger, clock)

    return make


@pytest.fixture
async def topology_database(topology_url: str) -> AsyncIterator[Database]:
    async with open_database(topology_url) as database:
        yield database


@asynccontextmanager
async def paid(day: LedgerDay, script: Sequence[ScriptStep]) -> AsyncIterator[MeteredModel]:
    """The offline model as one that has a price, over HTTP."""
    async with running_offline_server(Scripted(script)) as server, claude_at(server) as claude:
        yield budgeted(claude, day.ledger, learner="ann", run_id="r")


async def test_D16_the_worst_is_held_while_a_call_goes_and_what_was_used_is_spent_after_it(
    a_day: Callable[..., LedgerDay],
) -> None:
    day, model = a_day(), BlockingModel()
    task = day.asks(model)
    await model.going.wait()
    held = (await day.balance()).reserved
    assert WORST_USD < held.usd < WORST_USD + 0.01
    assert held.tokens > 8_000
    model.released.set()
    parts = await task
    assert parts[-1] == ReplyEnded("end_turn")
    assert await day.spent_usd() == pytest.approx(TOLD_USD)
    assert await day.balance() == await day.balance("learner:ann")


async def test_D16_what_a_budget_covers_is_told_without_holding_it(a_day: Callable[..., LedgerDay]) -> None:
    day, model = a_day(), BlockingModel()
    asked = {"prompt_tokens": 1_000, "max_tokens": 8_000}
    assert await day.ledger.covers("ann", None, PRICED, **asked)
    assert await day.balance() == Balance()
    task = day.asks(model)
    await model.going.wait()
    assert not await day.ledger.covers("ann", None, PRICED, prompt_tokens=1_000, max_tokens=42_000), (
        "part of it is held"
    )
    model.released.set()
    await task
    assert await day.ledger.covers("ann", None, PRICED, prompt_tokens=1_000, max_tokens=42_000)
    assert not await day.ledger.covers("ann", None, PRICED, prompt_tokens=1_000, max_tokens=60_000), "nor is it cut"
    assert await a_day(None).ledger.covers("ann", None, PRICED, **asked), "nothing is limited"


async def test_a_real_call_costs_what_its_usage_says(a_day: Callable[..., LedgerDay]) -> None:
    day = a_day()
    async with paid(day, [Reply([TextOut("Light first.")])]) as model:
        usage = [part.usage for part in await all_of(model) if isinstance(part, UsagePart)][-1]
    assert usage.cost_usd > 0
    assert await day.spent_usd() == pytest.approx(usage.cost_usd, abs=1e-9)


async def test_a_budget_that_is_spent_says_so_to_a_person_and_when_it_is_free_again(
    a_day: Callable[..., LedgerDay],
) -> None:
    day = a_day(0.03)
    first = BlockingModel()
    first.released.set()
    await day.asks(first)
    second = BlockingModel()
    with pytest.raises(ModelFailure) as refused:
        await day.asks(second)
    assert refused.value.kind is ModelFailureKind.BUDGET_SPENT
    assert str(refused.value) == (
        "Your budget of $0.0300 a day is spent: $0.0140 used, and what is left does not cover another call. It is "
        "free again at midnight UTC, in 5 h 12 min."
    )
    assert refused.value.retry_after_s == 5 * 3600 + 12 * 60
    assert second.asked == []

    day.clock.now += timedelta(hours=5, minutes=12)
    await day.asks(first)
    assert await day.spent_usd() == pytest.approx(TOLD_USD)


async def test_a_budget_smaller_than_one_call_is_said_to_be_that(a_day: Callable[..., LedgerDay]) -> None:
    for day, message in (
        (a_day(0.001), r"Your budget of \$0.0010 a day .* SPROUT_BUDGETS__LEARNER_USD_PER_DAY"),
        (a_day(0.0, account=DEPLOYMENT), r"This server's budget of \$0.00 a day .* SPROUT_BUDGETS__DEPLOYMENT_USD"),
        (a_day(None, tokens=500), "Your budget of 500 tokens a day .* SPROUT_BUDGETS__LEARNER_TOKENS_PER_DAY"),
    ):
        with pytest.raises(ModelFailure, match=message) as refused:
            await day.asks(BlockingModel())
        assert refused.value.retry_after_s is None


async def test_a_reply_is_cut_to_what_is_left_when_nothing_else_is_held(a_day: Callable[..., LedgerDay]) -> None:
    day, model = a_day(0.05), BlockingModel()
    task = day.asks(model)
    await model.going.wait()
    assert 2_000 < model.asked[0].max_tokens < 2_500
    assert (await day.balance()).reserved.usd <= 0.05
    model.released.set()
    await task


async def test_a_call_waits_for_another_to_be_settled_rather_than_be_refused(a_day: Callable[..., LedgerDay]) -> None:
    day, first, second = a_day(0.2), BlockingModel(), BlockingModel()
    going = day.asks(first, run_id="one")
    await first.going.wait()
    waiting = day.asks(second, run_id="two")
    await until_in_line(day)
    assert second.asked == []
    second.released.set()
    first.released.set()
    await asyncio.gather(going, waiting)
    assert second.asked[0].max_tokens == 8_000
    assert await day.spent_usd() == pytest.approx(2 * TOLD_USD)


async def test_a_call_that_has_waited_long_enough_is_refused(a_day: Callable[..., LedgerDay]) -> None:
    day, first = a_day(0.2, max_wait_s=0.02, recheck_interval_s=0.01), BlockingModel()
    going = day.asks(first, run_id="one")
    await first.going.wait()
    with pytest.raises(ModelFailure, match="held by calls that are going on"):
        await day.asks(BlockingModel(), run_id="two")
    first.released.set()
    await going


async def test_one_learner_who_waits_keeps_no_other_waiting(a_day: Callable[..., LedgerDay]) -> None:
    day, first, other = a_day(0.2), BlockingModel(), BlockingModel()
    going = day.asks(first, run_id="one")
    await first.going.wait()
    waiting = day.asks(BlockingModel(), run_id="two")
    await until_in_line(day)
    other.released.set()
    await day.asks(other, learner="bob", run_id="three")
    waiting.cancel()
    first.released.set()
    await asyncio.gather(going, waiting, return_exceptions=True)
    assert await day.spent_usd() == pytest.approx(2 * TOLD_USD)


async def test_I10_fifty_parallel_calls_spend_no_more_than_the_budget(a_day: Callable[..., LedgerDay]) -> None:
    day, model = a_day(0.5), BlockingModel()
    model.released.set()
    ended = await asyncio.gather(*(day.asks(model, run_id=f"run {n}") for n in range(50)), return_exceptions=True)
    refused = [one for one in ended if isinstance(one, ModelFailure)]
    assert {one.kind for one in refused} == {ModelFailureKind.BUDGET_SPENT}
    assert len(refused) + len(model.asked) == 50
    assert await day.spent_usd() == pytest.approx(len(model.asked) * TOLD_USD)
    assert 0.45 < await day.spent_usd() <= 0.5


@pytest.mark.parametrize("fault", ["rate_limited", "overloaded", "bad_key", "reset"])
async def test_a_call_that_fails_before_its_reply_began_costs_nothing(
    a_day: Callable[..., LedgerDay], fault: str
) -> None:
    day = a_day()
    async with paid(day, [Fault(fault)]) as model:
        with pytest.raises(ModelFailure):
            await all_of(model)
    assert await day.spent_usd() == 0


async def test_trap_64_a_reply_that_is_cut_costs_its_prompt_and_what_may_have_been_written(
    a_day: Callable[..., LedgerDay],
) -> None:
    day = a_day()
    async with paid(day, [Fault("error_event", reply=Reply([TextOut("Light first. " * 50)]))]) as model:
        with pytest.raises(ModelFailure):
            await all_of(model)
    spent = (await day.balance()).spent
    assert 0 < await day.spent_usd() < WORST_USD
    assert spent.tokens > 200


async def test_I10_a_stop_gives_back_what_was_held_and_pays_for_what_may_have_been_written(
    a_day: Callable[..., LedgerDay],
) -> None:
    for seconds, tokens in ((0, 1), (2, 2 * MAX_TOKENS_PER_S), (3_600, REQUEST.max_tokens)):
        day, model, hand = a_day(), BlockingModel(), ManualClock()
        before = await day.spent()
        stop = Stop()
        budgeted_model = budgeted(model, day.ledger, learner="ann", run_id=new_id(), clock=hand)
        task = asyncio.create_task(stopped(stop, budgeted_model))
        await model.going.wait()
        hand.now_s += seconds
        stop.request()
        await task
        used = (await day.spent()).minus(before)
        assert used.tokens == TOLD.input_tokens + tokens
        assert used.usd == pytest.approx(0.004 + tokens * 20 / 1e6)


async def test_I10_a_stop_before_the_reply_began_pays_for_the_prompt_alone(a_day: Callable[..., LedgerDay]) -> None:
    day, model, stop = a_day(), BlockingModel(begins=False), Stop()
    task = asyncio.create_task(stopped(stop, budgeted(model, day.ledger, learner="ann", run_id="r")))
    await model.going.wait()
    held = (await day.balance()).reserved
    stop.request()
    await task
    assert (await day.spent()).tokens == held.tokens - REQUEST.max_tokens


async def test_I10_a_call_that_is_cancelled_while_its_money_is_being_held_gives_it_back(
    topology_database: Database,
) -> None:
    class SlowToTell(SqlSpendingRepository):
        held = asyncio.Event()

        async def reserve(self, ticket: Reservation, decide: Decide) -> BudgetDecision:
            verdict = await super().reserve(ticket, decide)
            self.held.set()
            await asyncio.Event().wait()
            return verdict

    spending, clock = SlowToTell(topology_database), Clock()
    day = LedgerDay(spending, BudgetLedger(spending, {LEARNER: PayerLimits(Limit(1.0))}, prices, clock=clock), clock)
    task = day.asks(BlockingModel())
    await spending.held.wait()
    assert (await day.balance()).reserved.usd > WORST_USD
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await day.spent() == Amount()


async def test_a_server_that_tells_no_usage_is_taken_at_its_worst(a_day: Callable[..., LedgerDay]) -> None:
    day, model = a_day(), BlockingModel(usage=Usage())
    model.released.set()
    await day.asks(model)
    assert WORST_USD < await day.spent_usd() < WORST_USD + 0.01


async def test_trap_7_a_call_that_a_crash_has_cut_is_spent_at_its_worst_when_its_run_is_taken_up(
    a_day: Callable[..., LedgerDay],
) -> None:
    day, lost, again = a_day(0.3), BlockingModel(), BlockingModel()
    crashed = day.asks(lost)
    await lost.going.wait()
    again.released.set()
    await day.asks(again)
    assert await day.spent_usd() == pytest.approx(WORST_USD + TOLD_USD, abs=0.005)
    with pytest.raises(ModelFailure) as refused:
        await day.asks(BlockingModel(), request=REQUEST_OF_64K)
    assert refused.value.kind is ModelFailureKind.BUDGET_SPENT
    lost.released.set()
    await crashed  # it only slept: what it really used takes the place of the worst
    assert await day.spent_usd() == pytest.approx(2 * TOLD_USD)


async def test_models_that_cost_nothing_hold_nothing_and_write_nothing(
    a_day: Callable[..., LedgerDay], topology_database: Database
) -> None:
    free, unlimited = a_day(0.0), a_day(None)
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, sql: str, *_: Any) -> None:
        sent.append(sql)

    event.listen(topology_database.writer.engine, "before_cursor_execute", note)
    for day, model_name in ((free, "sprout-offline"), (unlimited, PRICED)):
        model = BlockingModel()
        model.released.set()
        request = ModelRequest(model_name, "s", REQUEST.messages, (), 100)
        assert (await day.asks(model, request=request))[-1] == ReplyEnded("end_turn")
    assert sent == []


async def test_a_model_without_a_known_price_is_held_to_tokens(a_day: Callable[..., LedgerDay]) -> None:
    day, model = a_day(1.0, tokens=9_500), BlockingModel()
    model.released.set()
    request = ModelRequest("a-model-of-ones-own", "s", REQUEST.messages, (), 8_000)
    for _ in range(6):
        await day.asks(model, request=request)
    with pytest.raises(ModelFailure, match=r"budget of 9,500 tokens a day is spent: 9,000 tokens used"):
        await day.asks(model, request=request)
    assert (await day.balance()).spent.usd == 0


async def test_the_estimate_of_a_prompt_learns_from_what_replies_report(a_day: Callable[..., LedgerDay]) -> None:
    day, model = a_day(), BlockingModel(usage=Usage(input_tokens=400, output_tokens=1))
    model.released.set()
    budgeted_model = budgeted(model, day.ledger, learner="ann", run_id="r")
    await all_of(budgeted_model)
    model.released.clear()
    model.going.clear()
    task = asyncio.create_task(all_of(budgeted_model))
    await model.going.wait()
    assert (await day.balance()).reserved.tokens == 8_400
    model.released.set()
    await task


async def test_the_standing_shows_what_is_spent_of_each_budget_and_when_it_is_free(
    a_day: Callable[..., LedgerDay],
) -> None:
    day, model = a_day(), BlockingModel()
    first = await day.ledger.status("ann")
    assert first.pop("tightest") is not None
    assert first == {
        "learner": {"spentUsd": 0.0, "limitUsd": 1.0, "spentTokens": 0, "limitTokens": None},
        "deployment": None,
        "freeAt": "2026-11-22T00:00:00.000Z",
        "month": {"learner": None, "deployment": None, "freeAt": "2026-12-01T00:00:00.000Z"},
    }
    model.released.set()
    await day.asks(model)
    standing = await day.ledger.status("ann")
    assert standing["learner"] == {"spentUsd": 0.014, "limitUsd": 1.0, "spentTokens": 1_500, "limitTokens": None}


REQUEST_OF_64K = ModelRequest(PRICED, "s", (Message("user", (Text("Go. " * 30_000),)),), (), 64_000)


async def stopped(stop: Stop, model: MeteredModel) -> None:
    """Read a reply as the loop does, until the stop."""
    async with aclosing(model.reply(REQUEST)) as parts:
        try:
            while await stop.guard(anext(parts, None)) is not None:
                pass
        except Stopped:
            return
    raise AssertionError("the reply ended by itself")


async def until_in_line(day: LedgerDay) -> None:
    """Until a call has been told to wait."""
    async with asyncio.timeout(5):
        while not day.ledger.waiting:
            await asyncio.sleep(0)
