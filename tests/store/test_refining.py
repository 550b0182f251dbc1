"""What a path is adapted by, on both databases: newest answers, how far the learner is, and a run's way back."""

import asyncio
import json
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlmodel import SQLModel

from sprout.clock import utc_now
from sprout.errors import GraphRefused, NotFound
from sprout.events import NodeRow
from sprout.learning.graph.changes import UndoRefused
from sprout.learning.mastery.refining import Known, Refining, Seen
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.learning.paths.shelf import Actor
from sprout.learning.questions.assessing import GivenAnswer
from sprout.runs.log import Logged
from sprout.runs.state import Fenced, Run
from sprout.store import tables
from sprout.store.assessments import SqlAssessments
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.library import SqlLibrary
from sprout.store.refining import SqlRefining
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from tests.builders import a_concept, a_run, a_topic, started
from tests.store.crash_story import adding
from tests.store.test_crash import TOP, a_running_run
from tests.store.test_shelf import CHOICE, NUMBER, OPEN
from tests.warm import warm_python

ME = DEFAULT_USER_ID
FITS: type[Refining] = SqlRefining  # mypy checks it


@pytest.fixture
def refining(database: Database, told: list[Logged]) -> SqlRefining:
    return SqlRefining(database, lambda news: told.append(news) if isinstance(news, Logged) else None)


@pytest.fixture
async def concept(library: SqlLibrary, shelf: SqlShelf) -> NodeRow:
    """A concept with the part that the questions test."""
    concept = await a_concept(library, await a_topic(library), "Photosynthesis")
    await a_concept(library, concept, "Light reactions")
    for draft in (CHOICE, NUMBER, OPEN):
        await shelf.save_question(concept.id, draft, actor=Actor(ME))
    return concept


@pytest.fixture
async def run(runs: SqlRunStore, concept: NodeRow) -> Run:
    return await started(runs, a_run(concept, agent="refinement", label="concept_refinement"))


@pytest.fixture
def actor(run: Run) -> Actor:
    return Actor(ME, run.label, run.id, run.root_id, epoch=run.epoch)


async def keep(database: Database, row: SQLModel) -> None:
    await database.write(lambda write: write.session.add(row))


async def answers(assessments: SqlAssessments, concept: NodeRow, *said: tuple[int, str | None]) -> None:
    """Answer questions of the diagnostic, by their places; words or an option."""
    diagnostic = await assessments.diagnostic(concept.id, user_id=ME)
    for place, words in said:
        question = diagnostic.questions[place]
        choice = question.format == "mcq"
        given = GivenAnswer(question.id, text=None if choice else words, option=words if choice else None)
        await assessments.answer(diagnostic.assessment.id, given, user_id=ME)


async def test_items_are_the_newest_answers_with_what_came_of_them(
    refining: SqlRefining, assessments: SqlAssessments, concept: NodeRow
) -> None:
    await answers(assessments, concept, (0, "Soil"), (1, "6"), (2, "It is green."), (1, "7"), (2, "idk"))
    choice, number, words = await refining.items(concept.id, user_id=ME)
    assert (choice.score, choice.right, choice.misconceptions) == (0.0, False, ("plants eat soil",))
    assert (choice.choice, choice.difficulty, choice.usable) == (True, 2, True)
    assert (number.score, number.help_level, number.why_not) == (0.0, 1, "it was given with help")
    assert (words.blank, words.usable) == (True, False)
    part = (await refining.known(concept.id, user_id=ME)).keys()
    assert [*choice.tests] == [*part]
    assert await refining.items(concept.id, user_id="somebody-else") == []


async def test_a_question_that_was_taken_back_is_no_item(
    refining: SqlRefining, assessments: SqlAssessments, database: Database, concept: NodeRow
) -> None:
    await answers(assessments, concept, (1, "6"))
    (item,) = await refining.items(concept.id, user_id=ME)

    questions = table_of(tables.Question)
    voided = update(questions).where(questions.c.id == item.question_id).values(state="voided")
    await database.write(lambda write: write.connection.execute(voided))
    assert await refining.items(concept.id, user_id=ME) == []


