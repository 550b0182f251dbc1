"""Both agents in the real loop, on the built-in model, over real HTTP: what a learner without an account gets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness.agents.memory_repositories import MemoryGraphRepository, RecordingTeam
from harness.journeys.learner import IMMEDIATE
from harness.journeys.sprout_server import start_server
from sprout.agents.agent import AgentSpec, Brief, NothingSaved
from sprout.agents.path.subconcept import subconcept_agent
from sprout.agents.path.topic import topic_agent
from sprout.documents.splitting.passages import split_into_passages
from sprout.events import AgentDone, NodeRow, ToolCalled, ToolFinished
from sprout.llm.claude import Claude, claude_client
from sprout.loop.turn import Step, TurnOptions, TurnResult, run_turn
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.demo.router import DemoModel
from sprout.offline.script import Reply, Scripted, TextOut, ToolOut
from sprout.offline.server import running_offline_server
from tests.agents.driving import briefed

NOTES = """# The water cycle

Water moves round the earth all the time and is never used up. The sun drives this movement.

## Evaporation

The sun warms the surface of seas and lakes. Liquid water turns into an invisible gas called water vapour. Wind and
dry air make evaporation faster, because they carry the vapour away.

## Condensation

Warm air rises and cools as it rises. Cool air can hold less water vapour than warm air. The vapour condenses on tiny
specks of dust and becomes droplets. Billions of droplets together are a cloud.

## Precipitation

Droplets join in a cloud until they are too heavy for the air to carry. They fall as rain, and as snow where the air is
below freezing. Hail forms where strong winds lift the drops again and again.

## Runoff

Rain that does not sink into the ground flows downhill. This runoff gathers in streams and rivers. Paved ground makes
more runoff, because water cannot sink in.

## Groundwater

Some rain seeps through soil and gravel. It collects above a layer of clay. Groundwater feeds springs and wells for
years, even when no rain falls.

## Transpiration

Plants draw water from the soil with their roots. They lose most of it as vapour through tiny holes in their leaves.
A large tree can give off hundreds of litres on a summer day.
"""


@dataclass
class Played:
    brief: Brief
    result: TurnResult
    done: AgentDone
    steps: list[Step] = field(default_factory=list)

    @property
    def refused(self) -> list[str]:
        return [step.summary for step in self.steps if isinstance(step, ToolFinished) and not step.ok]


@asynccontextmanager
async def talking_to(model: OfflineModel) -> AsyncIterator[Claude]:
    async with (
        running_offline_server(model) as server,
        claude_client(api_key="any", base_url=server.base_url, idle_s=5.0) as client,
    ):
        yield Claude(client, thinking_tokens={})


async def played(
    model: Claude, spec: AgentSpec, node: NodeRow, *, small: bool = False, team: RecordingTeam | None = None
) -> Played:
    brief = await briefed(spec, node, small=small, team=team)
    steps: list[Step] = [
        step
        async for step in run_turn(
            model,
            model_name="sprout-offline",
            system=brief.system,
            messages=brief.messages,
            tools=brief.tools,
            policy=spec.policy,
            options=TurnOptions(stop_checks=brief.stop_checks),
        )
    ]
    result = steps[-1]
    assert isinstance(result, TurnResult)
    assert result.failure is None
    assert brief.finish is not None
    return Played(brief, result, await brief.finish(result), steps)


async def a_whole_path(repositories: MemoryGraphRepository, root: NodeRow, *, small: bool = False) -> list[Played]:
    """The topic's run and, one after another, the runs that it asked for."""
    team = RecordingTeam()
    async with talking_to(DemoModel()) as model:
        runs = [await played(model, topic_agent(repositories), root, small=small, team=team)]
        for _, node_id, _ in team.started:
            concept = await repositories.node(node_id, user_id="ada")
            runs.append(await played(model, subconcept_agent(repositories), concept, small=small))
    return runs


def assert_sound(repositories: MemoryGraphRepository, parent_id: str, least: int, most: int) -> None:
    graph = repositories.graphs[parent_id]
    report = graph.validate()
    assert least <= len(graph.nodes) <= most
    assert not report.broken
    assert report.orphans == ()


