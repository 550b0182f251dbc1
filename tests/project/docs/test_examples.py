"""The examples do what they say: an agent on the loop, a tool of the tutor, an agent that is added by configuration."""

import asyncio
import json
import re
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import httpx2
import pytest

from examples.tutor_tool import calculate
from harness.database.empty_sqlite import create_empty_database
from harness.journeys.sprout_server import COURSE, start_server
from harness.prefork.python import prefork_python
from harness.services import skip_unless_required
from scripts.check import node
from sprout.agents.tutor.tools import TUTOR_TOOLS
from sprout.errors import ToolFailure
from sprout.loop.model import ToolUse
from sprout.offline.pace import Pace
from sprout.offline.reply import ToolOut
from sprout.offline.script import Scripted
from sprout.offline.server import running_offline_server
from tests.project.commands import kill
from tests.project.extended_server import (
    EXAMPLES,
    ROOT,
    SUMMARY,
    USER,
    first_of_kind,
    import_fractions,
    model_settings,
    sprout_serving,
)
from tests.web.handlers.teaching.lesson_server import calls, checkpoint, says


def events_of(stream: str) -> list[tuple[str, dict[str, Any]]]:
    frames = re.findall(r"^event: (\w+)\ndata: (.+)$", stream, re.MULTILINE)
    return [(kind, json.loads(data)) for kind, data in frames]


async def test_the_agent_on_the_loop_is_thirty_lines_and_runs_without_a_model() -> None:
    lines = [line for line in (EXAMPLES / "agent.py").read_text().splitlines() if line.strip()]
    assert len(lines) <= 30
    environment = {"PYTHONPATH": str(ROOT)}
    ran = await asyncio.create_subprocess_exec(
        prefork_python(), str(EXAMPLES / "agent.py"), env=environment, stdout=PIPE, stderr=PIPE
    )
    out, err = await ran.communicate()
    assert (ran.returncode, err.decode()) == (0, "")
    assert [line for line in out.decode().splitlines() if line.startswith(("Tool", "end_turn"))] == [
        "ToolCalled",
        "ToolFinished",
        "end_turn: 3 times",
    ]


