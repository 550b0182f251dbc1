"""Adaptation on both databases: answers that count, the learner's progress, and the undo of a run."""

import json
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlmodel import SQLModel

from harness.builders import a_concept, a_run, a_topic, start_run
from harness.database.crash_story import adding
from harness.database.kills import a_running_run, kill_in_undo
from sprout.clock import utc_now
from sprout.errors import InvalidGraphEdit, NotFound
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.changes import UndoRefused
from sprout.learning.mastery.adaptation import AdaptationRepository, NodeProgress, ReviewedAnswers
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.assessments import GivenAnswer
from sprout.runs.run_store import StoredEvent
from sprout.runs.state import Fenced, Run
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.engine.database import Database
from sprout.store.paths.adaptation import SqlAdaptationRepository
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from tests.store.paths.test_repository import CHOICE, NUMBER, OPEN

ME = DEFAULT_USER_ID
FITS: type[AdaptationRepository] = SqlAdaptationRepository  # mypy checks it


@pytest.fixture
def refining(database: Database, published: list[StoredEvent]) -> SqlAdaptationRepository:
    return SqlAdaptationRepository(
        database, lambda message: published.append(message) if isinstance(message, StoredEvent) else None
    )


@pytest.fixture
async def concept(paths: SqlPaths, repositories: SqlPathRepository) -> NodeRow:
    """A concept with the part that the questions test."""
    concept = await a_concept(paths, await a_topic(paths), "Photosynthesis")
    await a_concept(paths, concept, "Light reactions")
    for draft in (CHOICE, NUMBER, OPEN):
        await repositories.save_question(concept.id, draft, actor=Actor(ME))
    return concept


@pytest.fixture
async def run(runs: SqlRunStore, concept: NodeRow) -> Run:
    return await start_run(runs, a_run(concept, agent="refinement", label="concept_refinement"))


@pytest.fixture
def actor(run: Run) -> Actor:
    return Actor(ME, run.label, run.id, run.root_id, epoch=run.epoch)


async def insert(database: Database, row: SQLModel) -> None:
    await database.write_tx(lambda tx: tx.session.add(row))


async def answers(assessments: SqlAssessments, concept: NodeRow, *answers_given: tuple[int, str | None]) -> None:
    """Answer questions of the diagnostic, by their places; words or an option."""
    diagnostic = await assessments.diagnostic(concept.id, user_id=ME)
    for place, words in answers_given:
        question = diagnostic.questions[place]
        choice = question.format == "mcq"
        given = GivenAnswer(question.id, text=None if choice else words, option=words if choice else None)
        await assessments.record_answer(diagnostic.assessment.id, given, user_id=ME)


async def test_H4a_items_are_the_answers_that_count_with_what_came_of_them(
    refining: SqlAdaptationRepository, assessments: SqlAssessments, concept: NodeRow
) -> None:
    await answers(assessments, concept, (0, "Soil"), (1, "6"), (2, "It is green."), (1, "7"), (2, "idk"))
    choice, number, words = await refining.answers(concept.id, user_id=ME)
    assert (choice.score, choice.right, choice.misconceptions) == (0.0, False, ("plants eat soil",))
    assert (choice.choice, choice.difficulty, choice.usable) == (True, 2, True)
    assert (number.score, number.help_level, number.usable) == (1.0, 0, True), "the later, wrong one is practice"
    assert (words.blank, words.usable) == (True, False)
    part = (await refining.child_progress(concept.id, user_id=ME)).keys()
    assert [*choice.tests] == [*part]
    assert await refining.answers(concept.id, user_id="somebody-else") == []


async def test_a_question_that_was_taken_back_is_no_item(
    refining: SqlAdaptationRepository, assessments: SqlAssessments, database: Database, concept: NodeRow
) -> None:
    await answers(assessments, concept, (1, "6"))
    (item,) = await refining.answers(concept.id, user_id=ME)

    questions = table_of(tables.Question)
    voided = update(questions).where(questions.c.id == item.question_id).values(state="voided")
    await database.write_tx(lambda tx: tx.connection.execute(voided))
    assert await refining.answers(concept.id, user_id=ME) == []


@pytest.mark.parametrize(("outcome", "contested"), [(None, True), ("unsettled", True), ("held", False)])
async def test_Q4_while_its_question_is_contested_an_answer_is_no_evidence(
    outcome: str | None,
    contested: bool,
    refining: SqlAdaptationRepository,
    assessments: SqlAssessments,
    database: Database,
    concept: NodeRow,
) -> None:
    await answers(assessments, concept, (1, "6"))
    contest = update(table_of(tables.Question)).values(contest={"reason": None, "outcome": outcome, "looks": {}})
    await database.write_tx(lambda tx: tx.connection.execute(contest))
    (item,) = await refining.answers(concept.id, user_id=ME)
    assert (item.contested, item.usable) == (contested, not contested)


