"""What keeps a part from being removed: answers to questions that test it, found by an index and by nothing else."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection

from harness.builders import a_concept, a_draft, a_run, a_topic, start_run
from sprout.clock import utc_now
from sprout.errors import InvalidGraphEdit
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.assessments import GivenAnswer
from sprout.learning.questions.questions import QuestionDraft
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.removal_guards import nodes_with_activity, started_nodes
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from tests.statement_counter import count_statements
from tests.store.paths.test_repository import question_tests
from tests.store.runs.test_append_cost import plan

ME = DEFAULT_USER_ID


@pytest.fixture
async def concept(paths: SqlPaths) -> NodeRow:
    return await a_concept(paths, await a_topic(paths), "Light")


@pytest.fixture
async def agent(runs: SqlRunStore, concept: NodeRow) -> Actor:
    run = await start_run(runs, a_run(concept))
    return Actor(run.user_id, run.label, run.id, run.root_id, epoch=run.epoch)


async def a_part(database: Database, concept: NodeRow, id_: str, title: str) -> None:
    """A part with this id."""
    row = tables.Node(
        id=id_, user_id=ME, type="subconcept", branch_id=concept.branch_id, parent_id=concept.id, title=title,
        title_key=title.casefold(),
    )  # fmt: skip
    await database.write_tx(lambda tx: tx.session.add(row))


async def answered_about(
    repositories: SqlPathRepository, assessments: SqlAssessments, concept: NodeRow, title: str
) -> None:
    """A question that tests the part of this title, with an answer."""
    saved = await repositories.save_question(concept.id, replace(a_draft(), tests=(title,)), actor=Actor(ME))
    given = GivenAnswer(saved.id, text="idk")
    await assessments.record_answer(saved.assessment_id, given, user_id=ME)


@pytest.mark.parametrize(
    ("tested", "other", "title"),
    [
        ("n12", "n1", "Tested"),
        ("a-b", "a_b", "Tested"),
        ("a-and-b", "a%b", "Tested"),
        ("n1", "photon", "What a photon is"),
        ("n1", "nodeId", "Tested"),
    ],
)
async def test_G4_an_answer_about_a_part_keeps_no_other_whose_id_is_like_its_id_or_title(
    database: Database,
    repositories: SqlPathRepository,
    assessments: SqlAssessments,
    concept: NodeRow,
    agent: Actor,
    tested: str,
    other: str,
    title: str,
) -> None:
    await a_part(database, concept, tested, title)
    await a_part(database, concept, other, "Other")
    await answered_about(repositories, assessments, concept, title)
    with pytest.raises(InvalidGraphEdit, match=f"begun '{title}'"):
        await repositories.edit_graph(concept.id, removing(tested), actor=agent)
    await repositories.edit_graph(concept.id, removing(other), actor=agent)
    assert [node.id for node in (await repositories.children(concept.id))[0]] == [tested]


async def test_G4_what_was_completed_stays_even_if_a_diagnostic_was_answered_about_another_part(
    database: Database, repositories: SqlPathRepository, assessments: SqlAssessments, concept: NodeRow, agent: Actor
) -> None:
    for id_, title in (("done", "Done"), ("tested", "Tested")):
        await a_part(database, concept, id_, title)
    await answered_about(repositories, assessments, concept, "Tested")
    done = tables.Progress(id="p", user_id=ME, node_id="done", completed_at=utc_now())
    await database.write_tx(lambda tx: tx.session.add(done))
    with pytest.raises(InvalidGraphEdit, match="begun 'Done'"):
        await repositories.edit_graph(concept.id, removing("done"), actor=agent, evidence=["a"])
    await repositories.edit_graph(concept.id, removing("tested"), actor=agent, evidence=["a"])


async def test_G4_a_concept_of_which_only_the_diagnostic_was_answered_is_not_started(
    database: Database, paths: SqlPaths, repositories: SqlPathRepository, assessments: SqlAssessments, concept: NodeRow
) -> None:
    await a_part(database, concept, "n1", "Tested")
    draft = QuestionDraft("How many?", "numeric", "3", 1, ("Tested",))
    saved = await repositories.save_question(concept.id, draft, actor=Actor(ME))
    await assessments.record_answer(saved.assessment_id, GivenAnswer(saved.id, text="3"), user_id=ME)
    (progress,) = await paths.progress(ME, node_id=concept.id)
    assert progress.attempts_count == 1
    assert await database.read_tx(lambda connection: started_nodes(connection, [concept.id, "n1"])) == frozenset()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("guard", [nodes_with_activity, started_nodes])
async def test_what_a_question_tests_is_found_by_the_id_of_the_node(
    database: Database,
    repositories: SqlPathRepository,
    assessments: SqlAssessments,
    concept: NodeRow,
    guard: Callable[[Connection, list[str]], frozenset[str]],
) -> None:
    await a_part(database, concept, "n1", "Tested")
    await answered_about(repositories, assessments, concept, "Tested")
    with count_statements(database) as sent:
        await database.write_tx(lambda tx: guard(tx.connection, ["n1"]))
    steps = [step for sql, values in sent for step in await plan(database, sql, values)]
    assert [step for step in steps if "USING INDEX ix_question_tests_node_id (node_id=?)" in step]
    assert not [step for step in steps if "SCAN" in step]


async def test_G3_questions_test_a_part_again_that_an_undo_brings_back(
    database: Database, paths: SqlPaths, repositories: SqlPathRepository, assessments: SqlAssessments, concept: NodeRow
) -> None:
    part = await a_concept(paths, concept, "Photons")
    for prompt in ("What is light?", "And what is dark?"):
        draft = replace(a_draft(), prompt=prompt, tests=("Waves", "Photons"))
        saved = await repositories.save_question(concept.id, draft, actor=Actor(ME))
        await assessments.record_answer(saved.assessment_id, GivenAnswer(saved.id, text="idk"), user_id=ME)
    before, progress = await question_tests(database), await paths.progress(ME)
    assert before == [("Waves", None), ("Photons", part.id)] * 2

    await paths.delete_node(part.id, user_id=ME)
    assert await question_tests(database) == [("Waves", None), ("Photons", None)] * 2
    await undo_newest(paths, concept)
    assert await question_tests(database) == before
    assert [facts(row) for row in await paths.progress(ME)] == [facts(row) for row in progress]


async def test_G3_an_undo_takes_no_question_from_the_part_that_it_tests_by_now(
    database: Database, paths: SqlPaths, repositories: SqlPathRepository, concept: NodeRow
) -> None:
    removed = await a_concept(paths, concept, "Photons")
    await repositories.save_question(concept.id, replace(a_draft(), tests=("Photons",)), actor=Actor(ME))
    await paths.delete_node(removed.id, user_id=ME)
    deletion = (await paths.changes(concept.branch_id or "", user_id=ME, limit=1))[0]
    made = await a_concept(paths, concept, "Photons")
    await repositories.resolve_question_tests(concept.id, actor=Actor(ME))
    await repositories.edit_graph(
        concept.id, lambda graph: graph.update(made.id, utc_now(), title="Quanta"), actor=Actor(ME)
    )
    await paths.undo(deletion.id, user_id=ME)
    assert {node.id for node in await paths.nodes(user_id=ME, parent_id=concept.id)} == {removed.id, made.id}
    assert await question_tests(database) == [("Photons", made.id)]


async def undo_newest(paths: SqlPaths, concept: NodeRow) -> None:
    (change,) = await paths.changes(concept.branch_id or "", user_id=ME, limit=1)
    await paths.undo(change.id, user_id=ME)


def facts(row: Any) -> tuple[Any, ...]:
    return row.node_id, row.mastery_score, row.attempts_count, row.completed_at


def removing(node_id: str) -> Callable[[ConceptGraph], Edit]:
    return lambda graph: graph.remove(node_id)
