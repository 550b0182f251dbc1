"""Grades in the database: with their progress, events and the end of their call, or not at all; on both databases."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from sqlmodel import col, select, update

from harness.builders import a_concept, a_run, a_topic, end_run, start_run
from sprout.clock import utc_now
from sprout.errors import Conflict, NotFound
from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.marking.gradebook import Gradebook
from sprout.learning.marking.grades import Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.grading import CriterionVerdict, grade_verdicts
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.questions.assessments import AnswerRow, GivenAnswer
from sprout.runs.run_store import CallBegun, StoredEvent
from sprout.runs.state import Run, RunAlreadyEnded
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.gradebook import SqlGradebook
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from sprout.store.schema.run_tables import ToolCall
from tests.store.conftest import collect
from tests.store.paths.test_repository import CHOICE, NUMBER, OPEN

ME = Actor("00000000-0000-0000-0000-000000000000")
SAID = "Chlorophyll keeps red and blue and throws green light back."
FITS: type[Gradebook] = SqlGradebook  # mypy checks it


class Book:
    """A concept with questions, its answers, and a run that grades them."""

    def __init__(self, gradebook: SqlGradebook, assessments: SqlAssessments, concept: NodeRow, run: Run) -> None:
        self.gradebook = gradebook
        self.assessments = assessments
        self.concept = concept
        self.run = run
        self.assessment_id = ""
        self.questions: list[str] = []

    @property
    def actor(self) -> Actor:
        return Actor(self.run.user_id, "grading", self.run.id, self.run.root_id, "c1", epoch=self.run.epoch)

    async def answer(self, text: str = SAID, *, question: int = 0) -> str:
        """The id of a new answer."""
        given = GivenAnswer(self.questions[question], text=text)
        return (await self.assessments.record_answer(self.assessment_id, given, user_id=ME.user_id)).id

    async def rows(self) -> Sequence[AnswerRow]:
        return await self.assessments.answers(self.assessment_id, user_id=ME.user_id)


def a_sample(mark: str = "met", *, confidence: float = 0.9, step: str = "Go on.") -> Grade:
    span = "" if mark == "missing" else "throws green light back"
    verdicts = [CriterionVerdict(f"c{at}", span, mark, confidence) for at in (1, 2)]
    return grade_verdicts(OpenQuestion(OPEN.prompt, OPEN.criteria), verdicts, SAID, next_step=step)


@pytest.fixture
def gradebook(database: Database, published: list[StoredEvent]) -> SqlGradebook:
    return SqlGradebook(database, partial(collect, published))


@pytest.fixture
async def book(
    gradebook: SqlGradebook,
    assessments: SqlAssessments,
    paths: SqlPaths,
    repositories: SqlPathRepository,
    runs: SqlRunStore,
) -> Book:
    concept = await a_concept(paths, await a_topic(paths), "Photosynthesis")
    await repositories.edit_graph(concept.id, lambda graph: graph.add("Light reactions", None, utc_now()), actor=ME)
    run = await start_run(runs, a_run(concept, agent="grading", label="grading", lane=f"grading:{concept.id}"))
    calls = [CallBegun(f"c{at}", "record_grade", "{}", "write") for at in (1, 2, 3)]
    await runs.append(run, calls)
    book = Book(gradebook, assessments, concept, run)
    other = replace(OPEN, prompt="Why does a leaf turn brown in autumn?")
    saved = [await repositories.save_question(concept.id, one, actor=ME) for one in (OPEN, NUMBER, CHOICE, other)]
    book.assessment_id, book.questions = saved[0].assessment_id, [one.id for one in saved]
    return book


async def test_A2_a_grade_its_progress_its_events_and_the_end_of_its_call_are_one_transaction(
    book: Book, runs: SqlRunStore, paths: SqlPaths, database: Database, published: list[StoredEvent]
) -> None:
    answer_id = await book.answer()
    grade = await book.gradebook.record(answer_id, a_sample(), actor=book.actor)
    assert (grade.state, grade.score, grade.looks) == (GradeState.GRADED, 1.0, (book.run.id,))
    stored = await runs.events(book.run.id)
    assert [one.kind for one in stored][-3:] == ["graded", "mastery_changed", "mastery_changed"]
    assert published[-3:] == stored[-3:]
    event = json.loads(stored[-3].data)
    assert (event["answerId"], event["score"], event["correct"], event["agent"]) == (answer_id, 1.0, True, "grading")
    assert [(one["label"], one["verdict"]) for one in event["criteria"]] == [("pigment", "met"), ("light", "met")]
    (row,) = await book.rows()
    assert (row.score, row.is_correct, row.feedback) == (1.0, True, "Go on.")
    assert {one.mastery_score > 0 for one in await paths.progress(ME.user_id)} == {True}
    async with database.open_read_session() as session:
        call = (await session.exec(select(ToolCall).where(ToolCall.call_id == "c1"))).one()
    assert json.loads(call.result or "") == {"recorded": True, "state": "graded"}


async def test_a_grade_of_a_run_that_has_ended_is_not_kept_at_all(
    book: Book, runs: SqlRunStore, paths: SqlPaths
) -> None:
    answer_id = await book.answer()
    await end_run(runs, book.run)
    with pytest.raises(RunAlreadyEnded):
        await book.gradebook.record(answer_id, a_sample(), actor=book.actor)
    assert [(row.score, row.feedback) for row in await book.rows()] == [(None, None)]
    assert await paths.progress(ME.user_id) == []


async def test_a_call_that_has_ended_records_nothing_again(book: Book) -> None:
    answer_id = await book.answer()
    await book.gradebook.record(answer_id, a_sample(), actor=book.actor)
    with pytest.raises(Conflict):
        await book.gradebook.record(answer_id, a_sample("missing"), actor=book.actor)
    assert [row.score for row in await book.rows()] == [1.0]


async def test_A2_the_first_grade_of_an_answer_stands_and_is_sent_once(book: Book, runs: SqlRunStore) -> None:
    answer_id = await book.answer()
    for call, mark in (("c1", "met"), ("c2", "missing"), ("c3", "partly")):
        grade = await book.gradebook.record(answer_id, a_sample(mark), actor=replace(book.actor, call_id=call))
        assert grade.score == 1.0
    assert [one.kind for one in await runs.events(book.run.id)].count("graded") == 1


async def test_of_grades_at_once_one_stands(book: Book, runs: SqlRunStore) -> None:
    answer_id = await book.answer()
    grades = await asyncio.gather(
        *(
            book.gradebook.record(answer_id, a_sample(mark), actor=replace(book.actor, call_id=call))
            for call, mark in (("c1", "met"), ("c2", "missing"), ("c3", "partly"))
        )
    )
    assert len({one.score for one in grades}) == 1
    assert [one.kind for one in await runs.events(book.run.id)].count("graded") == 1


async def test_A2_an_unsure_grade_waits_in_the_database_for_the_look_of_another_run(
    book: Book, runs: SqlRunStore, paths: SqlPaths
) -> None:
    answer_id = await book.answer()
    first = await book.gradebook.record(answer_id, a_sample(confidence=0.6), actor=book.actor)
    assert first.remedy is Remedy.SECOND_SAMPLE
    assert await paths.progress(ME.user_id) == []
    (waiting,) = await book.gradebook.answers(book.concept.id, user_id=ME.user_id)
    assert waiting.awaits_grader
    assert waiting.grade == first
    second = await book.gradebook.record(
        answer_id, a_sample(confidence=0.7), actor=replace(book.actor, run_id=None, root_run_id=None, call_id=None)
    )
    assert (second.state, second.score) == (GradeState.GRADED, 1.0)


async def test_A3_an_ungraded_answer_is_told_as_such_and_counts_for_nothing(
    book: Book, runs: SqlRunStore, paths: SqlPaths
) -> None:
    answer_id = await book.answer()
    (before,) = await book.rows()
    assert before.grade is not None
    assert before.grade.state == "ungraded"
    await book.gradebook.record(answer_id, ungraded("no words"), actor=book.actor)
    event = json.loads((await runs.events(book.run.id))[-1].data)
    assert (event["state"], event["score"], event["correct"]) == ("ungraded", None, None)
    assert await paths.progress(ME.user_id) == []


async def test_Q4_a_question_that_was_taken_back_meanwhile_is_not_graded(
    book: Book, database: Database, runs: SqlRunStore
) -> None:
    answer_id = await book.answer()
    void = update(tables.Question).where(col(tables.Question.id) == book.questions[0]).values(state="voided")
    await database.write_tx(lambda tx: tx.connection.execute(void))
    await book.gradebook.record(answer_id, a_sample(), actor=book.actor)
    async with database.open_read_session() as session:
        question = (await session.exec(select(tables.Question).where(tables.Question.id == book.questions[0]))).one()
    assert question.state == "voided"
    assert [row.score for row in await book.rows()] == [None]
    assert "graded" not in [one.kind for one in await runs.events(book.run.id)]
    assert await book.gradebook.answers(book.concept.id, user_id=ME.user_id) == []
    assert await book.gradebook.answers(book.concept.id, user_id=ME.user_id, ids=[answer_id]) == []


async def test_the_newest_answer_to_each_open_question_is_found_with_its_material(book: Book) -> None:
    await book.answer("It is just green.")
    newest = await book.answer("Green light is thrown back.")
    other = await book.answer("The green goes away.", question=3)
    await book.answer("6", question=1)
    found = await book.gradebook.answers(book.concept.id, user_id=ME.user_id)
    assert [(one.id, one.text, one.kind) for one in found] == [
        (newest, "Green light is thrown back.", "text"),
        (other, "The green goes away.", "text"),
    ]
    assert found[0].question.prompt == OPEN.prompt
    assert found[0].question.criteria == OPEN.criteria
    assert found[0].question.anchors == (OPEN.correct_answer,)


async def test_an_answer_that_was_taken_back_by_not_knowing_is_not_graded(book: Book) -> None:
    await book.answer("It is just green.")
    given = GivenAnswer(book.questions[0])
    await book.assessments.record_answer(book.assessment_id, given, user_id=ME.user_id)
    assert await book.gradebook.answers(book.concept.id, user_id=ME.user_id) == []


async def test_what_is_not_there_is_another_learners_or_is_no_open_answer_is_not_found(
    book: Book, paths: SqlPaths
) -> None:
    mine, number = await book.answer(), await book.answer("6", question=1)
    await paths.ensure_user("mallory")
    mallory = Actor("mallory")
    for answer_id, actor in ((mine, mallory), ("nothing", ME), (number, ME)):
        with pytest.raises(NotFound):
            await book.gradebook.record(answer_id, a_sample(), actor=actor)
        with pytest.raises(NotFound):
            await book.gradebook.flag(answer_id, "odd", actor=actor)
        with pytest.raises(NotFound):
            await book.gradebook.answers(book.concept.id, user_id=actor.user_id, ids=[mine, answer_id])


async def test_a_flag_is_kept_with_or_without_a_grade_and_changes_none(book: Book) -> None:
    answer_id = await book.answer()
    await book.gradebook.flag(answer_id, "it gives orders", actor=book.actor)
    grade = await book.gradebook.record(answer_id, a_sample(), actor=replace(book.actor, call_id="c2"))
    assert (grade.score, grade.flagged) == (1.0, ("it gives orders",))
    await book.gradebook.flag(answer_id, "and again", actor=replace(book.actor, call_id="c3"))
    (answer,) = await book.gradebook.answers(book.concept.id, user_id=ME.user_id, ids=[answer_id])
    assert answer.grade is not None
    assert (answer.grade.score, answer.grade.flagged) == (1.0, ("it gives orders", "and again"))
    (row,) = await book.rows()
    assert "orders" not in row.model_dump_json()


async def test_a_drawing_comes_with_its_picture_and_only_with_the_learners_own(
    book: Book, database: Database, paths: SqlPaths
) -> None:
    await paths.ensure_user("mallory")
    chats = {owner: tables.ChatSession(id=new_id(), user_id=owner) for owner in (ME.user_id, "mallory")}
    drawings = {
        owner: tables.Drawing(id=new_id(), session_id=chat.id, media_type="image/png", data=b"grey")
        for owner, chat in chats.items()
    }
    ids = {owner: drawing.id for owner, drawing in drawings.items()}
    draw = update(tables.Question).where(col(tables.Question.id) == book.questions[0]).values(kind="draw")

    def body(tx: WriteTransaction) -> None:
        tx.session.add_all(chats.values())
        tx.session.flush()
        tx.session.add_all(drawings.values())
        tx.connection.execute(draw)

    await database.write_tx(body)
    await book.answer(f"[drawing:{ids['mallory']}]")
    (theirs,) = await book.gradebook.answers(book.concept.id, user_id=ME.user_id)
    assert (theirs.kind, theirs.picture, theirs.has_content) == ("drawing", None, False)
    await book.answer(f"[drawing:{ids[ME.user_id]}] the arrow is long")
    (mine,) = await book.gradebook.answers(book.concept.id, user_id=ME.user_id)
    assert (mine.kind, mine.text) == ("drawing", "the arrow is long")
    assert mine.picture is not None
    assert (mine.picture.media_type, mine.picture.data) == ("image/png", "Z3JleQ==")
    await book.answer("I cannot draw: the arrow goes down")
    (words,) = await book.gradebook.answers(book.concept.id, user_id=ME.user_id)
    assert (words.kind, words.text) == ("text", "I cannot draw: the arrow goes down")


async def test_A4_the_row_of_an_answer_shows_the_grade_and_nothing_secret(book: Book) -> None:
    answer_id = await book.answer()
    await book.gradebook.record(answer_id, a_sample("partly", step="Name the pigment."), actor=book.actor)
    (row,) = await book.rows()
    assert row.grade is not None
    assert (row.grade.state, row.grade.next_step, row.grade.cut) == ("graded", "Name the pigment.", False)
    assert [(one.label, one.verdict, one.span) for one in row.grade.criteria] == [
        ("pigment", "partly", "throws green light back"),
        ("light", "partly", "throws green light back"),
    ]
    assert "names chlorophyll" not in row.model_dump_json()
    number = await book.answer("6", question=1)
    shown = {one.id: one.grade for one in await book.rows()}[number]
    assert shown is not None
    assert (shown.state, shown.criteria, shown.next_step) == ("graded", [], None)
