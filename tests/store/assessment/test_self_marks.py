"""Answers of a diagnostic that their learners mark themselves (A11, H3)."""

import pytest

from harness.builders import a_concept, a_topic
from sprout.errors import BadInput, Conflict, NotFound
from sprout.learning.actor import Actor
from sprout.learning.marking.comparison import left_to_learner
from sprout.learning.questions.assessments import GivenAnswer, SelfMark
from sprout.learning.questions.diagnostics import SavedQuestion
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.gradebook import SqlGradebook
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from tests.store.assessment.test_answer_keys import ME, PARTS, with_parts

SKY = QuestionDraft(
    "Why is the sky blue by day?",
    "open_ended",
    "Short waves are scattered most.",
    3,
    (PARTS[0],),
    criteria=(
        Criterion("which waves", "names the short waves", 0.5, misconception="thinks that the sea is mirrored"),
        Criterion("what happens", "says that they are scattered", 0.5),
    ),
    solution=("A mirrored sea would leave the sky over a desert grey.",),
)
MARK = SelfMark({"c1": "met", "c2": "missing"}, "thinks that the sea is mirrored")


@pytest.fixture
async def question(paths: SqlPaths, repositories: SqlPathRepository) -> SavedQuestion:
    """The one question of a concept's diagnostic."""
    concept = await with_parts(repositories, await a_concept(paths, await a_topic(paths), "Photosynthesis"))
    return await repositories.save_question(concept.id, SKY, actor=ME)


@pytest.fixture
def gradebook(database: Database) -> SqlGradebook:
    return SqlGradebook(database, lambda _: None)


async def answered(assessments: SqlAssessments, question: SavedQuestion) -> str:
    given = GivenAnswer(question.id, text="because of the sea")
    return (await assessments.record_answer(question.assessment_id, given, user_id=ME.user_id)).id


async def test_A11_a_diagnostics_answer_that_is_left_to_its_learner_is_compared_and_counts_nothing(
    paths: SqlPaths, assessments: SqlAssessments, gradebook: SqlGradebook, question: SavedQuestion
) -> None:
    id_ = await answered(assessments, question)
    (waiting,) = await assessments.answers(question.assessment_id, user_id=ME.user_id)
    assert waiting.compare is None, "a grader may still mark it"
    await gradebook.record(id_, left_to_learner(), actor=Actor(ME.user_id))
    (left,) = await assessments.answers(question.assessment_id, user_id=ME.user_id)
    assert left.compare is not None
    assert (left.compare.yours, left.compare.model_answer) == ("because of the sea", SKY.correct_answer)
    assert [one.label for one in left.compare.criteria] == ["which waves", "what happens"]
    assert (left.answer, left.why) == (None, None)

    marked = await assessments.record_self_mark(id_, MARK, user_id=ME.user_id)
    assert (marked.score, marked.is_correct, marked.compare) == (None, None, None)
    assert (marked.answer, marked.why) == (SKY.correct_answer, SKY.solution[0])
    assert marked.grade is not None
    assert marked.grade.state == "self_marked"
    assert [one.verdict for one in marked.grade.criteria] == ["met", "missing"]
    assert await paths.progress(ME.user_id) == []
    with pytest.raises(Conflict):
        await assessments.record_self_mark(id_, MARK, user_id=ME.user_id)


async def test_Q6_nothing_is_compared_before_its_diagnostic_is_complete(
    assessments: SqlAssessments, gradebook: SqlGradebook, question: SavedQuestion
) -> None:
    id_ = await answered(assessments, question)
    await gradebook.record(id_, left_to_learner(), actor=Actor(ME.user_id))
    await assessments.change_assessment(question.assessment_id, user_id=ME.user_id, title=None, completed_at=None)
    (answer,) = await assessments.answers(question.assessment_id, user_id=ME.user_id)
    assert answer.compare is None
    with pytest.raises(Conflict):
        await assessments.record_self_mark(id_, MARK, user_id=ME.user_id)


async def test_A11_verdicts_that_do_not_fit_and_another_learners_are_refused(
    paths: SqlPaths, assessments: SqlAssessments, gradebook: SqlGradebook, question: SavedQuestion
) -> None:
    await paths.ensure_user("someone-else")
    id_ = await answered(assessments, question)
    await gradebook.record(id_, left_to_learner(), actor=Actor(ME.user_id))
    with pytest.raises(BadInput):
        await assessments.record_self_mark(id_, SelfMark({"c1": "met"}), user_id=ME.user_id)
    with pytest.raises(NotFound):
        await assessments.record_self_mark(id_, MARK, user_id="someone-else")
    (answer,) = await assessments.answers(question.assessment_id, user_id=ME.user_id)
    assert answer.compare is not None
