"""Answers as they are kept: every attempt, its mark, and the progress that follows; on both databases."""

import asyncio
from datetime import UTC, datetime

import pytest
from sqlmodel import col, select, update

from harness.builders import a_concept, a_topic
from sprout.clock import utc_now
from sprout.errors import BadInput, NotFound
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.mastery.mastery import mastery
from sprout.learning.questions.assessments import AnswerRow, GivenAnswer
from sprout.learning.questions.questions import QuestionDraft
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.evidence import evidence_about
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.schema import tables
from tests.store.paths.test_repository import CHOICE, NUMBER, OPEN

ME = Actor("00000000-0000-0000-0000-000000000000")
OPTIONS = ("Soil", "Light", "Sound", "Wind")


class Asked:
    """A concept with two parts, one resting on the other, and its questions."""

    def __init__(self, assessments: SqlAssessments, concept: NodeRow, parts: list[NodeRow], ids: list[str]) -> None:
        self.assessments = assessments
        self.concept = concept
        self.parts = parts
        self.assessment_id, *self.questions = ids

    async def answer(self, number: int, *, text: str | None = None, option: str | None = None) -> AnswerRow:
        given = GivenAnswer(self.questions[number], text=text, option=option)
        return await self.assessments.record_answer(self.assessment_id, given, user_id=ME.user_id)


@pytest.fixture
async def asked(paths: SqlPaths, repositories: SqlPathRepository, assessments: SqlAssessments) -> Asked:
    concept = await a_concept(paths, await a_topic(paths), "Photosynthesis")
    for title in ("Light reactions", "Sugar"):
        await repositories.edit_graph(concept.id, lambda graph, t=title: graph.add(t, None, utc_now()), actor=ME)  # type: ignore[misc]
    await repositories.edit_graph(concept.id, lambda graph: graph.connect_titles("Light reactions", "Sugar"), actor=ME)
    parts, _ = await repositories.children(concept.id)
    saved = [
        await repositories.save_question(concept.id, one, actor=ME) for one in (CHOICE, NUMBER, OPEN, a_choice("Sugar"))
    ]
    return Asked(assessments, concept, parts, [saved[0].assessment_id, *(one.id for one in saved)])


def a_choice(tests: str) -> QuestionDraft:
    return QuestionDraft("What does a plant make of it?", "mcq", "Wind", 2, (tests,), options=OPTIONS)


async def progress(paths: SqlPaths) -> dict[str, tuple[float, int, bool]]:
    found = await paths.progress(ME.user_id)
    return {one.node_id: (one.mastery_score, one.attempts_count, one.completed_at is not None) for one in found}


async def test_A1_choices_and_numbers_are_marked_at_once_and_words_are_kept_for_the_grader(asked: Asked) -> None:
    choice = await asked.answer(0, option="Soil")
    assert (choice.is_correct, choice.score, choice.feedback) == (False, 0.0, "plants eat soil")
    number = await asked.answer(1, text="6")
    assert (number.is_correct, number.score, number.answer_text) == (True, 1.0, "6")
    words = await asked.answer(2, text="They throw green light back.")
    assert (words.is_correct, words.score) == (None, None)
    answers = await asked.assessments.answers(asked.assessment_id, user_id=ME.user_id)
    assert list(answers) == [choice, number, words]


async def test_Q6_no_question_says_what_is_right(asked: Asked) -> None:
    questions = await asked.assessments.questions(asked.assessment_id, user_id=ME.user_id)
    assert [one.correct_answer for one in questions] == [None] * 4
    for secret in ("Chlorophyll throws", "names chlorophyll", "plants eat soil", "drives the making"):
        assert secret not in str(questions)


async def test_Q6_why_the_right_answer_holds_is_told_once_the_diagnostic_is_complete(asked: Asked) -> None:
    given = [await asked.answer(0, option="Light"), await asked.answer(1, text="6"), await asked.answer(2)]
    before = await asked.assessments.answers(asked.assessment_id, user_id=ME.user_id)
    assert {(one.answer, one.why) for one in [*given, *before]} == {(None, None)}
    last = await asked.answer(3, option="Soil")
    assert last.why is None
    settled = await asked.assessments.answers(asked.assessment_id, user_id=ME.user_id)
    assert [one.why for one in settled] == [
        "Light drives the making of sugar.\nSoil gives water and salts.",
        None,
        None,
        None,
    ]


async def test_Q6_only_the_key_of_a_choice_is_shown_and_only_where_a_deployment_wants_it(
    asked: Asked, database: Database
) -> None:
    with_keys = SqlAssessments(database, with_keys=True)
    shown = await with_keys.questions(asked.assessment_id, user_id=ME.user_id)
    assert [one.correct_answer for one in shown] == ["Light", None, None, "Wind"]
    assert (await with_keys.diagnostic(asked.concept.id, user_id=ME.user_id)).questions == shown


