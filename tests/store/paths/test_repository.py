"""Agents' edits in the database: an edit, its events, its record and the end of its call are one transaction."""

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from sqlmodel import col, select

from harness.builders import a_concept, a_run, a_topic, end_run, start_run
from sprout.clock import utc_now
from sprout.errors import Conflict, InvalidGraphEdit, InvalidQuestion, NotFound
from sprout.events import GraphEvent, NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.mastery.adaptation_rules import bridge_edit
from sprout.learning.paths.repository import NewDocument
from sprout.learning.questions.assessments import GivenAnswer
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft
from sprout.runs.run_store import CallBegun, StoredEvent
from sprout.runs.state import Run, RunAlreadyEnded, RunState
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from sprout.store.schema.run_tables import GraphOperation, ToolCall
from tests.store.conftest import by_paragraph

CHOICE = QuestionDraft(
    prompt="Which of these does a leaf need to make sugar?",
    format="mcq",
    correct_answer="Light",
    difficulty=2,
    tests=("Light reactions", "Not saved yet"),
    options=("Soil", "Light", "Sound", "Wind"),
    misconceptions=(Misconception("Soil", "plants eat soil"),),
    solution=("Light drives the making of sugar.", "Soil gives water and salts."),
)
NUMBER = QuestionDraft(
    prompt="How many carbon atoms are in one molecule of glucose?",
    format="numeric",
    correct_answer="6",
    difficulty=1,
    tests=("Light reactions",),
    tolerance=0.0,
)
OPEN = QuestionDraft(
    prompt="Why do plants look the way they do to us?",
    format="open_ended",
    correct_answer="Chlorophyll throws green light back.",
    difficulty=3,
    tests=("Light reactions",),
    criteria=(Criterion("pigment", "names chlorophyll", 0.5), Criterion("light", "green is not taken in", 0.5)),
)


@pytest.fixture
async def root(paths: SqlPaths) -> NodeRow:
    return await a_topic(paths)


@pytest.fixture
async def run(runs: SqlRunStore, root: NodeRow) -> Run:
    """A running run on the topic that has begun the write calls c1 and c2."""
    run = await start_run(runs, a_run(root))
    await runs.append(run, [CallBegun("c1", "save_concept", "{}", "write"), CallBegun("c2", "save", "{}", "write")])
    return run


@pytest.fixture
def actor(run: Run) -> Actor:
    return Actor(run.user_id, run.label, run.id, run.root_id, "c1", epoch=run.epoch)


def chain(*titles: str, reason: str | None = None) -> Callable[[ConceptGraph], Edit]:
    """Children of these titles, each built on the one before."""

    def operation(graph: ConceptGraph) -> Edit:
        events: list[GraphEvent] = []
        edit = Edit(graph)
        for title in titles:
            before = edit.node
            edit = edit.graph.add(title, f"All about {title}.", utc_now(), reason=reason)
            events.extend(edit.events)
            if before is not None and edit.node is not None:
                joined = edit.graph.connect(before.id, edit.node.id, reason=f"{title} needs it")
                events.extend(joined.events)
                edit = replace(edit, graph=joined.graph)
        return replace(edit, events=tuple(events))

    return operation


async def test_G3_an_edit_writes_rows_events_record_and_the_end_of_its_call_together(
    repositories: SqlPathRepository,
    runs: SqlRunStore,
    root: NodeRow,
    run: Run,
    actor: Actor,
    database: Database,
    published: list[StoredEvent],
) -> None:
    edit = await repositories.edit_graph(root.id, chain("Light", "Leaves", reason="the basis"), actor=actor)

    nodes, edges = await repositories.children(root.id)
    assert (tuple(nodes), tuple(edges)) == (edit.graph.nodes, edit.graph.edges)
    stored = await runs.events(run.id, after=1)
    assert [one.kind for one in stored] == ["node_created", "node_created", "edge_created"]
    assert published[-3:] == stored
    assert NodeRow.model_validate(json.loads(stored[0].data)["node"]) == nodes[0]
    assert json.loads(stored[0].data)["agent"] == "topic"

    (operation,) = await operations(database)
    assert (operation.agent, operation.run_id, operation.call_id, operation.reason) == (
        *("topic", run.id, "c1", "the basis"),
    )
    assert operation.before == {"nodes": [], "edges": []}
    assert operation.after == {
        "nodes": [node.model_dump(mode="json") for node in nodes],
        "edges": [edge.model_dump(mode="json") for edge in edges],
    }
    call = await the_call(database, run, "c1")
    assert call.completed_at is not None
    assert json.loads(call.result or "")["nodeId"] == nodes[1].id