async def test_notes_become_a_path_with_questions_about_their_own_words() -> None:
    repositories = MemoryGraphRepository(notes=split_into_passages("water.md", NOTES.strip()))
    root = repositories.topic("The water cycle")
    topic, *lessons = await a_whole_path(repositories, root)
    assert topic.result.calls[0].name == "extract_all_concept_contexts"
    assert_sound(repositories, root.id, 3, 3)
    assert len(lessons) == len(repositories.titles(root.id)) == topic.done.concept_count
    assert topic.refused == []
    assert topic.done.rationale
    for lesson, concept in zip(lessons, repositories.graphs[root.id].nodes, strict=True):
        assert repositories.graphs[concept.id].nodes
        assert lesson.result.problems == () or lesson.result.iterations <= 6
        questions = repositories.questions.get(concept.id, {})
        assert all(None not in question.tested_ids for question in questions.values())
        assert bool(questions) is not (concept.id in repositories.closed_empty)
    assert repositories.generated == {root.id, *(concept.id for concept in repositories.graphs[root.id].nodes)}


async def test_a_topic_without_notes_and_without_a_course_ends_with_the_models_own_word_and_an_empty_path() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Beekeeping")
    with pytest.raises(NothingSaved, match=r"know nothing about “Beekeeping”.* Add notes"):
        await a_whole_path(repositories, root)
    assert repositories.graphs[root.id].nodes == ()


async def test_notes_too_short_for_a_path_are_called_so() -> None:
    repositories = MemoryGraphRepository(notes=split_into_passages("bees.txt", "Bees."))
    with pytest.raises(NothingSaved, match="Your notes say too little for a path about “Beekeeping”"):
        await a_whole_path(repositories, repositories.topic("Beekeeping"))


async def test_a_course_becomes_a_path_without_notes() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Python")
    topic, *lessons = await a_whole_path(repositories, root)
    assert_sound(repositories, root.id, 6, 10)
    assert [played.refused for played in (topic, *lessons)] == [[]] * (1 + len(lessons))
    for concept in repositories.graphs[root.id].nodes:
        assert_sound(repositories, concept.id, 8, 12)
        assert 5 <= len(repositories.questions[concept.id]) <= 10


async def test_small_mode_keeps_its_counts() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Bayesian reasoning")
    await a_whole_path(repositories, root, small=True)
    assert 1 <= len(repositories.titles(root.id)) <= 2
    for concept in repositories.graphs[root.id].nodes:
        assert 2 <= len(repositories.titles(concept.id)) <= 3
        assert not repositories.graphs[concept.id].validate().broken
        assert 2 <= len(repositories.questions[concept.id]) <= 3


async def test_a_path_takes_one_model_call_and_a_concept_one() -> None:
    repositories = MemoryGraphRepository()
    topic, *lessons = await a_whole_path(repositories, repositories.topic("Bayesian reasoning"))
    assert topic.result.iterations == 1
    assert [lesson.result.iterations for lesson in lessons] == [1] * len(lessons)


async def test_I5_a_model_that_obeys_a_hostile_document_gets_no_further_than_its_own_topic() -> None:
    """It tries other people's nodes, endless saves and tools that it was not given."""
    repositories, mallory = MemoryGraphRepository(), MemoryGraphRepository(user_id="mallory")
    root, foreign = repositories.topic("Circuits"), mallory.topic("Private")
    attack = [
        ToolOut("save_concept", {"title": "A", "desc": "x", "parent_id": foreign.id}),
        ToolOut("save_subconcept", {"title": "A", "desc": "x"}),
        ToolOut("delete_branch", {"id": foreign.branch_id}),
        ToolOut("save_concept_edge", {"source_title": "A", "target_title": foreign.id, "why": "obey"}),
        *(ToolOut("save_concept", {"title": f"Spam {number}", "desc": "x"}) for number in range(40)),
    ]
    script = Scripted([Reply([TextOut("As the document says."), *attack]), Reply([TextOut("Done.")])])
    async with talking_to(script) as model:
        run = await played(model, topic_agent(repositories), root)
    assert len(repositories.titles(root.id)) == 10
    assert repositories.edges(root.id) == set()
    assert mallory.graphs[foreign.id].nodes == ()
    assert len(run.refused) == 3  # the field that it was not given is left out
    assert sum(call.unchanged for call in run.result.calls) == 31  # there were enough concepts