async def test_the_diagnostic_is_complete_once_every_question_has_an_answer(asked: Asked) -> None:
    for number, option in enumerate(("Light", None, None)):
        await asked.answer(number, option=option)
        found = await asked.assessments.diagnostic(asked.concept.id, user_id=ME.user_id)
        assert (found.answered_count, found.required_answers, found.is_complete) == (number + 1, 4, False)
    await asked.answer(3, option="Wind")
    found = await asked.assessments.diagnostic(asked.concept.id, user_id=ME.user_id)
    assert (found.answered_count, found.is_complete) == (4, True)
    assert found.assessment.completed_at is not None


async def test_Q4_to_know_nothing_is_an_answer_that_says_nothing_about_mastery(asked: Asked, paths: SqlPaths) -> None:
    skipped = await asked.answer(0)
    assert (skipped.answer_text, skipped.selected_option, skipped.score) == (None, None, None)
    assert await progress(paths) == {}


async def test_H4_progress_is_what_the_answers_say_of_each_part_and_of_the_whole(
    asked: Asked, paths: SqlPaths, database: Database
) -> None:
    await asked.answer(0, option="Light")
    await asked.answer(1, text="6")
    await asked.answer(3, option="Soil")
    light, sugar = asked.parts
    edges = [(light.id, sugar.id)]
    evidence = await database.write_tx(lambda tx: evidence_about(tx.connection, asked.concept.id, ME.user_id))
    found = mastery(evidence, edges)
    rows = await progress(paths)
    assert {node: value[0] for node, value in rows.items() if node != asked.concept.id} == {
        node: one.value for node, one in found.items()
    }
    assert rows[light.id][1:] == (2, found[light.id].learned)
    assert rows[sugar.id][1:] == (1, False)
    assert rows[asked.concept.id][0] == pytest.approx((found[light.id].value + found[sugar.id].value) / 2)
    assert rows[asked.concept.id][1:] == (3, False)


async def test_Q2_a_later_attempt_is_kept_but_shows_nothing_that_its_feedback_gave_away(
    asked: Asked, paths: SqlPaths
) -> None:
    await asked.answer(0, option="Soil")
    for _ in range(3):
        await asked.answer(0, option="Wind")
        await asked.answer(0, option="Light")
    light = asked.parts[0]
    value, attempts, mastered = (await progress(paths))[light.id]
    assert (attempts, mastered) == (7, False)
    assert value < 0.7


async def test_H3_an_answer_after_not_knowing_is_the_learners_own(asked: Asked, database: Database) -> None:
    await asked.answer(1, text="no idea")
    await asked.answer(1, text="6")
    async with database.open_read_session() as session:
        answers = await session.exec(select(tables.Answer).order_by(col(tables.Answer.creation)))
        assert [(one.score, one.help_level) for one in answers] == [(None, 0), (1.0, 0)]


async def test_the_same_answer_again_is_the_first_one(asked: Asked, paths: SqlPaths) -> None:
    first = await asked.answer(0, option="Light")
    before = await progress(paths)
    again = await asyncio.gather(*(asked.answer(0, option="Light") for _ in range(5)))
    assert again == [first] * 5
    assert await progress(paths) == before


async def test_of_the_last_two_answers_at_once_one_completes_the_diagnostic_and_both_count(
    asked: Asked, paths: SqlPaths
) -> None:
    await asyncio.gather(
        asked.answer(0, option="Light"), asked.answer(1, text="6"), asked.answer(2), asked.answer(3, option="Wind")
    )
    found = await asked.assessments.diagnostic(asked.concept.id, user_id=ME.user_id)
    assert (found.answered_count, found.is_complete) == (4, True)
    assert (await progress(paths))[asked.concept.id][1] == 3


async def test_Q4_a_question_that_was_taken_back_is_neither_asked_nor_counted(
    asked: Asked, paths: SqlPaths, database: Database
) -> None:
    await asked.answer(0, option="Soil")
    before = await progress(paths)
    await asked.answer(1, text="5")
    void = update(tables.Question).where(col(tables.Question.id) == asked.questions[1]).values(state="voided")
    await database.write_tx(lambda tx: tx.connection.execute(void))
    await asked.answer(2)
    await asked.answer(0, option="Soil")  # nothing new: progress stands until the next answer that is marked
    await asked.answer(3, option="Wind")
    assert asked.questions[1] not in {
        one.id for one in await asked.assessments.questions(asked.assessment_id, user_id=ME.user_id)
    }
    rows = await progress(paths)
    assert rows[asked.parts[0].id][1] == before[asked.parts[0].id][1] == 1
    found = await asked.assessments.diagnostic(asked.concept.id, user_id=ME.user_id)
    assert (found.required_answers, found.is_complete) == (3, True)
    with pytest.raises(NotFound):
        await asked.answer(1, text="6")


