"""Misconceptions on both databases: named once in their topic, and their ledger from answers."""

from datetime import timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Connection, select
from sqlmodel import col, update

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.learning.misconceptions.beliefs import belief_id
from sprout.learning.misconceptions.repository import Misconceptions, MixUp
from sprout.learning.paths.path_file import InvalidPath, validate_path
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.assessments import GivenAnswer
from sprout.learning.questions.questions import Misconception, QuestionDraft
from sprout.learning.reviews.days import LearnerDays
from sprout.learning.reviews.repository import SettingsChange
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.misconceptions import SqlMisconceptions, clearable_beliefs, held_beliefs
from sprout.store.engine.database import Database
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.paths.paths import SqlPaths
from sprout.store.reviews.repository import SqlReviews
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

FITS: type[Misconceptions] = SqlMisconceptions  # mypy checks it
STAYS = "Whoever leaves is still counted."
CONTRAST = "Two friends sit on a bench and one goes home. How many are on the bench?"
SLIP = "adds instead of taking away"


def a_path(*, contrast: str | None = CONTRAST) -> dict[str, Any]:
    wrong = [{"option": "3", "misconception": "stays"}, {"option": "4", "misconception": SLIP, "slip": True}]
    questions = [
        {
            "prompt": f"Of three people one leaves ({n}). How many stay?", "format": "numeric", "difficulty": 1,
            "correct_answer": "2", "tests": ["Taking away"], "misconceptions": wrong,
        }
        for n in range(4)
    ]  # fmt: skip
    concept = {"title": "Counting", "subconcepts": [{"title": "Taking away"}], "questions": questions}
    named = {"key": "stays", "statement": STAYS} | ({"contrast": contrast} if contrast else {})
    return {
        "sprout_path": 1, "title": "Numbers", "topic": {"title": "Numbers"}, "misconceptions": [named],
        "concepts": [concept],
    }  # fmt: skip


class Learner:
    """A learner of one path who answers its questions."""

    def __init__(self, database: Database, assessments: SqlAssessments) -> None:
        self._database, self._assessments = database, assessments
        self.mix_ups = SqlMisconceptions(database)
        self._asked = 0

    async def imports(self, path: dict[str, Any]) -> str:
        branch = await SqlPathExchange(self._database).import_path(validate_path(path), user_id=DEFAULT_USER_ID)
        return branch.id

    async def answers(self, text: str, *, days_ago: float = 0, sure: bool = False) -> str:
        """The id of the question that is answered, the next one of the diagnostic."""
        (assessment,) = await self._assessments.assessments(DEFAULT_USER_ID)
        question = (await self._assessments.questions(assessment.id, user_id=DEFAULT_USER_ID))[self._asked]
        self._asked += 1
        given = GivenAnswer(question.id, text=text, sure=sure)
        row = await self._assessments.record_answer(assessment.id, given, user_id=DEFAULT_USER_ID)
        at = utc_now() - timedelta(days=days_ago)
        change = update(tables.Answer).where(col(tables.Answer.id) == row.id).values(created_at=at)
        await self._database.write_tx(lambda tx: tx.connection.execute(change))
        return question.id

    async def ends_the_diagnostic(self) -> None:
        done = update(tables.Assessment).values(completed_at=utc_now())
        await self._database.write_tx(lambda tx: tx.connection.execute(done))

    async def believes(self) -> list[MixUp]:
        return [*await self.mix_ups.mix_ups(DEFAULT_USER_ID)]

    async def node(self, type: str) -> str:
        wanted = select(table_of(tables.Node).c.id).where(table_of(tables.Node).c.type == type)
        return str(await self._database.read_tx(lambda connection: connection.execute(wanted).scalar_one()))


@pytest.fixture
async def learner(database: Database, paths: SqlPaths, assessments: SqlAssessments) -> Learner:
    await paths.ensure_user(DEFAULT_USER_ID)
    await paths.ensure_user("somebody-else")
    return Learner(database, assessments)


