"""A day's budget, over HTTP: it pays for runs until it is spent, then says so, and is free again on the next day."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.journeys.sprout_server import COURSE, QUICK_PACE, ModelFaults, Row, SproutServer, start_server, titles
from sprout.config import load_settings
from sprout.errors import SetupError
from sprout.offline.demo.router import demo_model
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server
from tests.project.commands import kill, serve_sprout

TOP = Path(__file__).parents[3]
SLOW = Pace(0.05, 20)
PRICED: Row = {"model": "claude-opus-5", "fallback_model": "claude-opus-5"}


def in_dollars(**budgets: float) -> Row:
    return {**PRICED, "budgets": budgets}


@asynccontextmanager
async def at(url: str) -> AsyncIterator[SproutServer]:
    async with httpx2.AsyncClient(base_url=url, timeout=30) as web:
        yield SproutServer(url, ModelFaults(), web)


async def until_said(grown: SproutServer, run_id: str) -> None:
    """Until a reply of the model is under way."""
    async with grown.client.stream("GET", f"/api/runs/{run_id}/events") as stream:
        async for line in stream.aiter_lines():
            if line.startswith("event: ") and line.endswith("_delta"):
                return
    raise AssertionError("the run ended without a word")


async def budget(grown: SproutServer) -> Any:
    return (await grown.get("/status"))["budget"]


async def test_D16_a_days_budget_pays_for_a_path_and_shows_what_is_left(tmp_path: Path, database_url: str) -> None:
    numbers = in_dollars(learner_usd_per_day=500, deployment_usd_per_day=900)
    async with start_server(tmp_path, database_url, pace=QUICK_PACE, **numbers) as grown:
        before = await budget(grown)
        await grown.events_of(await grown.start_path(COURSE))
        run, after = await grown.last_run(), await budget(grown)
    assert run["state"] == "completed"
    assert run["usage"]["costUsd"] > 0
    for account, limit in (("learner", 500), ("deployment", 900)):
        assert after[account]["limitUsd"] == limit
        spent_usd = after[account]["spentUsd"] - (before[account]["spentUsd"] or 0)
        assert spent_usd == pytest.approx(run["usage"]["costUsd"], rel=1e-6)
    assert after["freeAt"].endswith("T00:00:00.000Z")


async def test_I8_a_spent_budget_ends_a_run_with_what_to_do_and_keeps_what_was_saved(
    tmp_path: Path, sqlite_url: str
) -> None:
    numbers = in_dollars(learner_usd_per_day=0.35)
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE, **numbers) as grown:
        events = await grown.events_of(await grown.start_path(COURSE, small=False))
        graph, after = await grown.graph(), await budget(grown)
        assert after["learner"]["spentUsd"] <= 0.35
    errors = [one.data for one in events if one.kind == "agent_error"]
    assert {error["code"] for error in errors} == {"budget_spent"}
    assert all(error["retryable"] for error in errors)
    assert "Your budget of $0.35 a day is spent" in errors[0]["message"]
    assert "It is free again at midnight UTC" in errors[0]["message"]
    assert not any(one.kind == "model_retry" for one in events)
    assert titles(graph, "concept")


async def test_trap_7_a_call_that_a_killed_server_had_going_is_spent_at_its_worst(tmp_path: Path) -> None:
    settings = {
        "SPROUT_MODEL": "claude-opus-5",
        "SPROUT_FALLBACK_MODEL": "claude-opus-5",
        "SPROUT_BUDGETS__LEARNER_USD_PER_DAY": "0.21",
        "SPROUT_LOG_LEVEL": "error",
        "ANTHROPIC_API_KEY": "a-key",
        "PYTHONPATH": str(TOP),
    }
    async with running_offline_server(demo_model(), pace=SLOW) as model:
        settings["ANTHROPIC_BASE_URL"] = model.base_url
        async with serve_sprout("serve", "--port", "0", folder=tmp_path, **settings) as (process, url):
            async with at(url) as grown:
                await until_said(grown, await grown.start_path(COURSE))
                assert (await budget(grown))["learner"]["spentUsd"] == 0
                await kill(process)
        async with serve_sprout("serve", "--port", "0", folder=tmp_path, **settings) as (_, url), at(url) as grown:
            learner = (await budget(grown))["learner"]
            assert 0.2 < learner["spentUsd"] <= learner["limitUsd"] == 0.21
            again = await grown.start_run((await grown.last_run())["nodeId"])
            assert (again.status_code, again.json()["code"]) == (429, "budget_over")
            assert again.json()["freeAt"].endswith("T00:00:00.000Z")


async def test_without_budgets_nothing_is_written_and_none_is_shown(tmp_path: Path, sqlite_url: str) -> None:
    async with start_server(tmp_path, sqlite_url, pace=QUICK_PACE, **PRICED) as grown:
        await grown.events_of(await grown.start_path(COURSE))
        shown = await budget(grown)
    assert (shown["learner"], shown["deployment"]) == (None, None)


async def test_a_budget_in_dollars_that_cannot_be_kept_is_refused_at_the_start(tmp_path: Path, sqlite_url: str) -> None:
    settings: Row = {"model": "a-model-of-ones-own", "budgets": {"learner_usd_per_day": 1}}
    with pytest.raises(SetupError, match=r"price of the model 'a-model-of-ones-own' is not known.*TOKENS_PER_DAY"):
        async with start_server(tmp_path, sqlite_url, **settings):
            pass
    settings["budgets"]["learner_tokens_per_day"] = 1_000_000
    async with start_server(tmp_path, sqlite_url, **settings) as grown:
        assert (await budget(grown))["learner"]["limitTokens"] == 1_000_000


def test_budgets_that_are_left_empty_are_unset_and_nonsense_is_refused_by_name() -> None:
    empty = load_settings(budgets={"learner_usd_per_day": "", "deployment_tokens_per_day": " "}).budgets
    assert (empty.learner_usd_per_day, empty.deployment_tokens_per_day) == (None, None)
    for nonsense in ("-1", "inf", "much"):
        with pytest.raises(SetupError, match=r"budgets\.learner_usd_per_day"):
            load_settings(budgets={"learner_usd_per_day": nonsense})