async def test_what_is_not_there_and_what_is_another_learners_are_not_found(
    asked: Asked, paths: SqlPaths, database: Database
) -> None:
    await paths.ensure_user("someone-else")
    given = GivenAnswer(asked.questions[0], option="Light")
    for assessment_id, user_id in (("nothing", ME.user_id), (asked.assessment_id, "someone-else")):
        for refused in (
            asked.assessments.assessment(assessment_id, user_id=user_id),
            asked.assessments.questions(assessment_id, user_id=user_id),
            asked.assessments.answers(assessment_id, user_id=user_id),
            asked.assessments.record_answer(assessment_id, given, user_id=user_id),
            asked.assessments.change_assessment(assessment_id, user_id=user_id, title="Mine", completed_at=None),
        ):
            with pytest.raises(NotFound):
                await refused
    with pytest.raises(NotFound):
        await asked.assessments.record_answer(asked.assessment_id, GivenAnswer("nothing"), user_id=ME.user_id)
    with pytest.raises(NotFound):
        await asked.assessments.diagnostic(asked.concept.id, user_id="someone-else")
    with pytest.raises(BadInput):
        await asked.answer(0, option="C")
    async with database.open_read_session() as session:
        assert (await session.exec(select(tables.Answer).order_by(col(tables.Answer.creation)))).all() == []


async def test_a_concept_without_questions_has_no_diagnostic_and_nothing_else_ever_has(
    asked: Asked, paths: SqlPaths
) -> None:
    bare = await a_concept(paths, await a_topic(paths, "Another"), "Roots")
    with pytest.raises(NotFound):
        await asked.assessments.diagnostic(bare.id, user_id=ME.user_id)
    with pytest.raises(BadInput):
        await asked.assessments.diagnostic(asked.parts[0].id, user_id=ME.user_id)


async def test_an_assessment_is_renamed_ended_early_and_listed(asked: Asked) -> None:
    ended = datetime(2026, 1, 31, 9, tzinfo=UTC)
    changed = await asked.assessments.change_assessment(
        asked.assessment_id, user_id=ME.user_id, title="First look", completed_at=ended
    )
    assert (changed.title, changed.completed_at) == ("First look", "2026-01-31T09:00:00.000Z")
    assert await asked.assessments.assessments(ME.user_id, target_node_id=asked.concept.id) == [changed]
    assert await asked.assessments.assessments(ME.user_id, target_node_id="nothing") == []
    assert (await asked.assessments.diagnostic(asked.concept.id, user_id=ME.user_id)).is_complete


@pytest.mark.parametrize(
    ("text", "score"),
    [("6 atoms", 1.0), ("five", 0.0), ("5", 0.0), ("6 or 7", None), ("so about 6, or 7?", None), ("6\u200b", 1.0)],
)
async def test_A1_A3_a_number_is_marked_where_it_is_beyond_doubt_and_else_not_marked_wrong(
    asked: Asked, paths: SqlPaths, text: str, score: float | None
) -> None:
    answer = await asked.answer(1, text=text)
    assert answer.score == score
    assert (answer.feedback == "Which result counts: 6 or 7?") == (score is None)
    assert (await progress(paths) == {}) == (score is None)


@pytest.mark.parametrize(("number", "words"), [(1, "I don't know"), (1, "are these many?"), (2, "keine Ahnung")])
async def test_A11_no_attempt_is_skipped_and_not_wrong(
    asked: Asked, paths: SqlPaths, database: Database, number: int, words: str
) -> None:
    nothing = await asked.answer(number, text=words)
    assert (nothing.answer_text, nothing.is_correct, nothing.score, nothing.feedback) == (words, None, None, None)
    assert await progress(paths) == {}
    async with database.open_read_session() as session:
        questions = await session.exec(select(tables.Question).order_by(col(tables.Question.creation)))
        assert [one.state for one in questions][number] == "skipped"


async def test_A11_a_guess_after_not_knowing_is_an_attempt(asked: Asked) -> None:
    something = await asked.answer(2, text="keine Ahnung, vielleicht Chlorophyll?")
    assert (something.is_correct, something.score) == (None, None)
    assert (something.grade.state if something.grade else None) == "ungraded"
