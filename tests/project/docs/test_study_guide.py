"""The example of a study guide, over HTTP: helpers, a permission, a token target, a sliding window."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from examples.custom_agent.study_guide_agent import section_edit
from sprout.errors import InvalidGraphEdit
from sprout.learning.graph.graph import apply
from sprout.offline.faults.scenarios import Fault
from sprout.offline.reply import Body, Reply, ToolOut
from sprout.offline.script import Scripted, Step
from sprout.offline.server import OfflineServer, running_offline_server
from tests.learning.graph.graphs import a_graph, drawn
from tests.project.extended_server import STUDY_GUIDE, USER, import_fractions, model_settings, sprout_serving
from tests.web.handlers.teaching.lesson_server import calls, says

CONCEPTS = ("A fraction as equal parts", "Equal fractions", "Adding fractions")
REPORT = "The whole is cut into parts of one size. " * 60
TEXT = "One half and two quarters are the same part of a cake: cut one again and look. " * 48
ALLOW, DENY = "Allow this once", "Do not allow"
GUIDE = ToolOut("save_guide", {"title": "Guide to fractions", "text": TEXT, "concepts": list(CONCEPTS)})


def spawns(*concepts: str) -> Reply:
    return calls(ToolOut("spawn_child_runs", {"agent": "summary", "input": "Sum this up", "each": list(concepts)}))


class GuideModel:
    """A model that plays the steps of the guide's agent, and reports on whatever concept a helper is given."""

    def __init__(self, *steps: Step) -> None:
        self.guide = Scripted(steps)

    def answer(self, body: Body) -> Reply | Fault:
        if "save_guide" in tool_names(body):
            return self.guide.answer(body)
        assert tool_names(body) == {"get_parts"}, "only the two agents of the examples call a model"
        concept = next(title for title in CONCEPTS if title in str(body["messages"][0]))
        if len(body["messages"]) == 1:
            return calls(ToolOut("get_parts", {"of": concept}))
        return says(f"{concept}: {REPORT}")


def tool_names(body: Body) -> set[str]:
    return {tool["name"] for tool in body.get("tools", ())}


@dataclass(frozen=True, slots=True)
class GuideRun:
    """A run that has ended.

    Args:
        events: of its stream, with those of its helpers.
        questions: that it waited with, as `GET /api/runs/{id}` has them.
        runs: those whose events the stream had.
        requests: the bodies that the model got from the guide's agent.
        all_requests: from the helpers, too.
    """

    id: str
    events: list[tuple[str, dict[str, Any]]]
    questions: list[dict[str, Any]]
    runs: list[dict[str, Any]]
    requests: Sequence[Body]
    all_requests: Sequence[Body]

    @property
    def outcome(self) -> tuple[str, str, str | None]:
        """How the run ended, by state and reason, and its rationale."""
        (done,) = [data for kind, data in self.events if kind == "run_done"]
        rationale = [data["rationale"] for kind, data in self.events if kind == "agent_done"][-1]
        return done["status"], done["reason"], rationale

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [data for found, data in self.events if found == kind]


@dataclass(frozen=True, slots=True)
class Place:
    """A server with the path about fractions."""

    client: httpx2.AsyncClient
    model: OfflineServer
    root: dict[str, Any]

    async def write_guide(self, *answers: str) -> GuideRun:
        """One run, read from its stream; each of its questions gets the next of the answers."""
        questions = []
        run = f"/api/agents/study_guide/nodes/{self.root['id']}/run"
        async with self.client.stream("POST", run, json={**USER, "task": "For Friday"}) as stream:
            assert stream.status_code == 200
            run_id = stream.headers["x-run-id"]
            events, last = await read_until_waiting(stream)
        for answer in answers:
            assert events[-1][0] == "waiting_on_human"
            questions.append((await self.client.get(f"/api/runs/{run_id}")).json()["question"])
            answered = await self.client.post(f"/api/runs/{run_id}/answer", json={"answer": answer})
            assert answered.status_code == 200, answered.text
            async with self.client.stream("GET", f"/api/runs/{run_id}/events", params={"after": last}) as stream:
                more, last = await read_until_waiting(stream)
            events += more
        run_ids = dict.fromkeys(data["runId"] for _, data in events if data.get("runId"))
        runs = [(await self.client.get(f"/api/runs/{one}")).json() for one in run_ids]
        bodies = [request.body for request in self.model.requests]
        guide = [body for body in bodies if "save_guide" in tool_names(body)]
        return GuideRun(run_id, events, questions, runs, guide, bodies)

    async def graph(self) -> dict[str, Any]:
        graph: dict[str, Any] = (await self.client.get(f"/api/branches/{self.root['branchId']}/graph")).json()
        return graph

    async def step(self, title: str) -> dict[str, Any] | None:
        """The step of the path with this title."""
        return next((node for node in (await self.graph())["nodes"] if node["title"] == title), None)


async def read_until_waiting(stream: httpx2.Response) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    """The events up to where the run waits, or to the stream's end, and the number of the last one."""
    events, kind, last = [], "", ""
    async for line in stream.aiter_lines():
        field, _, value = line.partition(": ")
        match field:
            case "id":
                last = value
            case "event":
                kind = value
            case "data":
                events.append((kind, json.loads(value)))
                if kind == "waiting_on_human":
                    break
    return events, last


