"""Delegation as a tool: child runs that do parts of the work, and whose last words are its result (R4a)."""

import json
from pathlib import Path

from harness.loop.scripted_turn import QUICK
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.delegation import spawn_child_runs_tool
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.model import Message, Text
from sprout.offline.reply import Body, Reply, TextOut, ToolOut
from sprout.runs.model_gate import ModelGate
from sprout.runs.state import RunState
from sprout.store.engine.database import Database
from tests.runs.live_app import LiveApp, live_app
from tests.runs.scripted_agents import Blocker, TurnScript, an_agent, assert_whole, kinds, of_kind

SPAWN = Reply([ToolOut("spawn_child_runs", {"agent": "helper", "input": "Name one of:", "each": ["red", "blue"]})])
DONE = Reply([TextOut("Both are named.")])


def a_helper(hang: Blocker | None = None, *, with_helpers: bool = False) -> AgentSpec:
    """An agent with a task given by its caller."""

    async def brief(job: Job, team: Team) -> Brief:
        if hang is not None:
            await hang()
        tools = (spawn_child_runs_tool(team, ["helper"]),) if with_helpers else ()
        assert job.task is not None
        return Brief(system="You help.", messages=(Message("user", (Text(job.task),)),), tools=tools)

    return AgentSpec("helper", "helper", QUICK, brief)


def a_boss() -> AgentSpec:
    return an_agent(lambda _job, team: spawn_child_runs_tool(team, ["helper"]))


def named(body: Body) -> Reply:
    """Says the last line of its task."""
    return Reply([TextOut(f"{json.dumps(body['messages'][0]['content'])[1:-1].split(chr(92) + 'n')[-1][:4]}!")])


async def results(life: LiveApp, run_id: str) -> list[dict[str, str]]:
    """Results of the call."""
    (spawn,) = [one for one in (await life.store.record(run_id)).calls if one.begun.tool == "spawn_child_runs"]
    assert spawn.ended is not None
    answers: list[dict[str, str]] = json.loads(spawn.ended.result)
    return answers


async def test_R4a_each_item_has_a_child_run_and_their_words_come_back_in_order(
    database: Database, data_dir: Path
) -> None:
    """With one model call at a time: a parent that waits holds no place."""
    model, agents = TurnScript(SPAWN, DONE, help=[named]), [a_boss(), a_helper()]
    async with live_app(database, model, data_dir, agents=agents, gate=ModelGate(per_root=1, limit=1)) as life:
        run_id = await life.start()
        await life.streamed(run_id)
        log, run = await life.stored_events(run_id), await life.store.run(run_id)
        brought = await results(life, run_id)
    assert [(one["item"], one["state"]) for one in brought] == [("red", "completed"), ("blue", "completed")]
    assert all(one["item"] in one["said"] for one in brought)
    assert kinds(log).count("run_started") == 3
    assert run.usage.output_tokens == sum(one["usage"]["outputTokens"] for one in of_kind(log, "usage"))
    assert_whole(log, run)


async def test_R4a_a_parent_that_is_cut_off_finds_the_children_that_it_had(database: Database, data_dir: Path) -> None:
    hang = Blocker(at=2)
    model = TurnScript(SPAWN, DONE, help=[named])
    async with live_app(database, model, data_dir, agents=[a_boss(), a_helper(hang)]) as life:
        run_id = await life.start()
        await hang.reached.wait()
        root = life.root
    async with live_app(database, model, data_dir, agents=[a_boss(), a_helper()], root=root) as life:
        await life.streamed(run_id)
        runs = await life.store.runs(user_id=DEFAULT_USER_ID, roots_only=False)
        brought = await results(life, run_id)
        run, log = await life.store.run(run_id), await life.stored_events(run_id)
    assert len(runs) == 3
    assert [one["item"] for one in brought] == ["red", "blue"]
    assert run.state is RunState.COMPLETED
    assert_whole(log, run)


async def test_R4a_depth_is_bounded_and_a_helper_that_is_not_there_is_refused(
    database: Database, data_dir: Path
) -> None:
    """The boss has helpers, and those have: then it is over."""
    unknown = Reply([ToolOut("spawn_child_runs", {"agent": "nobody", "input": "Do", "each": ["it"]})])
    alone = Reply([ToolOut("spawn_child_runs", {"agent": "helper", "input": "Do", "each": ["it"]})])
    model = TurnScript(unknown, alone, DONE, help=[alone, DONE])
    async with live_app(database, model, data_dir, agents=[a_boss(), a_helper(with_helpers=True)]) as life:
        run_id = await life.start()
        await life.streamed(run_id)
        log, run = await life.stored_events(run_id), await life.store.run(run_id)
    ended = [one for one in of_kind(log, "tool_result") if one["tool"] == "spawn_child_runs"]
    assert [one["ok"] for one in ended].count(False) == 2  # the one nobody, and the helper's helper's helper
    assert "There are: helper" in str(ended[0]["summary"])
    assert kinds(log).count("run_started") == 3
    assert run.state is RunState.COMPLETED
