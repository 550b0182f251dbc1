"""A learned path and its reviews, with a clock that the test moves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update

from sprout.clock import utc_now
from sprout.learning.paths.path_file import validate_path
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.assessments import GivenAnswer
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.reviews.items import ItemSource
from sprout.learning.reviews.repository import ReviewAnswer, ReviewReply, ReviewSession
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.reviews.repository import SqlReviews
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard, ReviewEntry

ME = DEFAULT_USER_ID
RIGHT, WRONG = "2", "9"
PARTS = {"Counts": ("Shares", "Splits", "Trees"), "Odds": ("For and against", "Back to chances")}
EDGES = {"Counts": (("Shares", "Splits"), ("Splits", "Trees")), "Odds": ()}
QUESTIONS_OF_PART = 4
ANSWERED = 2  # of them, which makes the part learned

_questions, _tests = table_of(tables.Question), table_of(tables.QuestionTest)
_answers, _nodes = table_of(tables.Answer), table_of(tables.Node)
_users = table_of(tables.User)
_progress, _cards, _reviews = table_of(tables.Progress), table_of(ReviewCard), table_of(ReviewEntry)


@dataclass
class Clock:
    """A clock that stands still until it is moved."""

    moment: datetime = field(default_factory=utc_now)

    def __call__(self) -> datetime:
        return self.moment

    def move(self, **delta: float) -> None:
        self.moment += timedelta(**delta)


@dataclass
class Learner:
    """A learner with a path of five parts, each learned a moment ago."""

    database: Database
    reviews: SqlReviews
    assessments: SqlAssessments
    clock: Clock
    branch_id: str
    parts: dict[str, str]
    device: ReviewSession | None = None

    async def start(self, **options: Any) -> ReviewSession:
        self.device, _ = await self.reviews.start_session(ME, **options)
        return self.device

    async def reply(self, text: str | None = RIGHT, *, seconds: float = 5, sure: bool | None = None) -> ReviewReply:
        """Answer the question that this device shows, 10 s after it was posed."""
        assert self.device is not None
        assert self.device.question is not None
        self.clock.move(seconds=10)
        answer = ReviewAnswer(self.device.question.item_id, text=text, seconds=seconds, sure=sure)
        replied = await self.reviews.answer(self.device.id, answer, user_id=ME)
        self.device = replied.session
        return replied

    async def finish(self, text: str | None = RIGHT) -> Sequence[ReviewReply]:
        """Answer all that is left in the session."""
        found = []
        while self.device is not None and self.device.question is not None:
            found.append(await self.reply(text))
        return found

    async def rows(self, statement: Any) -> Sequence[Any]:
        return await self.database.read_tx(lambda connection: connection.execute(statement).all())

    async def card(self, title: str) -> Any:
        found = await self.rows(select(_cards).where(_cards.c.node_id == self.parts[title]))
        return found[0] if found else None

    async def history(self, title: str) -> list[tuple[str, bool]]:
        wanted = select(_reviews.c.grade, _reviews.c.is_credit).where(_reviews.c.node_id == self.parts[title])
        return [tuple(row) for row in await self.rows(wanted.order_by(_reviews.c.creation))]

    async def progress(self, title: str) -> Any:
        (row,) = await self.rows(select(_progress).where(_progress.c.node_id == self.parts[title]))
        return row

    async def answers(self) -> int:
        return len(await self.rows(select(_answers.c.id)))

    async def question(self, title: str, number: int) -> Any:
        """One of the questions about a part, in the order of the path."""
        wanted = (
            select(_questions)
            .join(_tests, _tests.c.question_id == _questions.c.id)
            .where(_tests.c.node_id == self.parts[title])
            .order_by(_questions.c.creation)
        )
        return (await self.rows(wanted))[number]

    async def learn(self, title: str) -> None:
        """Answer two questions about a part right, without help."""
        for number in range(ANSWERED):
            question = await self.question(title, number)
            given = GivenAnswer(question.id, text=RIGHT)
            await self.assessments.record_answer(question.assessment_id, given, user_id=ME)


async def learn_path(
    database: Database, clock: Clock, source: ItemSource | None = None, *, path: Mapping[str, Any] | None = None
) -> Learner:
    """A learner who has just answered two questions about each part of the path right, in diagnostics that are over."""
    await database.write_tx(_ensure_learner)
    imported = await SqlPathExchange(database).import_path(validate_path(path or a_path()), user_id=ME)
    wanted = select(_nodes.c.title, _nodes.c.id).where(_nodes.c.type == "subconcept", _nodes.c.branch_id == imported.id)
    parts = {row.title: row.id for row in await database.read_tx(lambda connection: connection.execute(wanted).all())}
    reviews = SqlReviews(database, source, now=clock)
    learner = Learner(database, reviews, SqlAssessments(database), clock, imported.id, parts)
    for title in parts:
        await learner.learn(title)
    over = update(table_of(tables.Assessment)).values(completed_at=utc_now())
    await database.write_tx(lambda tx: tx.connection.execute(over))
    clock.moment = utc_now()
    return learner


def _ensure_learner(tx: WriteTransaction) -> None:
    known = tx.connection.execute(select(_users.c.id).where(_users.c.id == ME)).first()
    if known is None:
        tx.session.add(tables.User(id=ME))


class Prepared:
    """An item source with one question about a part."""

    def __init__(self, title: str, draft: QuestionDraft) -> None:
        self._title = title
        self._item = replace(draft, solution=("Count the chairs.", "Two are left."))

    def items(self, topic: str, concept: str, part: str) -> Sequence[QuestionDraft]:
        return (self._item,) if part == self._title else ()


def a_path(*, questions: int = QUESTIONS_OF_PART) -> dict[str, Any]:
    """Five parts in two concepts, with so many questions about each."""
    return {
        "sprout_path": 1,
        "title": "Chances",
        "topic": {"title": "Chances"},
        "concepts": [
            {
                "title": concept,
                "subconcepts": [{"title": part} for part in parts],
                "edges": [{"from": source, "to": target} for source, target in EDGES[concept]],
                "questions": [_question(part, number) for part in parts for number in range(questions)],
            }
            for concept, parts in PARTS.items()
        ],
    }


def _question(part: str, number: int) -> dict[str, Any]:
    return {
        "prompt": f"Of three people, one leaves. How many stay? ({part}, {number})",
        "format": "numeric",
        "difficulty": 3,
        "correct_answer": RIGHT,
        "tests": [part],
    }