@asynccontextmanager
async def place(folder: Path, steps: Sequence[Step], **settings: str) -> AsyncIterator[Place]:
    async with (
        running_offline_server(GuideModel(*steps)) as model,
        sprout_serving(folder, **STUDY_GUIDE, **model_settings(model), **settings) as (_, address),
        import_fractions(address) as (client, nodes),
    ):
        yield Place(client, model, next(node for node in nodes if node["type"] == "root"))


async def test_M1_M2_helpers_report_and_the_learner_allows_what_is_saved(tmp_path: Path) -> None:
    steps = [calls(ToolOut("get_concepts")), spawns(*CONCEPTS), calls(GUIDE), says("The guide is there.")]
    async with place(tmp_path, steps) as here:
        ran = await here.write_guide(ALLOW)
        step, graph = await here.step("Guide to fractions"), await here.graph()
        changes = (await here.client.get(f"/api/branches/{here.root['branchId']}/changes")).json()
        undone = await here.client.post(f"/api/changes/{changes[0]['id']}/undo", json=USER)
        after = await here.step("Guide to fractions")
    assert ran.outcome == ("completed", "end_turn", "The guide is there.")

    helpers = [run for run in ran.runs if run["parentId"] == ran.id]
    assert [(run["agent"], run["state"], run["rootId"]) for run in helpers] == [("summary", "completed", ran.id)] * 3
    said = {data["rationale"] for data in ran.of_kind("agent_done") if data["runId"] != ran.id}
    assert {words.partition(":")[0] for words in said} == {*CONCEPTS}
    told = ran.requests[2]["messages"][-1]["content"]
    assert all(f"{title}: {REPORT.strip()[:80]}" in str(told) for title in CONCEPTS)

    (question,) = ran.questions
    assert (question["kind"], question["tool"], question["choices"]) == ("permission", "save_guide", [ALLOW, DENY])
    assert question["input"] == GUIDE.input

    assert step is not None
    assert step["desc"] == TEXT.strip()
    titles = {node["id"]: node["title"] for node in graph["nodes"]}
    builds_on = [titles[edge["sourceNodeId"]] for edge in graph["edges"] if edge["targetNodeId"] == step["id"]]
    assert builds_on == ["Adding fractions"]
    assert (undone.status_code, after) == (200, None)


async def test_M1_M2_what_the_learner_does_not_allow_is_not_saved_and_the_run_ends_properly(tmp_path: Path) -> None:
    steps = [spawns(*CONCEPTS), calls(GUIDE), says("Nothing was saved, as you decided.")]
    async with place(tmp_path, steps) as here:
        ran = await here.write_guide(DENY)
        step = await here.step("Guide to fractions")
        status = (await here.client.get(f"/api/runs/{ran.id}")).json()
    assert step is None
    assert ran.outcome == ("completed", "end_turn", "Nothing was saved, as you decided.")
    (result,) = ran.requests[-1]["messages"][-1]["content"]
    assert result["is_error"] is True
    assert "did not allow this call" in str(result["content"])
    assert (status["state"], status["question"]) == ("completed", None)


async def test_M1_M2_L14_an_end_far_below_the_target_is_answered_and_accepted_once_nothing_more_comes(
    tmp_path: Path,
) -> None:
    steps = [says("Done."), says("Really."), says("That is all."), says("Never asked for.")]
    async with place(tmp_path, steps) as here:
        ran = await here.write_guide()
    assert len(ran.requests) == 3
    for request in ran.requests[1:]:
        words = request["messages"][-1]["content"][-1]["text"]
        assert words.startswith("Keep working:")
        assert "of about 800 tokens" in words
    assert ran.outcome == ("completed", "end_turn", "That is all.")


async def test_M1_M2_a_small_window_that_was_set_slides_and_no_summary_is_asked_for(tmp_path: Path) -> None:
    settings = {"SPROUT_AGENTS__STUDY_GUIDE__STRATEGY_TOKENS": "2500"}
    steps = [*(spawns(title) for title in CONCEPTS), calls(GUIDE), says("The guide is there.")]
    async with place(tmp_path, steps, **settings) as here:
        ran = await here.write_guide(ALLOW)
        saved = await here.step("Guide to fractions")
    assert saved is not None
    assert {data["rung"] for data in ran.of_kind("context_compacted")} == {"collapse"}
    first, *_, last = CONCEPTS
    seen = [str(request["messages"]) for request in ran.requests]
    assert f"{first}: {REPORT[:20]}" in seen[1]
    assert f"{first}: {REPORT[:20]}" not in seen[3]
    assert f"{last}: {REPORT[:20]}" in seen[3]
    assert all("For Friday" in messages for messages in seen)
    assert len(ran.all_requests) == len(steps) + 2 * len(CONCEPTS)


def test_a_section_comes_after_the_last_of_its_concepts_and_a_second_one_of_its_title_replaces_its_text() -> None:
    graph = a_graph("parts equal adding", "parts>equal")
    concepts = ["parts", "equal", "adding"]
    added = section_edit("Guide", "Cut it.", concepts)(graph)
    assert drawn(added.graph) == {"parts>equal", "equal>Guide", "adding>Guide"}
    again = section_edit("Guide", "Cut it twice.", concepts)(added.graph)
    assert [event.kind for event in again.events] == ["node_updated"]
    assert again.graph.node_by_title("Guide").desc == "Cut it twice."
    assert apply(graph, [*added.events, *again.events]) == again.graph
    assert section_edit("Guide", "Cut it twice.", concepts)(again.graph).events == ()
    with pytest.raises(InvalidGraphEdit, match="decimals"):
        section_edit("Guide", "Cut it.", ["decimals"])(graph)