async def test_an_operation_that_raises_leaves_nothing_behind(
    repositories: SqlPathRepository, runs: SqlRunStore, root: NodeRow, run: Run, actor: Actor, database: Database
) -> None:
    def late_refusal(graph: ConceptGraph) -> Edit:
        return chain("Light")(graph).graph.connect_titles("Light", "Light")

    with pytest.raises(InvalidGraphEdit):
        await repositories.edit_graph(root.id, late_refusal, actor=actor)
    assert await repositories.children(root.id) == ([], [])
    assert len(await runs.events(run.id)) == 1
    assert await operations(database) == []
    assert (await the_call(database, run, "c1")).completed_at is None


async def test_D6_a_call_takes_effect_once(
    repositories: SqlPathRepository, runs: SqlRunStore, root: NodeRow, run: Run, actor: Actor
) -> None:
    tries = (repositories.edit_graph(root.id, chain(f"Light {n}"), actor=actor) for n in range(8))
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert [type(one) for one in results].count(Edit) == 1
    assert [type(one) for one in results].count(Conflict) == 7
    assert len((await repositories.children(root.id))[0]) == 1
    assert len(await runs.events(run.id)) == 2


async def test_a_call_that_was_not_begun_has_no_effect(
    repositories: SqlPathRepository, root: NodeRow, actor: Actor
) -> None:
    with pytest.raises(Conflict):
        await repositories.edit_graph(root.id, chain("Light"), actor=replace(actor, call_id="never begun"))
    assert await repositories.children(root.id) == ([], [])


async def test_B5_a_run_that_has_ended_changes_nothing_more(
    repositories: SqlPathRepository, runs: SqlRunStore, root: NodeRow, run: Run, actor: Actor
) -> None:
    await end_run(runs, run, RunState.CANCELLED)
    with pytest.raises(RunAlreadyEnded):
        await repositories.edit_graph(root.id, chain("Light"), actor=actor)
    with pytest.raises(RunAlreadyEnded):
        await repositories.save_question(root.id, CHOICE, actor=actor)
    assert await repositories.children(root.id) == ([], [])


async def test_G2_one_title_saved_by_many_at_once_is_one_node(
    repositories: SqlPathRepository, runs: SqlRunStore, root: NodeRow, run: Run, actor: Actor
) -> None:
    spellings = ("Ｌight reactions", "light  reactions", "LIGHT REACTIONS", " Light\u00a0reactions ", "Light reactions")
    many = (
        repositories.edit_graph(root.id, chain(spelling), actor=replace(actor, call_id=None))
        for spelling in spellings * 6
    )
    edits = await asyncio.gather(*many)
    assert len({edit.node.id for edit in edits if edit.node}) == 1
    assert [edit.created for edit in edits].count(True) == 1
    assert len((await repositories.children(root.id))[0]) == 1
    assert [one.kind for one in await runs.events(run.id, after=1)] == ["node_created"]


async def test_G2_edges_drawn_at_the_same_time_never_close_a_cycle(
    repositories: SqlPathRepository, root: NodeRow
) -> None:
    learner = Actor(root.user_id)  # without a run: nothing but the database keeps these edits apart
    titles = [f"Idea {n}" for n in range(6)]
    for title in titles:
        await repositories.edit_graph(root.id, chain(title), actor=learner)
    pairs = [(a, b) for a in titles for b in titles if a != b]
    random.Random(7).shuffle(pairs)
    drawn = await asyncio.gather(
        *(repositories.edit_graph(root.id, connecting(*pair), actor=learner) for pair in pairs), return_exceptions=True
    )

    assert {type(one) for one in drawn} == {Edit, InvalidGraphEdit}
    nodes, edges = await repositories.children(root.id)
    report = ConceptGraph(root, tuple(nodes), tuple(edges)).validate()
    assert report.cycles == ()
    assert len(edges) == 15  # half of all pairs: as many as fit without a cycle


