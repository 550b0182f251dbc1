"""Reports on both databases: they find the same, and only what is the learner's own."""

from typing import Any

import pytest
from sqlmodel import col, update

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.learning.mastery.reports import Reports
from sprout.learning.paths.path_file import validate_path
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.assessments import GivenAnswer
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.reports import SqlReports
from sprout.store.engine.database import Database
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.paths.paths import SqlPaths
from sprout.store.schema import tables

FITS: type[Reports] = SqlReports  # mypy checks it
THOUGHT = "counts the one who left"


@pytest.fixture
async def branch_id(database: Database, paths: SqlPaths, assessments: SqlAssessments) -> str:
    """A path with three answers, wrong, right and right, about one of its two parts, and one question that is open."""
    await paths.ensure_user(DEFAULT_USER_ID)
    await paths.ensure_user("somebody-else")
    branch = await SqlPathExchange(database).import_path(validate_path(a_path()), user_id=DEFAULT_USER_ID)
    (assessment,) = await assessments.assessments(DEFAULT_USER_ID)
    questions = await assessments.questions(assessment.id, user_id=DEFAULT_USER_ID)
    for question, answer in zip(questions, ("3", "2", "2"), strict=False):
        await assessments.record_answer(assessment.id, GivenAnswer(question.id, text=answer), user_id=DEFAULT_USER_ID)
    return branch.id


def a_path() -> dict[str, Any]:
    questions = [
        {
            "prompt": f"Of three people one leaves ({n}). How many stay?", "format": "numeric", "difficulty": 1,
            "correct_answer": "2", "tests": ["Taking away"],
            "misconceptions": [{"option": "3", "misconception": THOUGHT}],
        }
        for n in range(4)
    ]  # fmt: skip
    parts = [{"title": "Taking away"}, {"title": "Adding"}]
    concept = {
        "title": "Counting", "subconcepts": parts, "edges": [{"from": "Adding", "to": "Taking away"}],
        "questions": questions,
    }  # fmt: skip
    return {"sprout_path": 1, "title": "Numbers", "topic": {"title": "Numbers"}, "concepts": [concept]}


async def complete_diagnostics(database: Database) -> None:
    """Every diagnostic is over."""
    done = update(tables.Assessment).values(completed_at=utc_now())
    await database.write_tx(lambda tx: tx.connection.execute(done))


async def test_a_report_has_mastery_its_course_and_the_thought_behind_wrong_answers(
    database: Database, branch_id: str
) -> None:
    reports = SqlReports(database)
    open_still = await reports.report(DEFAULT_USER_ID, branch_id=branch_id)
    assert [spot.looks_like for spot in open_still.begun] == [None]
    await complete_diagnostics(database)
    report = await reports.report(DEFAULT_USER_ID, branch_id=branch_id)
    (spot,) = report.begun
    assert (spot.title, spot.last, spot.looks_like) == ("Taking away", ["missed", "right", "right"], THOUGHT)
    assert (spot.learned, spot.mastered, spot.right_needed) == (True, False, 0)
    assert [(one.title, one.parts) for one in report.concepts] == [("Counting", 2)]
    assert [turn.reached for turn in report.turns] == ["begun", "learned"]
    assert (report.parts, sum(one.deeds for one in report.studied)) == (2, 3)
    assert await reports.report(DEFAULT_USER_ID) == report


async def test_tables_have_the_same_answers(database: Database, branch_id: str) -> None:
    reports = SqlReports(database)
    lines = await reports.answers(DEFAULT_USER_ID, branch_id=branch_id)
    assert [(line.answer, line.score, line.about) for line in lines] == [
        ("3", 0.0, ("Taking away",)), ("2", 1.0, ("Taking away",)), ("2", 1.0, ("Taking away",)),
    ]  # fmt: skip
    assert [line.title for line in await reports.masteries(DEFAULT_USER_ID)] == ["Taking away", "Adding"]


async def test_a_question_that_was_taken_back_counts_nowhere(
    database: Database, assessments: SqlAssessments, branch_id: str
) -> None:
    await complete_diagnostics(database)
    reports = SqlReports(database)
    (assessment,) = await assessments.assessments(DEFAULT_USER_ID)
    answered = (await assessments.questions(assessment.id, user_id=DEFAULT_USER_ID))[1]
    voided = update(tables.Question).where(col(tables.Question.id) == answered.id).values(state="voided")
    await database.write_tx(lambda tx: tx.connection.execute(voided))
    (spot,) = (await reports.report(DEFAULT_USER_ID)).begun
    assert spot.last == ["missed", "right"]
    assert len(await reports.evidence(spot.node_id, user_id=DEFAULT_USER_ID)) == 2


async def test_another_learner_finds_nothing_of_it(database: Database, branch_id: str) -> None:
    reports = SqlReports(database)
    theirs = await reports.report("somebody-else")
    assert (theirs.parts, theirs.begun, theirs.turns, theirs.studied) == (0, [], [], [])
    assert await reports.answers("somebody-else") == []
    (spot,) = (await reports.report(DEFAULT_USER_ID)).begun
    with pytest.raises(NotFound):
        await reports.report("somebody-else", branch_id=branch_id)
    with pytest.raises(NotFound):
        await reports.evidence(spot.node_id, user_id="somebody-else")