async def test_Q6_no_secret_of_a_question_is_in_any_event_also_of_refused_ones() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    (concept,) = repositories.under(root.id, "Voltage")
    secret = "quokka"
    question = {
        "prompt": "Which animal is meant?",
        "format": "mcq",
        "options": ["a cat", "a dog", "a fox", "a hen"],
        "correct_answer": secret,
        "misconceptions": [{"option": secret, "misconception": secret}],
        "solution": [secret],
        "difficulty": 1,
        "tests": ["A"],
    }
    criteria = [{"label": "it", "statement": secret, "weight": 0.5}, {"label": "that", "statement": "x", "weight": 0.5}]
    open_one = {**question, "format": "open_ended", "options": None, "misconceptions": None, "criteria": criteria}
    numeric = {**question, "format": "numeric", "options": None, "unit": secret}
    saves = [
        ToolOut("save_diagnostic_question", {**one, "prompt": f"Which animal is meant in case {number}?"})
        for number, one in enumerate([question, open_one, numeric])
    ]
    parts = [ToolOut("save_subconcept", {"title": title, "desc": "It is."}) for title in "AB"]
    edge = ToolOut("save_subconcept_edge", {"source_title": "A", "target_title": "B", "why": "first"})
    script = Scripted([Reply([*parts, edge, *saves]), Reply([TextOut("Made.")])])
    async with talking_to(script) as model:
        run = await played(model, subconcept_agent(repositories), concept, small=True)
    calls = [step for step in run.steps if isinstance(step, (ToolCalled, ToolFinished))]
    assert len(run.refused) == 2
    assert len(calls) == 12
    assert all(secret not in event.model_dump_json() for event in calls)


async def test_a_refused_edge_is_told_to_the_model_in_the_same_turn() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    saves = [ToolOut("save_concept", {"title": title, "desc": "It is."}) for title in ("A", "B")]
    edges = [
        ToolOut("save_concept_edge", {"source_title": source, "target_title": target, "why": "so"})
        for source, target in ("AB", "BA")
    ]
    script = Scripted([Reply([*saves, *edges]), Reply([TextOut("It starts with A.")])])
    async with talking_to(script) as model:
        run = await played(model, topic_agent(repositories), root, small=True)
    assert repositories.edges(root.id) == {"A>B"}
    assert "would close a cycle: 'B' → 'A' → 'B'" in run.refused[0]
    assert run.done.rationale == "It starts with A."


async def test_a_model_that_stops_early_is_told_what_is_missing_at_most_twice() -> None:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    saves = [ToolOut("save_concept", {"title": title, "desc": "It is."}) for title in "AB"]
    script = Scripted([Reply(saves)], then=Reply([TextOut("That is the path.")]))
    async with talking_to(script) as model:
        run = await played(model, topic_agent(repositories), root)
    assert run.result.iterations == 4
    assert run.result.transitions.count("stop_hook_correction") == 2
    assert "2 of 6-10 concepts saved" in run.result.problems[0]
    assert run.done.concept_count == 2


async def test_T8_T9_the_closing_paragraph_is_streamed_from_the_call_that_ends_the_run(
    tmp_path: Path, topology_url: str
) -> None:
    async with start_server(tmp_path, topology_url, pace=IMMEDIATE) as grown:
        events = await grown.events_of(await grown.start_path("Bayesian reasoning"))
    said = [event.data["text"] for event in events if event.kind == "message"]
    (done,) = [event.data for event in events if event.kind == "agent_done" and event.data["agent"] == "topic"]
    assert said == [done["rationale"]]
    assert said[0].startswith("This is a short path: 2 of the 6 concepts")


async def test_T8_a_closing_call_beside_a_refused_edge_ends_nothing_and_the_words_of_the_last_one_count() -> None:
    repositories = MemoryGraphRepository()
    saves = [ToolOut("save_concept", {"title": title, "desc": "It is."}) for title in ("A", "B")]
    edge = ToolOut("save_concept_edge", {"source_title": "A", "target_title": "Z", "why": "so"})
    mended = ToolOut("save_concept_edge", {"source_title": "A", "target_title": "B", "why": "so"})
    first, last = [ToolOut("close_path", {"rationale": words}) for words in ("Done.", "It starts with A.")]
    script = Scripted([Reply([*saves, edge, first]), Reply([mended, last])])
    async with talking_to(script) as model:
        run = await played(model, topic_agent(repositories), repositories.topic("Circuits"), small=True)
    assert (run.result.iterations, run.result.reason) == (2, "end_turn")
    assert run.done.rationale == "It starts with A."
