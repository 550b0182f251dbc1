"""Grades are of what was answered: not of when, of how often the page was loaded, or of where an option stood."""

from dataclasses import replace
from typing import NamedTuple, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from harness.builders import a_concept, a_topic
from sprout.clock import utc_now
from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.mastery.mastery import HIGHEST_OPEN, mastery, mean_mastery
from sprout.learning.questions.assessments import AnswerRow, GivenAnswer
from sprout.learning.questions.questions import QuestionDraft
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.evidence import evidence_about
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.schema import tables
from tests.store.assessment.test_assessments import ME

PARTS = ("Light reactions", "Sugar")
TEXTS = ("Soil", "Light", "Sound", "Wind")
NUMBERS = ("6", " 6.0 ", "7", "no idea", "six or seven", "")
QUESTIONS = 5


class Given(NamedTuple):
    """An answer: of a choice the place of its option in the draft, of a number one of the texts; None leaves it out."""

    question: int
    choice: int | None
    by_id: bool = False
    twice: bool = False
    reloads: bool = False


def a_draft(number: int) -> QuestionDraft:
    tests = (PARTS[number % 2],)
    if number == QUESTIONS - 1:
        return QuestionDraft("What is three times two?", "numeric", "6", 1, tests)
    return QuestionDraft(f"Which of these is meant by {number}?", "mcq", TEXTS[number], 1, tests, options=TEXTS)


ANSWERS = st.lists(
    st.builds(
        Given,
        question=st.integers(0, QUESTIONS - 1),
        choice=st.none() | st.integers(0, 3),
        by_id=st.booleans(),
        twice=st.booleans(),
        reloads=st.booleans(),
    ),
    min_size=1,
    max_size=10,
)
ON_A_DATABASE = settings(
    max_examples=6,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class Sitting:
    """A learner before the questions of one concept."""

    def __init__(
        self, concept: NodeRow, parts: list[NodeRow], ids: list[str], assessments: SqlAssessments, database: Database
    ) -> None:
        self.concept, self.parts = concept, parts
        self._assessment_id, *self._questions = ids
        self._assessments, self._database = assessments, database

    async def answer(self, given: Given) -> AnswerRow:
        """The row of the answer, sent twice or after the page was loaded where that is so."""
        if given.reloads:
            await self._assessments.questions(self._assessment_id, user_id=ME.user_id)
            await self._assessments.diagnostic(self.concept.id, user_id=ME.user_id)
        question_id = self._questions[given.question]
        answer = GivenAnswer(question_id)
        if given.choice is not None and given.question == QUESTIONS - 1:
            answer = GivenAnswer(question_id, text=NUMBERS[given.choice])
        elif given.choice is not None:
            option = await self._id_of(question_id, TEXTS[given.choice]) if given.by_id else TEXTS[given.choice]
            answer = GivenAnswer(question_id, option=option)
        row = await self._assessments.record_answer(self._assessment_id, answer, user_id=ME.user_id)
        if given.twice:
            assert await self._assessments.record_answer(self._assessment_id, answer, user_id=ME.user_id) == row
        return row

    async def _id_of(self, question_id: str, text: str) -> str:
        question = await self._database.read_orm_tx(
            lambda session: session.exec(select(tables.Question).where(tables.Question.id == question_id)).one()
        )
        options = cast(list[dict[str, str]], question.options)
        return next(one["id"] for one in options if one["text"] == text)


@pytest.fixture
def sit(repositories: SqlPathRepository, paths: SqlPaths, assessments: SqlAssessments, database: Database) -> "Sit":
    return Sit(repositories, paths, assessments, database)


class Sit:
    """Makes sittings, each with the options of its questions in an order of its own."""

    def __init__(
        self, repositories: SqlPathRepository, paths: SqlPaths, assessments: SqlAssessments, database: Database
    ) -> None:
        self._shelf, self._library, self._assessments, self._database = repositories, paths, assessments, database

    async def before(self, options: tuple[str, ...]) -> Sitting:
        concept = await a_concept(self._library, await a_topic(self._library, new_id()), "Photosynthesis")
        for title in PARTS:
            await self._shelf.edit_graph(concept.id, lambda graph, t=title: graph.add(t, None, utc_now()), actor=ME)  # type: ignore[misc]
        await self._shelf.edit_graph(concept.id, lambda graph: graph.connect_titles(*PARTS), actor=ME)
        drafts = [a_draft(number) for number in range(QUESTIONS)]
        saved = [
            await self._shelf.save_question(concept.id, replace(one, options=options) if one.options else one, actor=ME)
            for one in drafts
        ]
        parts, _ = await self._shelf.children(concept.id)
        ids = [saved[0].assessment_id, *(one.id for one in saved)]
        return Sitting(concept, parts, ids, self._assessments, self._database)


@ON_A_DATABASE
@given(
    answers=ANSWERS.map(lambda given: list({one.question: one for one in given}.values())),
    options=st.permutations(TEXTS),
    data=st.data(),
)
async def test_Q1_A1_any_order_of_answers_loads_and_options_gives_the_same_grades(
    sit: Sit, answers: list[Given], options: list[str], data: st.DataObject
) -> None:
    straight, mixed = await sit.before(TEXTS), await sit.before(tuple(options))
    grades: list[dict[int, tuple[object, ...]]] = [{}, {}]
    for one in answers:
        grades[0][one.question] = graded(await straight.answer(Given(one.question, one.choice)))
    for one in data.draw(st.permutations(answers)):
        grades[1][one.question] = graded(await mixed.answer(one))
    assert grades[0] == grades[1]


@ON_A_DATABASE
@given(answers=ANSWERS)
async def test_H4_whatever_was_answered_progress_is_what_can_be_computed_anew_from_the_answers(
    sit: Sit, paths: SqlPaths, database: Database, answers: list[Given]
) -> None:
    sitting = await sit.before(TEXTS)
    light, sugar = sitting.parts
    for one in answers:
        await sitting.answer(one)
        evidence = await database.write_tx(lambda tx: evidence_about(tx.connection, sitting.concept.id, ME.user_id))
        found = mastery(evidence, [(light.id, sugar.id)])
        rows = {row.node_id: row for row in await paths.progress(ME.user_id)}
        for part in sitting.parts:
            shown = rows.get(part.id)
            known = found.get(part.id)
            assert (shown.mastery_score if shown else 0.0) == (known.value if known else 0.0)
            assert bool(shown and shown.completed_at) == bool(known and known.learned)
        whole = rows.get(sitting.concept.id)
        values = [found[part.id].value if part.id in found else 0.0 for part in sitting.parts]
        learned = all(part.id in found and found[part.id].learned for part in sitting.parts)
        mean = mean_mastery(values) if learned else min(mean_mastery(values), HIGHEST_OPEN)
        assert (whole.mastery_score if whole else 0.0) == mean
        assert bool(whole and whole.completed_at) == learned


def graded(row: AnswerRow) -> tuple[object, ...]:
    """Mark of an answer, without its time and id."""
    return row.is_correct, row.score, row.feedback, row.grade
