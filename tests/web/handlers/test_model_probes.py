"""O7, O9: probes of models over HTTP, and runs that are refused before they cost anything."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from harness.database.empty_sqlite import create_empty_database
from harness.models.answers_in_form import AnswersInForm
from harness.servers.in_process import serve_app
from sprout.app import open_app, web_dependencies
from sprout.config import load_settings
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.demo.router import demo_model
from sprout.offline.faults.scenarios import FaultPlan
from sprout.offline.server import OfflineServer, running_offline_server
from sprout.web.routes import web_app


@dataclass(frozen=True, slots=True)
class Site:
    client: httpx2.AsyncClient
    model: OfflineServer

    async def topic(self, title: str = "Light") -> str:
        branch = (await self.client.post("/api/branches", json={"title": title})).json()
        node = {"type": "root", "title": title, "branchId": branch["id"]}
        return str((await self.client.post("/api/nodes", json=node)).json()["id"])

    async def probes(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self.client.get("/api/status")).json()["probes"]
        return found


@asynccontextmanager
async def site(
    folder: Path, scenario: str | None = None, *, brain: OfflineModel | None = None, **chosen: Any
) -> AsyncIterator[Site]:
    faults = FaultPlan.always(scenario) if scenario else FaultPlan()
    async with running_offline_server(brain or demo_model(), faults=faults) as model:
        settings = load_settings(
            **{"data_dir": folder, "api_key": None, "base_url": model.base_url, "model": "mine", "database_url": ""}
            | chosen
        )
        async with (
            open_app(settings) as sprout,
            serve_app(web_app(web_dependencies(sprout))) as served,
            httpx2.AsyncClient(base_url=served.url, timeout=30) as client,
        ):
            yield Site(client, model)


async def test_O7_a_probe_is_started_from_the_page_stored_and_shown(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with site(tmp_path, "one_call") as here:
        before = await here.probes()
        answer = await here.client.post("/api/models/probe")
        status = (await here.client.get("/api/status")).json()
    assert [(one["fitness"], one["probe"]) for one in before] == [("unknown", None)]
    assert answer.status_code == 200
    (found,) = answer.json()
    assert (found["model"], found["fitness"]) == ("mine", "one_call_at_a_time")
    assert found["agents"][-1] == "small mode"
    assert found["minutes"] >= 1
    assert "params" not in found["probe"]
    assert status["probes"] == answer.json()


async def test_O9_a_model_that_is_known_to_call_no_tools_is_refused_before_a_token_is_spent(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with site(tmp_path, "tools_dropped") as here:
        topic = await here.topic()
        assert (await here.client.post("/api/models/probe")).json()[0]["fitness"] == "calls_no_tools"
        asked = len(here.model.requests)
        refused = await here.client.post(f"/api/agents/topics/{topic}/run", json={})
        assert len(here.model.requests) == asked
        runs = (await here.client.get("/api/runs")).json()
    assert refused.status_code == 409
    assert refused.json()["code"] == "model_calls_no_tools"
    assert refused.json()["params"] == {"model": "mine"}
    assert runs == []


async def test_O7_a_server_that_is_gone_says_nothing_about_its_models(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with site(tmp_path, "bad_key") as here:
        answer = await here.client.post("/api/models/probe")
        assert (answer.status_code, answer.json()["code"]) == (503, "bad_key")
        assert [one["probe"] for one in await here.probes()] == [None]


async def test_O7_the_built_in_model_needs_no_probe(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with site(tmp_path, base_url=None, model=None) as here:
        answer = await here.client.post("/api/models/probe")
    assert (answer.status_code, answer.json()["code"]) == (409, "probe_offline")


async def test_O9_a_path_with_a_model_that_calls_no_tools_ends_after_one_correction_and_says_so(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with site(tmp_path, "tools_dropped") as here:
        run = (await here.client.post(f"/api/agents/topics/{await here.topic()}/run", json={"small": True})).text
        (listed,) = (await here.client.get("/api/runs")).json()
    assert len(here.model.requests) == 2
    assert listed["error"]["code"] == "no_tool_calls"
    assert "SPROUT_MODEL" in run


async def test_O9_a_model_that_answers_in_form_alone_makes_a_path(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    async with site(tmp_path, brain=AnswersInForm()) as here:
        (found,) = (await here.client.post("/api/models/probe")).json()
        topic = await here.topic("Bayesian reasoning")
        run = (await here.client.post(f"/api/agents/topics/{topic}/run", json={"small": True})).text
        runs = (await here.client.get("/api/runs")).json()
    assert (found["fitness"], found["probe"]["callsInForm"], found["probe"]["toolCalls"]) == ("answers_in_form", 3, 0)
    assert {(one["state"], one["error"]) for one in runs} == {("completed", None)}
    assert "Turning percentages into counts of people" in run
    assert '{\\"words\\"' not in run  # the form is between Sprout and the model