async def test_the_database_holds_what_the_domain_says_after_any_edits(
    repositories: SqlPathRepository, root: NodeRow, actor: Actor
) -> None:
    free, chance = replace(actor, call_id=None), random.Random(3)
    for step in range(60):
        try:
            edit = await repositories.edit_graph(root.id, any_operation(chance, step), actor=free)
        except InvalidGraphEdit:
            continue
        nodes, edges = await repositories.children(root.id)
        assert nodes == list(edit.graph.nodes)
        assert sorted(map(str, edges)) == sorted(map(str, edit.graph.edges))
    assert len(nodes) > 3


async def test_an_undo_has_the_rows_before_and_after(
    repositories: SqlPathRepository, root: NodeRow, actor: Actor, database: Database
) -> None:
    free = replace(actor, call_id=None)
    first = await repositories.edit_graph(root.id, chain("A", "B", "C"), actor=free)
    a, b, c = first.graph.nodes
    await repositories.edit_graph(root.id, lambda graph: graph.remove(b.id), actor=free, reason="not needed")
    removal = (await operations(database))[-1]
    assert removal.reason == "not needed"
    assert removal.before == {
        "nodes": [b.model_dump(mode="json")],
        "edges": [edge.model_dump(mode="json") for edge in first.graph.edges],
    }
    assert removal.after == {"nodes": [], "edges": [{"sourceNodeId": a.id, "targetNodeId": c.id}]}


async def test_an_edit_that_changes_nothing_leaves_no_record_but_ends_its_call(
    repositories: SqlPathRepository, runs: SqlRunStore, root: NodeRow, run: Run, actor: Actor, database: Database
) -> None:
    await repositories.edit_graph(root.id, chain("Light"), actor=actor)
    again = await repositories.edit_graph(root.id, chain("Light"), actor=replace(actor, call_id="c2"))
    assert not again.created
    assert len(await operations(database)) == 1
    assert len(await runs.events(run.id)) == 2
    assert (await the_call(database, run, "c2")).completed_at is not None


async def test_a_node_with_parts_of_its_own_is_not_removed(
    repositories: SqlPathRepository, paths: SqlPaths, root: NodeRow, actor: Actor
) -> None:
    concept = await a_concept(paths, root, "Light")
    await a_concept(paths, concept, "Photons")
    with pytest.raises(InvalidGraphEdit, match="parts"):
        await repositories.edit_graph(root.id, lambda graph: graph.remove(concept.id), actor=actor)
    assert [node.id for node in (await repositories.children(root.id))[0]] == [concept.id]


async def test_D13_an_agent_cannot_reach_into_another_learners_path(
    repositories: SqlPathRepository, paths: SqlPaths, actor: Actor
) -> None:
    theirs = await a_topic(paths, user_id="someone-else")
    with pytest.raises(NotFound):
        await repositories.edit_graph(theirs.id, chain("Light"), actor=actor)
    with pytest.raises(NotFound):
        await repositories.save_question(theirs.id, CHOICE, actor=actor)
    with pytest.raises(NotFound):
        await repositories.node(theirs.id, user_id=actor.user_id)
    with pytest.raises(NotFound):
        await repositories.mark_generated(theirs.id, user_id=actor.user_id)
    with pytest.raises(NotFound):
        await repositories.resolve_question_tests(theirs.id, actor=actor)
    assert await repositories.children(theirs.id) == ([], [])


async def test_Q6_a_saved_question_is_told_without_its_answer(
    repositories: SqlPathRepository,
    runs: SqlRunStore,
    paths: SqlPaths,
    root: NodeRow,
    run: Run,
    actor: Actor,
    database: Database,
) -> None:
    concept = await a_concept(paths, root, "Light")
    saved = await repositories.save_question(concept.id, CHOICE, actor=actor)

    (ready,) = await runs.events(run.id, after=1)
    data = json.loads(ready.data)
    (question,) = await questions(database)
    options = {option["text"]: option["id"] for option in question.options}
    assert (ready.kind, data["conceptNodeId"]) == ("question_ready", concept.id)
    assert data["question"] == {
        "id": saved.id,
        "assessmentId": saved.assessment_id,
        "nodeId": concept.id,
        "format": "mcq",
        "prompt": CHOICE.prompt,
        "options": sorted(CHOICE.options, key=lambda text: options[text]),  # the ids are random
        "difficulty": 2,
    }
    assert list(options) == list(CHOICE.options)
    assert question.correct_option_id == options["Light"]
    assert question.misconceptions[0]["optionId"] == options["Soil"]
    call = await the_call(database, run, "c1")
    assert json.loads(call.result or "")["questionId"] == saved.id