async def test_a_diagnostic_alone_starts_nothing(
    refining: SqlAdaptationRepository,
    assessments: SqlAssessments,
    database: Database,
    paths: SqlPaths,
    concept: NodeRow,
) -> None:
    await answers(assessments, concept, (1, "6"), (0, "Light"))
    ((part_id, known),) = (await refining.child_progress(concept.id, user_id=ME)).items()
    assert (known.started, known.learned, known.mastered) == (False, True, False)
    await insert(database, tables.ChatSession(id="talk", user_id=ME, node_id=part_id))
    assert (await refining.child_progress(concept.id, user_id=ME))[part_id].started
    assert await refining.child_progress(part_id, user_id=ME) == {}
    other = await a_concept(paths, concept, "Other")
    assert (await refining.child_progress(concept.id, user_id=ME))[other.id] == NodeProgress()


async def test_G4_with_evidence_a_diagnosed_part_may_go_and_an_undo_brings_all_of_it_back(
    refining: SqlAdaptationRepository,
    assessments: SqlAssessments,
    repositories: SqlPathRepository,
    paths: SqlPaths,
    concept: NodeRow,
    actor: Actor,
) -> None:
    await repositories.mark_generated(concept.id, user_id=ME)
    await answers(assessments, concept, (1, "6"), (0, "Light"))
    progress = await paths.progress(ME)
    ((part_id, _),) = (await refining.child_progress(concept.id, user_id=ME)).items()
    with pytest.raises(InvalidGraphEdit, match="has begun"):
        await repositories.edit_graph(concept.id, lambda graph: graph.remove(part_id), actor=actor)
    await repositories.edit_graph(concept.id, lambda graph: graph.remove(part_id), actor=actor, evidence=["a", "b"])
    assert await repositories.children(concept.id) == ([], [])
    change = (await refining.changes(concept.id, user_id=ME))[-1]
    await paths.undo(change.id, user_id=ME)
    assert sorted(await paths.progress(ME), key=str) == sorted(progress, key=str)


@pytest.mark.parametrize("how", ["entered", "overridden", "talked", "practised", "completed"])
async def test_G4_evidence_or_not_what_was_started_stays(
    how: str, repositories: SqlPathRepository, database: Database, paths: SqlPaths, concept: NodeRow, actor: Actor
) -> None:
    (part,) = await paths.nodes(user_id=ME, parent_id=concept.id)
    moment = utc_now()
    if how == "talked":
        await insert(database, tables.ChatSession(id="talk", user_id=ME, node_id=part.id))
    elif how == "practised":
        await insert(database, tables.Assessment(id="quiz", user_id=ME, target_node_id=part.id, type="quiz"))
        question = tables.Question(
            id="q",
            assessment_id="quiz",
            node_id=concept.id,
            position=1,
            format="numeric",
            prompt="?",
            prompt_key="?",
            correct_answer="1",
        )
        await insert(database, question)
        await insert(database, tables.QuestionTest(question_id="q", position=0, title=part.title, node_id=part.id))
        await insert(database, tables.Answer(id="a", user_id=ME, assessment_id="quiz", question_id="q"))
    else:
        row = tables.Progress(id="row", user_id=ME, node_id=part.id)
        row.first_entered_at = moment if how == "entered" else None
        row.overridden_at = moment if how == "overridden" else None
        row.completed_at = moment if how == "completed" else None
        await insert(database, row)
    with pytest.raises(InvalidGraphEdit, match="has begun"):
        await repositories.edit_graph(concept.id, lambda graph: graph.remove(part.id), actor=actor, evidence=["a", "b"])
    assert await paths.nodes(user_id=ME, parent_id=concept.id) == [part]


async def test_what_the_last_run_has_looked_at_is_known_and_other_notes_are_none(
    refining: SqlAdaptationRepository, repositories: SqlPathRepository, concept: NodeRow, run: Run
) -> None:
    assert await refining.reviewed(concept.id, user_id=ME) == ReviewedAnswers()
    note = {"seen": {"graded": ["a"], "ungraded": ["b"]}}
    for run_id, meta in (("nobody's", note), (run.id, note)):
        await repositories.log_generation(
            concept.id, trigger="system_refresh", model="m", meta=json.dumps(meta), run_id=run_id
        )
        found = await refining.reviewed(concept.id, user_id=ME)
        assert found == (ReviewedAnswers(frozenset("a"), frozenset("b")) if run_id == run.id else ReviewedAnswers())
    assert await refining.reviewed(concept.id, user_id="somebody-else") == ReviewedAnswers()


