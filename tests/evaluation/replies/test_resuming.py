"""Stopped evaluations go on where they were, within their budget (E1)."""

import asyncio
from pathlib import Path

import pytest

from harness.models.word_counter import WordCountingGrader
from sprout.errors import ModelFailure, ModelFailureKind
from sprout.evaluation.evaluation import Interrupted
from sprout.offline.faults.scenarios import FaultPlan
from tests.evaluation.marking.few_answers import run_few


async def test_E1_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    first, again = WordCountingGrader(), WordCountingGrader()
    made, access = await run_few(first, store=tmp_path)
    found, from_disk = await run_few(again, store=tmp_path)
    assert found == made
    assert again.requests == 0
    assert (from_disk.spending.calls, from_disk.spending.fresh.cost_usd) == (0, 0.0)
    assert from_disk.spending.total == access.spending.total
    assert access.spending.fresh.cost_usd > 0


async def test_E1_an_evaluation_that_a_failure_stopped_pays_for_the_rest_alone(tmp_path: Path) -> None:
    whole = WordCountingGrader()
    made, _ = await run_few(whole)
    stopped, rest = WordCountingGrader(), WordCountingGrader()
    with pytest.raises(Interrupted, match=r"of 5 items are done, and their replies are kept") as caught:
        await run_few(stopped, store=tmp_path, faults=FaultPlan(dict.fromkeys(range(4, 100), "no_credit")))
    assert isinstance(caught.value.cause, ModelFailure)
    found, _ = await run_few(rest, store=tmp_path)
    assert found == made
    assert 0 < rest.requests < whole.requests
    assert stopped.requests + rest.requests <= whole.requests + 4  # calls of items that asked the same at once


async def test_E1_the_budget_is_never_exceeded_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    _, access = await run_few(WordCountingGrader())
    whole_usd = access.spending.total.cost_usd
    with pytest.raises(Interrupted, match=r"budget of \$0;") as caught:
        await run_few(WordCountingGrader(), budget_usd=0.0)
    assert isinstance(caught.value.cause, ModelFailure)
    assert caught.value.cause.kind is ModelFailureKind.BUDGET_SPENT
    model, budgets_usd, spent_usd = WordCountingGrader(), iter(range(1, 100)), []
    while True:
        limit_usd = next(budgets_usd) * 0.01
        try:
            _, access = await run_few(model, store=tmp_path, budget_usd=limit_usd)
        except Interrupted:
            continue
        spent_usd.append(access.spending.fresh.cost_usd)
        assert access.spending.fresh.cost_usd <= limit_usd
        break
    assert spent_usd[0] <= whole_usd


def overwrite_one(folder: Path, content: str) -> None:
    min(folder.rglob("*.json")).write_text(content)


@pytest.mark.parametrize(
    "content", ["", "{}", '{"blocks": [{"index": 0}], "usage": {}, "stop_reason": "x"}', "\x00\xff"]
)
async def test_E1_a_broken_reply_on_disk_is_asked_for_again(tmp_path: Path, content: str) -> None:
    made, _ = await run_few(WordCountingGrader(), store=tmp_path)
    await asyncio.to_thread(overwrite_one, tmp_path, content)
    model = WordCountingGrader()
    found, _ = await run_few(model, store=tmp_path)
    assert found == made
    assert model.requests == 1