@pytest.mark.parametrize("program", ["grow_path.py", "grow_path.mjs"])
async def test_O5_a_program_of_a_few_lines_grows_a_path_and_follows_it(program: str, tmp_path: Path) -> None:
    lines = [line for line in (EXAMPLES / program).read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= 15
    runner = prefork_python() if program.endswith(".py") else node()
    if runner is None:
        skip_unless_required("Node.js 20 is not installed")
    async with start_server(tmp_path, create_empty_database(tmp_path), pace=Pace()) as sprout:
        command = (runner, str(EXAMPLES / program), sprout.url, COURSE)
        ran = await asyncio.create_subprocess_exec(*command, env={"PYTHONPATH": str(ROOT)}, stdout=PIPE, stderr=PIPE)
        out, err = await ran.communicate()
        (path,) = await sprout.paths()
    assert (ran.returncode, err.decode()) == (0, "")
    said = [line for line in out.decode().splitlines() if line]
    assert said[0] == "run_started"
    assert "run_done" in said
    assert len(path["concepts"]) == 2


@pytest.mark.parametrize(
    ("expression", "value"),
    [("(1/2 + 1/3) * 6", "5"), ("0.1 + 0.2", "3/10"), ("-2 * 3 - 1/4", "-25/4")],
)
async def test_the_tool_for_the_tutor_works_out_exactly(expression: str, value: str) -> None:
    assert await calculated(expression) == value


@pytest.mark.parametrize("expression", ["1/0", "2 ** 9", "__import__('os')", "1 +", "True", "(" * 190 + "1"])
async def test_and_refuses_what_is_no_sum(expression: str) -> None:
    with pytest.raises(ToolFailure):
        await calculated(expression)


async def calculated(expression: str) -> object:
    call = ToolUse("toolu_1", "calculate", {"expression": expression})
    return await calculate.run(calculate.checked(call), call)


async def test_the_tutor_is_offered_the_tool_and_told_what_comes_out(tmp_path: Path) -> None:
    sums = ToolOut("calculate", {"expression": "1/2 + 1/3"})
    async with (
        running_offline_server(Scripted([calls(sums), calls(checkpoint())])) as model,
        sprout_serving(
            tmp_path,
            PYTHONPATH=f"{ROOT}:{EXAMPLES}",
            SPROUT_TUTOR_TOOLS="tutor_tool:calculate",
            **model_settings(model),
        ) as (_, address),
        import_fractions(address) as (client, nodes),
    ):
        body = {**USER, "nodeId": first_of_kind(nodes, "subconcept")}
        session = (await client.post("/api/chat/sessions", json=body)).raise_for_status().json()
        turn = await client.post(f"/api/chat/sessions/{session['id']}/tutor", json={**USER, "content": ""})
    assert turn.status_code == 200, turn.text
    asked, followed_up = [request.body for request in model.requests]
    assert {tool["name"] for tool in asked["tools"]} == TUTOR_TOOLS | {"calculate"}
    (result,) = [block for block in followed_up["messages"][-1]["content"] if block["type"] == "tool_result"]
    assert "5/6" in str(result["content"])


async def test_an_agent_that_is_added_by_configuration_works_over_http(tmp_path: Path) -> None:
    script = Scripted([calls(ToolOut("get_parts", {})), says("In short: equal parts.")])
    async with (
        running_offline_server(script) as model,
        sprout_serving(tmp_path, **SUMMARY, **model_settings(model)) as (_, address),
        import_fractions(address) as (client, nodes),
    ):
        node = first_of_kind(nodes, "concept")
        run = f"/api/agents/summary/nodes/{node}/run"
        key = {"Idempotency-Key": "once"}
        answer = await client.post(run, json={**USER, "task": "for Friday"}, headers=key)
        again = await client.post(run, json={**USER, "task": "for Friday"}, headers=key)
        otherwise = await client.post(run, json={**USER, "task": "for Monday"}, headers=key)
        shown = (await client.get(f"/api/runs/{answer.headers['x-run-id']}")).json()
        status = (await client.get("/api/status")).json()
        anonymous = await client.post(f"/api/agents/poet/nodes/{node}/run", json=USER)
        own = await client.post(f"/api/agents/grading/nodes/{node}/run", json=USER)
        elsewhere = await client.post("/api/agents/summary/nodes/nowhere/run", json=USER)
        others = await client.post(run, json={"userId": "somebody"})
    events = events_of(answer.text)
    done = next(data for kind, data in events if kind == "agent_done")
    assert (events[-1][0], events[-1][1]["status"], done["rationale"]) == (
        "run_done",
        "completed",
        "In short: equal parts.",
    )
    assert (shown["agent"], shown["label"], shown["lane"]) == ("summary", "summary", f"summary:{node}")
    assert status["agents"] == ["summary"]
    asked, followed_up = [request.body for request in model.requests]
    assert "for Friday" in str(asked["messages"])
    assert "The denominator" in str(followed_up["messages"])
    assert (again.headers["x-run-id"], again.headers["idempotent-replay"]) == (answer.headers["x-run-id"], "true")
    assert otherwise.status_code == 422
    for refused in (anonymous, own):
        assert refused.status_code == 404
        assert refused.json()["error"].endswith("known agents: summary")
    assert (elsewhere.status_code, others.status_code) == (404, 404)


async def test_a_run_whose_agent_is_not_there_any_more_fails_and_says_why(tmp_path: Path) -> None:
    async with (
        sprout_serving(tmp_path, SPROUT_OFFLINE_TOKENS_PER_S="1", **SUMMARY) as (process, address),
        import_fractions(address) as (client, nodes),
    ):
        run = f"/api/agents/summary/nodes/{first_of_kind(nodes, 'concept')}/run"
        started = (await client.post(run, params={"wait": "false"}, json=USER)).json()
        await kill(process)
    async with (
        sprout_serving(tmp_path) as (_, address),
        httpx2.AsyncClient(base_url=address, timeout=60) as client,
    ):
        stream = await client.get(f"/api/runs/{started['id']}/events")
        retried = await client.post(f"/api/runs/{started['id']}/retry")
        gone = await client.post(run, json=USER)
    (failure,) = [data for kind, data in events_of(stream.text) if kind == "agent_error"]
    assert "'summary' is not here any more: name it in SPROUT_EXTRA_AGENTS" in failure["message"]
    assert failure["retryable"] is True
    assert (retried.status_code, gone.status_code) == (409, 404)
    assert "add agents with SPROUT_EXTRA_AGENTS" in gone.json()["error"]