@pytest.mark.parametrize("meta", ["", "null", "[]", "{}", '{"seen": 7}', '{"seen": {"graded": 1, "ungraded": 2}}', "{"])
async def test_a_note_that_cannot_be_read_costs_one_more_look(
    meta: str, refining: SqlAdaptationRepository, repositories: SqlPathRepository, concept: NodeRow, run: Run
) -> None:
    await repositories.log_generation(concept.id, trigger="system_refresh", model="m", meta=meta, run_id=run.id)
    assert await refining.reviewed(concept.id, user_id=ME) == ReviewedAnswers()


async def test_G3_a_run_takes_back_its_own_changes_and_nobody_elses(
    refining: SqlAdaptationRepository,
    repositories: SqlPathRepository,
    paths: SqlPaths,
    concept: NodeRow,
    actor: Actor,
    published: list[StoredEvent],
) -> None:
    before = await repositories.children(concept.id)
    for title in ("One", "Two"):
        await repositories.edit_graph(concept.id, adding(title), actor=actor)
    mine = await a_concept(paths, concept, "Mine")
    await repositories.edit_graph(concept.id, lambda graph: graph.connect_titles("One", "Two"), actor=actor)
    published.clear()
    assert await refining.undo_run(concept.id, actor=actor) == 3
    assert (await repositories.children(concept.id))[0] == [*before[0], mine]
    assert [one.kind for one in published] == ["edge_removed", "node_removed", "node_removed"]
    assert {json.loads(one.data)["agent"] for one in published} == {"concept_refinement"}
    assert await refining.undo_run(concept.id, actor=actor) == 0


async def test_G4_what_the_learner_has_built_on_is_not_taken_back_from_under_them(
    refining: SqlAdaptationRepository, repositories: SqlPathRepository, concept: NodeRow, actor: Actor
) -> None:
    await repositories.edit_graph(concept.id, lambda graph: graph.add("One", None, utc_now()), actor=actor)
    await repositories.edit_graph(
        concept.id, lambda graph: graph.connect_titles("Light reactions", "One"), actor=Actor(ME)
    )
    before = await repositories.children(concept.id)
    with pytest.raises(UndoRefused, match="builds on this one"):
        await refining.undo_run(concept.id, actor=actor)
    assert await repositories.children(concept.id) == before


async def test_B1_a_worker_that_has_lost_the_run_takes_nothing_back(
    refining: SqlAdaptationRepository,
    repositories: SqlPathRepository,
    concept: NodeRow,
    actor: Actor,
    database: Database,
) -> None:
    await repositories.edit_graph(concept.id, lambda graph: graph.add("One", None, utc_now()), actor=actor)
    late = Actor(ME, actor.agent, actor.run_id, actor.root_run_id, epoch=actor.epoch + 1)
    with pytest.raises(Fenced):
        await refining.undo_run(concept.id, actor=late)
    with pytest.raises(NotFound):
        await refining.undo_run("no-such", actor=actor)
    assert len((await repositories.children(concept.id))[0]) == 2


async def test_K7_killed_at_any_step_a_roll_back_is_whole_or_has_not_happened(
    database_url: str, data_dir: Path
) -> None:
    """At each third step; `python -m faults roll-backs` takes them all."""
    run = await a_running_run(database_url, data_dir)
    *killed, lived = await kill_in_undo(database_url, run.id, every=3)
    assert lived.endswith("lived")
    assert 3 * len(killed) > 60, "a step before and after each statement of two changes"
    found = [int(line.split()[1]) for line in (*killed, lived)]
    assert set(found[1:]) == {0, 2}, "of those that were killed, all of their changes are there or none"
    assert found[1] == 2, "killed at its first step, nothing had been taken back"


@pytest.mark.parametrize(("sure", "right", "told"), [(True, False, True), (None, False, False), (True, True, False)])
async def test_H7_what_was_sure_and_wrong_is_told(
    refining: SqlAdaptationRepository, concept: NodeRow, database: Database, sure: bool | None, right: bool, told: bool
) -> None:
    assessments = SqlAssessments(database)
    found = await assessments.diagnostic(concept.id, user_id=ME)
    asked = next(one for one in found.questions if one.prompt == CHOICE.prompt)
    option = next(one for one in CHOICE.options if (one == CHOICE.correct_answer) is right)
    await assessments.record_answer(asked.assessment_id, GivenAnswer(asked.id, option=option, sure=sure), user_id=ME)
    (answered,) = await refining.answers(concept.id, user_id=ME)
    assert (answered.sure, answered.surely_wrong) == (bool(sure), told)
