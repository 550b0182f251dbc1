"""Coming to a node, and a person's word on progress, which stands until the next graded answer (rule H4)."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from harness.builders import a_concept, a_topic
from sprout.errors import NotFound
from sprout.events import NodeRow
from sprout.learning.paths.progress import ProgressOverride
from sprout.learning.paths.repository import ProgressRow
from sprout.learning.questions.assessments import GivenAnswer
from sprout.learning.questions.diagnostics import SavedQuestion
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.progress import SqlProgressRepository
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from tests.store.assessment.test_answer_keys import ME, PARTS, numbered, with_parts

ANSWERS = table_of(tables.Answer)


@pytest.fixture
def progress(database: Database) -> SqlProgressRepository:
    return SqlProgressRepository(database)


@pytest.fixture
async def concept(paths: SqlPaths, repositories: SqlPathRepository) -> NodeRow:
    return await with_parts(repositories, await a_concept(paths, await a_topic(paths), "Photosynthesis"))


@pytest.fixture
async def light(repositories: SqlPathRepository, concept: NodeRow) -> NodeRow:
    parts, _ = await repositories.children(concept.id)
    return next(part for part in parts if part.title == PARTS[0])


@pytest.fixture
async def questions(repositories: SqlPathRepository, concept: NodeRow) -> list[SavedQuestion]:
    """Numbers about the second part (1), the first (3) and both (5)."""
    return [await repositories.save_question(concept.id, numbered(number), actor=ME) for number in (1, 3, 5)]


async def answer(assessments: SqlAssessments, question: SavedQuestion, text: str = "6") -> None:
    await assessments.record_answer(question.assessment_id, GivenAnswer(question.id, text=text), user_id=ME.user_id)


async def row_of(paths: SqlPaths, node: NodeRow) -> ProgressRow:
    (found,) = await paths.progress(ME.user_id, node_id=node.id)
    return found


async def test_coming_to_a_node_is_counted_beside_its_answers(
    progress: SqlProgressRepository,
    paths: SqlPaths,
    assessments: SqlAssessments,
    light: NodeRow,
    questions: list[SavedQuestion],
) -> None:
    first, is_new = await progress.enter_node(light.id, user_id=ME.user_id)
    assert (first.attempts_count, is_new, first.first_entered_at) == (1, True, first.last_entered_at)
    second, is_new = await progress.enter_node(light.id, user_id=ME.user_id)
    assert (second.attempts_count, is_new) == (2, False)
    assert second.first_entered_at == first.first_entered_at
    assert (second.last_entered_at or "") >= (first.last_entered_at or "")
    await answer(assessments, questions[1])
    assert (await row_of(paths, light)).attempts_count == 3
    assert (await progress.enter_node(light.id, user_id=ME.user_id))[0].attempts_count == 4


async def test_H4_a_persons_word_is_shown_until_the_next_graded_answer_about_the_node(
    progress: SqlProgressRepository,
    paths: SqlPaths,
    assessments: SqlAssessments,
    light: NodeRow,
    questions: list[SavedQuestion],
) -> None:
    about_sugar, about_light, _ = questions
    await answer(assessments, about_light)
    earned = await row_of(paths, light)
    row = await progress.override(earned.id, ProgressOverride(mastery=0.95), user_id=ME.user_id)
    assert (row.mastery_score, row.attempts_count, bool(row.completed_at)) == (0.95, 1, True)
    await answer(assessments, about_sugar, "5")  # tells on it along an edge only
    assert (await row_of(paths, light)).mastery_score == 0.95
    await answer(assessments, about_light, "5")
    after = await row_of(paths, light)
    assert after.mastery_score < earned.mastery_score
    assert (after.attempts_count, after.completed_at) == (2, None)


async def test_H4_what_is_above_an_overruled_part_follows_it(
    progress: SqlProgressRepository, paths: SqlPaths, concept: NodeRow, light: NodeRow, repositories: SqlPathRepository
) -> None:
    parts, _ = await repositories.children(concept.id)
    ids = [(await progress.enter_node(part.id, user_id=ME.user_id))[0].id for part in parts]
    await progress.override(ids[0], ProgressOverride(mastery=0.8), user_id=ME.user_id)
    assert (await row_of(paths, concept)).mastery_score == pytest.approx(0.4)
    assert (await row_of(paths, concept)).completed_at is None
    await progress.override(ids[1], ProgressOverride(mastery=1.0), user_id=ME.user_id)
    whole = await row_of(paths, concept)
    assert whole.mastery_score == pytest.approx(0.9)
    assert whole.completed_at is not None
    await progress.override(ids[1], ProgressOverride(mastery=0.1), user_id=ME.user_id)
    assert (await row_of(paths, concept)).completed_at is None


async def test_H4_a_concept_is_completed_once_all_of_its_parts_are_mastered(
    paths: SqlPaths, assessments: SqlAssessments, repositories: SqlPathRepository, concept: NodeRow
) -> None:
    asked = [await repositories.save_question(concept.id, numbered(number), actor=ME) for number in (1, 3, 7, 9)]
    for question in asked[:3]:
        await answer(assessments, question)
        assert (await row_of(paths, concept)).completed_at is None
    await answer(assessments, asked[3])
    rows = await paths.progress(ME.user_id)
    assert len(rows) == 3
    assert all(one.completed_at is not None for one in rows)
    assert (await row_of(paths, concept)).mastery_score >= 0.7


async def a_day_passes(database: Database) -> None:
    """All answers so far were given a day earlier."""
    found = await database.read_tx(
        lambda connection: connection.execute(select(ANSWERS.c.id, ANSWERS.c.created_at)).all()
    )
    for one in found:
        earlier = update(ANSWERS).where(ANSWERS.c.id == one.id).values(created_at=one.created_at - timedelta(days=1))
        await database.write_tx(lambda tx, statement=earlier: tx.connection.execute(statement))  # type: ignore[misc]


async def test_H4c_what_is_learned_is_mastered_by_a_right_answer_a_day_later_and_lost_by_a_miss(
    paths: SqlPaths,
    assessments: SqlAssessments,
    repositories: SqlPathRepository,
    database: Database,
    concept: NodeRow,
    light: NodeRow,
) -> None:
    asked = [await repositories.save_question(concept.id, numbered(number), actor=ME) for number in (3, 9, 15, 21, 27)]
    for question in asked[:3]:
        await answer(assessments, question)
    learned = await row_of(paths, light)
    assert learned.completed_at is not None
    assert learned.mastered_at is None, "three in one sitting are still one sitting"
    await a_day_passes(database)
    await answer(assessments, asked[3])
    mastered = await row_of(paths, light)
    assert mastered.completed_at is not None
    assert mastered.mastered_at is not None
    assert datetime.fromisoformat(mastered.mastered_at) - datetime.fromisoformat(mastered.completed_at) >= timedelta(
        days=1
    )
    assert mastered.mastery_score > learned.mastery_score
    await answer(assessments, asked[4], "5")
    lost = await row_of(paths, light)
    assert (lost.completed_at, lost.mastered_at) == (None, None)
    assert lost.mastery_score < 0.7


async def test_H4b_a_miss_at_the_very_first_question_raises_nothing(
    paths: SqlPaths, assessments: SqlAssessments, light: NodeRow, concept: NodeRow, questions: list[SavedQuestion]
) -> None:
    await answer(assessments, questions[2], "5")
    rows = await paths.progress(ME.user_id)
    assert {row.mastery_score for row in rows} == {0.0}
    assert {row.attempts_count for row in rows} == {1}


async def test_H4_a_persons_word_may_make_a_part_learned_but_not_mastered(
    progress: SqlProgressRepository, paths: SqlPaths, light: NodeRow
) -> None:
    row, _ = await progress.enter_node(light.id, user_id=ME.user_id)
    row = await progress.override(row.id, ProgressOverride(mastery=1.0), user_id=ME.user_id)
    assert (row.completed_at is not None, row.mastered_at) == (True, None)


async def test_only_what_is_given_is_changed(progress: SqlProgressRepository, light: NodeRow) -> None:
    row, _ = await progress.enter_node(light.id, user_id=ME.user_id)
    done = datetime(2026, 1, 31, 9, tzinfo=UTC)
    changed = await progress.override(row.id, ProgressOverride(completed_at=done), user_id=ME.user_id)
    assert (changed.completed_at, changed.mastery_score) == ("2026-01-31T09:00:00.000Z", 0.0)
    changed = await progress.override(row.id, ProgressOverride(has_generated_subnodes=True), user_id=ME.user_id)
    assert (changed.completed_at, changed.has_generated_subnodes) == ("2026-01-31T09:00:00.000Z", True)


async def test_another_learners_progress_is_not_found(
    progress: SqlProgressRepository, paths: SqlPaths, light: NodeRow
) -> None:
    await paths.ensure_user("someone-else")
    row, _ = await progress.enter_node(light.id, user_id=ME.user_id)
    for refused in (
        progress.enter_node(light.id, user_id="someone-else"),
        progress.enter_node("nothing", user_id=ME.user_id),
        progress.override(row.id, ProgressOverride(mastery=1.0), user_id="someone-else"),
        progress.override("nothing", ProgressOverride(mastery=1.0), user_id=ME.user_id),
    ):
        with pytest.raises(NotFound):
            await refused


async def test_H4_a_concept_follows_its_parts_as_they_come_and_go(
    paths: SqlPaths, assessments: SqlAssessments, repositories: SqlPathRepository, concept: NodeRow
) -> None:
    """A removed part keeps no concept open; an added one opens it again, until the addition is undone."""
    for number in (3, 9, 15):
        await answer(assessments, await repositories.save_question(concept.id, numbered(number), actor=ME))
    learned, left = (await repositories.children(concept.id))[0]
    assert (await row_of(paths, learned)).completed_at is not None
    assert (await row_of(paths, concept)).completed_at is None
    await paths.delete_node(left.id, user_id=ME.user_id)
    whole = await row_of(paths, concept)
    assert whole.completed_at is not None
    added = await paths.create_node(
        user_id=ME.user_id, type="subconcept", title="More", parent_id=concept.id, branch_id=None, desc=None
    )
    half = await row_of(paths, concept)
    assert half.completed_at is None
    assert half.mastery_score == pytest.approx(whole.mastery_score / 2)
    await paths.delete_node(added.id, user_id=ME.user_id)
    assert (await row_of(paths, concept)).completed_at is not None


async def test_H4_an_answer_about_a_part_that_was_removed_is_counted_by_its_concept_at_once(
    paths: SqlPaths, assessments: SqlAssessments, concept: NodeRow, light: NodeRow, questions: list[SavedQuestion]
) -> None:
    """Not only once something else has made the concept's row."""
    about_light = questions[1]
    await paths.delete_node(light.id, user_id=ME.user_id)
    await answer(assessments, about_light)
    assert (await row_of(paths, concept)).attempts_count == 1