async def test_C1_a_wrong_answer_shows_its_belief_once_the_diagnostic_is_over(learner: Learner) -> None:
    branch_id = await learner.imports(a_path())
    await learner.answers("3", sure=True)
    await learner.answers("4")
    assert await learner.believes() == []
    await learner.ends_the_diagnostic()
    (found,) = await learner.believes()
    assert (found.id, found.statement, found.state, found.sure) == (belief_id(STAYS), STAYS, "open", True)
    assert (found.contrast, found.title, found.concept_title) == (CONTRAST, "Taking away", "Counting")
    assert (found.node_id, found.branch_id) == (await learner.node("subconcept"), branch_id)
    assert [(one.said, one.sure) for one in found.evidence] == [("3", True)]


async def test_C1_a_right_answer_a_day_later_clears_it_and_a_relapse_opens_it(learner: Learner) -> None:
    await learner.imports(a_path())
    await learner.answers("3", days_ago=5)
    await learner.answers("2", days_ago=3)
    await learner.ends_the_diagnostic()
    (cleared,) = await learner.believes()
    assert cleared.state == "cleared"
    assert cleared.cleared_by is not None
    assert cleared.cleared_by.said == "2"
    await learner.answers("3", days_ago=1)
    await learner.ends_the_diagnostic()
    (again,) = await learner.believes()
    assert (again.state, again.relapses, again.cleared_by) == ("open", 1, None)


async def test_C1_a_voided_question_never_counted(learner: Learner, database: Database) -> None:
    await learner.imports(a_path())
    question_id = await learner.answers("3")
    await learner.ends_the_diagnostic()
    assert len(await learner.believes()) == 1
    change = update(tables.Question).where(col(tables.Question.id) == question_id).values(state="voided")
    await database.write_tx(lambda tx: tx.connection.execute(change))
    assert await learner.believes() == []


async def test_C2_a_contrast_waits_while_it_gives_an_open_answer_away(learner: Learner, database: Database) -> None:
    await learner.imports(a_path(contrast="Of three people one leaves, so it is 2 who stay."))
    await learner.answers("3")
    await learner.ends_the_diagnostic()
    (found,) = await learner.believes()
    assert found.contrast is not None
    concept = await learner.node("concept")
    other = tables.Assessment(
        id="other", user_id=DEFAULT_USER_ID, target_node_id=concept, type="quiz", title="A lesson"
    )
    asked = tables.Question(
        id="asked", assessment_id="other", node_id=concept, position=1, format="numeric", prompt="Three less one?",
        prompt_key="three", correct_answer="2", misconceptions=[{"answer": "3", "misconception": STAYS}],
    )  # fmt: skip
    session = tables.ChatSession(id="chat", user_id=DEFAULT_USER_ID, node_id=concept, pending_question_id="asked")

    async def save(row: Any) -> None:
        await database.write_tx(lambda tx: tx.session.add(row))

    for row in (other, asked, session):
        await save(row)
    (hidden,) = await learner.believes()
    assert (hidden.statement, hidden.contrast) == (STAYS, None)


async def test_Z3_mix_ups_are_the_learners_own(learner: Learner) -> None:
    branch_id = await learner.imports(a_path())
    await learner.answers("3")
    await learner.ends_the_diagnostic()
    assert len(await learner.mix_ups.mix_ups(DEFAULT_USER_ID, branch_id=branch_id)) == 1
    assert await learner.mix_ups.mix_ups("somebody-else") == []
    with pytest.raises(NotFound):
        await learner.mix_ups.mix_ups("somebody-else", branch_id=branch_id)


async def test_V5_what_was_cleared_in_a_week_counts_from_the_learners_hour(
    learner: Learner, database: Database
) -> None:
    now = utc_now()
    reviews = SqlReviews(database, now=lambda: now)
    await reviews.change_settings(DEFAULT_USER_ID, SettingsChange(time_zone="Asia/Tokyo", day_starts_at=4))
    days = LearnerDays(ZoneInfo("Asia/Tokyo"), 4)
    week = days.start_of(days.start_of(now) - timedelta(days=6))
    await learner.imports(a_path())
    await learner.answers("3", days_ago=12)
    last = await learner.answers("2", days_ago=7)
    await learner.ends_the_diagnostic()
    for at, cleared in ((week, [STAYS]), (week - timedelta(seconds=1), [])):
        moved = update(tables.Answer).where(col(tables.Answer.question_id) == last).values(created_at=at)
        await database.write_tx(lambda tx, moved=moved: tx.connection.execute(moved))  # type: ignore[misc]
        since = (await reviews.day(DEFAULT_USER_ID)).week_start
        assert since == week
        assert await learner.mix_ups.cleared_since(DEFAULT_USER_ID, since) == cleared