@pytest.mark.parametrize(("outcome", "contested"), [(None, True), ("unsettled", True), ("held", False)])
async def test_Q4_while_its_question_is_contested_an_answer_is_no_evidence(
    outcome: str | None,
    contested: bool,
    refining: SqlRefining,
    assessments: SqlAssessments,
    database: Database,
    concept: NodeRow,
) -> None:
    await answers(assessments, concept, (1, "6"))
    contest = update(table_of(tables.Question)).values(contest={"reason": None, "outcome": outcome, "looks": {}})
    await database.write(lambda write: write.connection.execute(contest))
    (item,) = await refining.items(concept.id, user_id=ME)
    assert (item.contested, item.usable) == (contested, not contested)


async def test_a_diagnostic_alone_starts_nothing(
    refining: SqlRefining, assessments: SqlAssessments, database: Database, library: SqlLibrary, concept: NodeRow
) -> None:
    await answers(assessments, concept, (1, "6"), (0, "Light"))
    ((part_id, known),) = (await refining.known(concept.id, user_id=ME)).items()
    assert (known.started, known.mastered) == (False, True)
    await keep(database, tables.ChatSession(id="talk", user_id=ME, node_id=part_id))
    assert (await refining.known(concept.id, user_id=ME))[part_id].started
    assert await refining.known(part_id, user_id=ME) == {}
    other = await a_concept(library, concept, "Other")
    assert (await refining.known(concept.id, user_id=ME))[other.id] == Known()


async def test_G4_with_evidence_a_diagnosed_part_may_go_and_an_undo_brings_all_of_it_back(
    refining: SqlRefining,
    assessments: SqlAssessments,
    shelf: SqlShelf,
    library: SqlLibrary,
    concept: NodeRow,
    actor: Actor,
) -> None:
    await answers(assessments, concept, (1, "6"), (0, "Light"))
    progress = await library.progress(ME)
    ((part_id, _),) = (await refining.known(concept.id, user_id=ME)).items()
    with pytest.raises(GraphRefused, match="has begun"):
        await shelf.edit_graph(concept.id, lambda graph: graph.remove(part_id), actor=actor)
    await shelf.edit_graph(concept.id, lambda graph: graph.remove(part_id), actor=actor, evidence=["a", "b"])
    assert await shelf.children(concept.id) == ([], [])
    change = (await refining.changes(concept.id, user_id=ME))[-1]
    await library.undo(change.id, user_id=ME)
    assert sorted(await library.progress(ME), key=str) == sorted(progress, key=str)


@pytest.mark.parametrize("how", ["entered", "overridden", "talked", "practised", "completed"])
async def test_G4_evidence_or_not_what_was_started_stays(
    how: str, shelf: SqlShelf, database: Database, library: SqlLibrary, concept: NodeRow, actor: Actor
) -> None:
    (part,) = await library.nodes(user_id=ME, parent_id=concept.id)
    moment = utc_now()
    if how == "talked":
        await keep(database, tables.ChatSession(id="talk", user_id=ME, node_id=part.id))
    elif how == "practised":
        await keep(database, tables.Assessment(id="quiz", user_id=ME, target_node_id=part.id, type="quiz"))
        question = tables.Question(
            id="q",
            assessment_id="quiz",
            node_id=concept.id,
            position=1,
            format="numeric",
            prompt="?",
            prompt_key="?",
            correct_answer="1",
            tests=[{"title": part.title, "nodeId": part.id}],
        )
        await keep(database, question)
        await keep(database, tables.Answer(id="a", user_id=ME, assessment_id="quiz", question_id="q"))
    else:
        row = tables.Progress(id="row", user_id=ME, node_id=part.id)
        row.first_entered_at = moment if how == "entered" else None
        row.overridden_at = moment if how == "overridden" else None
        row.completed_at = moment if how == "completed" else None
        await keep(database, row)
    with pytest.raises(GraphRefused, match="has begun"):
        await shelf.edit_graph(concept.id, lambda graph: graph.remove(part.id), actor=actor, evidence=["a", "b"])
    assert await library.nodes(user_id=ME, parent_id=concept.id) == [part]


async def test_what_the_last_run_has_looked_at_is_known_and_other_notes_are_none(
    refining: SqlRefining, shelf: SqlShelf, concept: NodeRow, run: Run
) -> None:
    assert await refining.seen(concept.id, user_id=ME) == Seen()
    note = {"seen": {"graded": ["a"], "ungraded": ["b"]}}
    for run_id, meta in (("nobody's", note), (run.id, note)):
        await shelf.log_generation(
            concept.id, trigger="system_refresh", model="m", meta=json.dumps(meta), run_id=run_id
        )
        found = await refining.seen(concept.id, user_id=ME)
        assert found == (Seen(frozenset("a"), frozenset("b")) if run_id == run.id else Seen())
    assert await refining.seen(concept.id, user_id="somebody-else") == Seen()