async def test_questions_of_every_format_keep_what_grading_needs(
    repositories: SqlPathRepository, paths: SqlPaths, root: NodeRow, actor: Actor, database: Database
) -> None:
    concept, free = await a_concept(paths, root, "Light"), replace(actor, call_id=None)
    for draft in (NUMBER, OPEN):
        await repositories.save_question(concept.id, draft, actor=free)
    number, open_ended = await questions(database)
    assert (number.position, number.format, number.correct_answer, number.tolerance) == (1, "numeric", "6", 0.0)
    assert (open_ended.position, open_ended.correct_option_id) == (2, None)
    assert [criterion["label"] for criterion in open_ended.criteria] == ["pigment", "light"]


async def test_one_prompt_saved_by_many_at_once_is_one_question_of_one_diagnostic(
    repositories: SqlPathRepository,
    runs: SqlRunStore,
    paths: SqlPaths,
    root: NodeRow,
    run: Run,
    actor: Actor,
    database: Database,
) -> None:
    concept, free = await a_concept(paths, root, "Light"), replace(actor, call_id=None)
    spelled = [replace(CHOICE, prompt=prompt) for prompt in (CHOICE.prompt, CHOICE.prompt.upper())]
    saved = await asyncio.gather(*(repositories.save_question(concept.id, draft, actor=free) for draft in spelled * 8))
    assert {(one.id, one.assessment_id, one.position) for one in saved} == {(saved[0].id, saved[0].assessment_id, 1)}
    assert [one.created for one in saved].count(True) == 1
    assert [one.kind for one in await runs.events(run.id, after=1)] == ["question_ready"]
    assert len(await questions(database)) == 1


async def test_Q5_a_refused_question_leaves_nothing_behind(
    repositories: SqlPathRepository,
    runs: SqlRunStore,
    paths: SqlPaths,
    root: NodeRow,
    run: Run,
    actor: Actor,
    database: Database,
) -> None:
    concept = await a_concept(paths, root, "Light")
    with pytest.raises(InvalidQuestion):
        await repositories.save_question(concept.id, replace(CHOICE, correct_answer="Water"), actor=actor)
    assert await questions(database) == []
    assert len(await runs.events(run.id)) == 1
    assert (await the_call(database, run, "c1")).completed_at is None


async def test_a_question_points_at_its_subconcepts_as_soon_as_they_are_there(
    repositories: SqlPathRepository, paths: SqlPaths, root: NodeRow, actor: Actor, database: Database
) -> None:
    concept = await a_concept(paths, root, "Light")
    first = await a_concept(paths, concept, "Light reactions")
    await repositories.save_question(concept.id, CHOICE, actor=actor)
    assert await question_tests(database) == [("Light reactions", first.id), ("Not saved yet", None)]
    late = await a_concept(paths, concept, "NOT  saved yet")
    await repositories.resolve_question_tests(concept.id, actor=replace(actor, call_id=None))
    assert await question_tests(database) == [("Light reactions", first.id), ("Not saved yet", late.id)]


@pytest.mark.parametrize("asked_before_it_went", [True, False])
async def test_H4_progress_follows_where_answers_come_to_be_about_another_subconcept(
    repositories: SqlPathRepository,
    paths: SqlPaths,
    assessments: SqlAssessments,
    root: NodeRow,
    actor: Actor,
    published: list[StoredEvent],
    asked_before_it_went: bool,
) -> None:
    """It was removed and made again: what was answered about the one of that title is about the new one."""
    concept = await a_concept(paths, root, "Light")
    removed, me = await a_concept(paths, concept, "Light reactions"), actor.user_id
    if not asked_before_it_went:
        await paths.delete_node(removed.id, user_id=me)
    saved = await repositories.save_question(concept.id, NUMBER, actor=actor)
    diagnostic = await assessments.diagnostic(concept.id, user_id=me)
    await assessments.record_answer(diagnostic.assessment.id, GivenAnswer(saved.id, text="6"), user_id=me)
    if asked_before_it_went:
        await paths.delete_node(removed.id, user_id=me)
    made = await a_concept(paths, concept, "Light reactions")
    for _ in range(2):
        await repositories.resolve_question_tests(concept.id, actor=replace(actor, call_id=None))
    (progress,) = await paths.progress(me, node_id=made.id)
    assert (progress.attempts_count, progress.mastery_score > 0) == (1, True)
    assert [one.kind for one in published].count("mastery_changed") == 2, "of the part and of its concept, once"