async def test_C1_agents_read_what_is_not_cleared(learner: Learner, database: Database) -> None:
    await learner.imports(a_path())
    await learner.answers("3", days_ago=2)
    await learner.ends_the_diagnostic()
    concept = await learner.node("concept")

    def held(connection: Connection) -> list[tuple[str, str | None, tuple[str, ...]]]:
        found = held_beliefs(connection, concept, DEFAULT_USER_ID)
        return [(one.statement, one.contrast, one.titles) for one in found]

    assert await database.read_tx(held) == [(STAYS, CONTRAST, ("Taking away",))]
    now = utc_now()
    later, soon = [
        await database.read_tx(partial(clearable_beliefs, concept_id=concept, user_id=DEFAULT_USER_ID, now=at))
        for at in (now, now - timedelta(days=1.5))
    ]
    assert later.by("another item", {belief_id(STAYS)})
    assert not soon.by("another item", {belief_id(STAYS)})
    await learner.answers("2")
    await learner.ends_the_diagnostic()
    assert await database.read_tx(held) == []


async def test_C0_the_same_belief_is_joined_by_its_words_or_its_id(
    learner: Learner, database: Database, paths: SqlPaths
) -> None:
    branch_id = await learner.imports(a_path(contrast=None))
    concept = await learner.node("concept")
    (assessment,) = await SqlAssessments(database).assessments(DEFAULT_USER_ID)

    async def asks(prompt: str, belief: str, contrast: str | None = None) -> None:
        wrong = (Misconception("3", belief, contrast),)
        draft = QuestionDraft(prompt, "numeric", "2", 1, ("Taking away",), misconceptions=wrong)
        await SqlAssessments(database).add_question(assessment.id, draft, user_id=DEFAULT_USER_ID, node_id=concept)

    await asks("Three less one?", "“whoever leaves is still counted”", CONTRAST)
    await asks("Take one from three.", belief_id(STAYS), "Another case.")
    await asks("Three without one?", belief_id("Nobody has named this."))
    exported = await SqlPathExchange(database).export_path(branch_id, user_id=DEFAULT_USER_ID)
    assert [(one.statement, one.contrast) for one in exported.misconceptions] == [(STAYS, CONTRAST)]
    assert {one.id for one in await paths.branches(DEFAULT_USER_ID)} == {branch_id}


async def test_G5_misconceptions_come_out_as_they_went_in(learner: Learner, database: Database) -> None:
    exchange = SqlPathExchange(database)
    first = await exchange.export_path(await learner.imports(a_path()), user_id=DEFAULT_USER_ID)
    assert [(one.key, one.statement, one.contrast) for one in first.misconceptions] == [
        (belief_id(STAYS), STAYS, CONTRAST)
    ]
    assert [(one.misconception, one.slip) for one in first.concepts[0].questions[0].misconceptions] == [
        (belief_id(STAYS), False),
        (SLIP, True),
    ]
    again = await exchange.import_path(first, user_id=DEFAULT_USER_ID)
    assert await exchange.export_path(again.id, user_id=DEFAULT_USER_ID) == first


async def test_G5_a_key_that_names_no_misconception_is_refused(learner: Learner) -> None:
    path = a_path()
    path["misconceptions"] = [*path["misconceptions"], {"key": "stays", "statement": "Twice."}]
    path["concepts"][0]["questions"][1]["misconceptions"] = [{"option": "3", "misconception": belief_id("Unknown.")}]
    with pytest.raises(InvalidPath) as refusal:
        await learner.imports(path)
    assert refusal.value.faults == (
        "misconceptions.1.key: 'stays' stands here twice",
        f"concepts.0.questions.1: no misconception has the key '{belief_id('Unknown.')}'",
    )