@pytest.mark.parametrize("meta", ["", "null", "[]", "{}", '{"seen": 7}', '{"seen": {"graded": 1, "ungraded": 2}}', "{"])
async def test_a_note_that_cannot_be_read_costs_one_more_look(
    meta: str, refining: SqlRefining, shelf: SqlShelf, concept: NodeRow, run: Run
) -> None:
    await shelf.log_generation(concept.id, trigger="system_refresh", model="m", meta=meta, run_id=run.id)
    assert await refining.seen(concept.id, user_id=ME) == Seen()


async def test_G3_a_run_takes_back_its_own_changes_and_nobody_elses(
    refining: SqlRefining, shelf: SqlShelf, library: SqlLibrary, concept: NodeRow, actor: Actor, told: list[Logged]
) -> None:
    before = await shelf.children(concept.id)
    for title in ("One", "Two"):
        await shelf.edit_graph(concept.id, adding(title), actor=actor)
    mine = await a_concept(library, concept, "Mine")
    await shelf.edit_graph(concept.id, lambda graph: graph.connect_titles("One", "Two"), actor=actor)
    told.clear()
    assert await refining.take_back(concept.id, actor=actor) == 3
    assert (await shelf.children(concept.id))[0] == [*before[0], mine]
    assert [one.kind for one in told] == ["edge_removed", "node_removed", "node_removed"]
    assert {json.loads(one.data)["agent"] for one in told} == {"concept_refinement"}
    assert await refining.take_back(concept.id, actor=actor) == 0


async def test_G4_what_the_learner_has_built_on_is_not_taken_back_from_under_them(
    refining: SqlRefining, shelf: SqlShelf, concept: NodeRow, actor: Actor
) -> None:
    await shelf.edit_graph(concept.id, lambda graph: graph.add("One", None, utc_now()), actor=actor)
    await shelf.edit_graph(concept.id, lambda graph: graph.connect_titles("Light reactions", "One"), actor=Actor(ME))
    before = await shelf.children(concept.id)
    with pytest.raises(UndoRefused, match="builds on this one"):
        await refining.take_back(concept.id, actor=actor)
    assert await shelf.children(concept.id) == before


async def test_B1_a_carrier_that_has_lost_the_run_takes_nothing_back(
    refining: SqlRefining, shelf: SqlShelf, concept: NodeRow, actor: Actor, database: Database
) -> None:
    await shelf.edit_graph(concept.id, lambda graph: graph.add("One", None, utc_now()), actor=actor)
    late = Actor(ME, actor.agent, actor.run_id, actor.root_run_id, epoch=actor.epoch + 1)
    with pytest.raises(Fenced):
        await refining.take_back(concept.id, actor=late)
    with pytest.raises(NotFound):
        await refining.take_back("no-such", actor=actor)
    assert len((await shelf.children(concept.id))[0]) == 2


async def test_K7_killed_at_any_step_a_roll_back_is_whole_or_has_not_happened(
    database_url: str, data_dir: Path
) -> None:
    """At each third step; `python -m faults roll-backs` takes them all."""
    run = await a_running_run(database_url, data_dir)
    *killed, lived = await deaths(database_url, run.id, every=3)
    assert lived.endswith("lived")
    assert 3 * len(killed) > 60, "a step before and after each statement of two changes"
    found = [int(line.split()[1]) for line in (*killed, lived)]
    assert set(found[1:]) == {0, 2}, "of those that were killed, all of their changes are there or none"
    assert found[1] == 2, "killed at its first step, nothing had been taken back"


async def deaths(database_url: str, run_id: str, *, every: int) -> list[str]:
    """What the story says: one line per process, all killed but the last."""
    story = await asyncio.create_subprocess_exec(
        *(warm_python(), "-m", "tests.store.take_back_story", database_url, run_id, str(every)),
        cwd=TOP,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, complaints = await story.communicate()
    assert story.returncode == 0, complaints.decode()
    return said.decode().splitlines()