async def test_what_was_generated_is_remembered_per_learner(
    repositories: SqlPathRepository, root: NodeRow, database: Database
) -> None:
    assert not await repositories.is_generated(root.id, user_id=root.user_id)
    await asyncio.gather(*(repositories.mark_generated(root.id, user_id=root.user_id) for _ in range(5)))
    assert await repositories.is_generated(root.id, user_id=root.user_id)
    assert not await repositories.is_generated(root.id, user_id="someone-else")

    for meta in ('{"n": 1}', '{"n": 2}'):
        await repositories.log_generation(
            root.id, trigger="on_first_enter", model="sprout-offline", meta=meta, run_id="run 1"
        )
    async with database.open_read_session() as session:
        (note,) = (await session.exec(select(tables.NodeGeneration))).all()
    assert (note.node_id, note.model, note.response_meta) == (root.id, "sprout-offline", '{"n": 1}')


async def test_passages_come_in_the_order_of_upload_and_text(
    repositories: SqlPathRepository, paths: SqlPaths, document_queue: SqlDocumentQueue, root: NodeRow
) -> None:
    for names in (("b.md", "a.md"), ("c.md",)):
        files = [NewDocument(name, "text/markdown", b"x") for name in names]
        await paths.add_documents(root.id, files, user_id=root.user_id)
    while (unread := await document_queue.claim()) is not None:
        text = f"{unread.filename} one\n\n{unread.filename} two"
        await document_queue.complete(unread, text, by_paragraph(unread.filename, text), None)
    assert [passage.text for passage in await repositories.passages(root.id)] == [
        f"{name} {part}" for name in ("b.md", "a.md", "c.md") for part in ("one", "two")
    ]
    assert await repositories.passages("nothing") == []


def connecting(source: str, target: str) -> Callable[[ConceptGraph], Edit]:
    return lambda graph: graph.connect_titles(source, target)


def any_operation(chance: random.Random, step: int) -> Callable[[ConceptGraph], Edit]:
    """Add, connect, insert, rename or remove, somewhere."""

    def operation(graph: ConceptGraph) -> Edit:
        ids = [node.id for node in graph.nodes]
        if len(ids) < 3:
            return graph.add(f"Idea {step}", None, utc_now())
        one, other = chance.sample(ids, 2)
        moves: list[Callable[[], Edit]] = [
            lambda: graph.add(f"Idea {step}", "Text", utc_now()),
            lambda: graph.connect(one, other),
            lambda: bridge_edit(
                graph,
                f"Between {step}",
                "",
                [graph.node(one).title],
                [graph.node(other).title],
                utc_now(),
                reason="a gap",
            ),
            lambda: graph.insert_after(one, f"After {step}", None, utc_now()),
            lambda: graph.update(one, utc_now(), title=f"Renamed {step}", desc=f"Text {step}"),
            lambda: graph.remove(one),
        ]
        return chance.choice(moves)()

    return operation


async def operations(database: Database) -> Sequence[GraphOperation]:
    async with database.open_read_session() as session:
        return (await session.exec(select(GraphOperation).order_by(col(GraphOperation.creation)))).all()


async def questions(database: Database) -> Sequence[Any]:
    """Any, since what is in a JSON column has no type."""
    async with database.open_read_session() as session:
        return (await session.exec(select(tables.Question).order_by(col(tables.Question.position)))).all()


async def question_tests(database: Database) -> list[tuple[str, str | None]]:
    """What the questions test: titles and ids, in order."""
    test = tables.QuestionTest
    wanted = (
        select(test.title, test.node_id)
        .join(tables.Question, col(tables.Question.id) == col(test.question_id))
        .order_by(col(tables.Question.position), col(test.position))
    )
    async with database.open_read_session() as session:
        return list((await session.exec(wanted)).all())


async def the_call(database: Database, run: Run, call_id: str) -> ToolCall:
    async with database.open_read_session() as session:
        return (
            await session.exec(select(ToolCall).where(ToolCall.run_id == run.id, ToolCall.call_id == call_id))
        ).one()
