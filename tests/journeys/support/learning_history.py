"""Twelve weeks of learning as they would be in the database: two paths, their questions, and answers given long ago."""

from datetime import timedelta
from typing import Any

from sqlmodel import col, select, update

from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.paths.path_file import validate_path
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.assessments import GivenAnswer
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.engine.database import Database, open_database
from sprout.store.lessons.memories import SqlMemories
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.schema import tables

MISCONCEPTIONS = (
    "Takes 9% of the sick for 9% of everyone",
    "Forgets the well people who test positive",
    "Expects NULL to equal NULL",
)
CONTRAST = "Of 50 people 4 are sick, and a test finds 9% of everyone. How many is that, and how many are sick?"
MEMORY = "Works at a hospital, and likes examples with patients."
PATHS = {
    "Bayesian reasoning": {
        "Counts of people": ["Turning percentages into counts", "Drawing the splits as a tree", "Reading a tree back"],
        "Base rates": ["The well who test positive", "Rare things stay rare", "Where a base rate comes from"],
        "Evidence": ["How much a test tells", "Two tests that agree", "A test that misses"],
    },
    "SQL from the ground": {
        "Joins": ["Rows that match", "NULL in joins", "A join with itself"],
        "Groups": ["One row for each group", "Sums over a window", "Groups that are empty"],
    },
}
RIGHT, WRONG = "2", "9"
# For each part in turn, the week (from now, backwards) of each answer and what it was.
ANSWER_PATTERNS: list[list[tuple[int, str]]] = [
    [(11, RIGHT), (11, RIGHT), (10, RIGHT)],
    [(10, WRONG), (9, RIGHT), (8, RIGHT), (8, RIGHT)],
    [(9, RIGHT), (8, RIGHT)],
    [(6, RIGHT), (6, RIGHT), (5, RIGHT)],
    [(6, WRONG), (5, WRONG), (3, WRONG)],
    [(5, RIGHT), (4, RIGHT)],
    [(4, RIGHT), (3, WRONG), (2, RIGHT), (1, RIGHT)],
    [(3, RIGHT), (2, WRONG), (1, WRONG)],
    [],
    [(2, RIGHT), (2, RIGHT), (1, RIGHT)],
    [(2, RIGHT), (1, WRONG), (0, WRONG)],
    [],
    [(1, RIGHT), (0, RIGHT)],
    [(1, RIGHT), (1, RIGHT), (0, WRONG), (0, WRONG)],
    [],
]


def a_path(title: str) -> dict[str, Any]:
    """The path with five questions about each of its parts; a wrong answer to one of them tells what was thought."""

    def question(part: str, number: int) -> dict[str, Any]:
        thought = MISCONCEPTIONS[len(part) % 4] if len(part) % 4 < len(MISCONCEPTIONS) else None
        return {
            "prompt": f"Of three people, one leaves. How many stay? ({part}, {number})", "format": "numeric",
            "difficulty": 1, "correct_answer": RIGHT, "tests": [part],
            "misconceptions": [{"option": WRONG, "misconception": thought}] if thought else [],
        }  # fmt: skip

    return {
        "sprout_path": 1, "title": title, "topic": {"title": title},
        "misconceptions": [{"key": MISCONCEPTIONS[0], "statement": MISCONCEPTIONS[0], "contrast": CONTRAST}],
        "concepts": [
            {
                "title": concept, "subconcepts": [{"title": part} for part in parts],
                "questions": [question(part, number) for part in parts for number in range(5)],
            }
            for concept, parts in PATHS[title].items()
        ],
    }  # fmt: skip


async def insert_history(database_url: str) -> None:
    """Fill a database that is empty with all of it; the diagnostics are over, and one thing is remembered."""
    async with open_database(database_url) as database:
        await database.write_tx(lambda write: write.session.add(tables.User(id=DEFAULT_USER_ID)))
        exchange, patterns = SqlPathExchange(database), iter(ANSWER_PATTERNS)
        for title, concepts in PATHS.items():
            await exchange.import_path(validate_path(a_path(title)), user_id=DEFAULT_USER_ID)
            for part in [part for parts in concepts.values() for part in parts]:
                await _answer(database, part, next(patterns))
        over = update(tables.Assessment).values(completed_at=utc_now())
        await database.write_tx(lambda write: write.connection.execute(over))
        await SqlMemories(database, lambda _: None).remember(MEMORY, actor=Actor(DEFAULT_USER_ID))


async def _answer(database: Database, part: str, pattern: list[tuple[int, str]]) -> None:
    """Answer questions about a part, and put each answer into its week; talk goes with it, some minutes later."""
    async with database.open_read_session() as session:
        asked = select(tables.Question).where(col(tables.Question.prompt).contains(f"({part}, "))
        questions = (await session.exec(asked.order_by(col(tables.Question.position)))).all()
    assessments = SqlAssessments(database)
    for place, ((week, text), question) in enumerate(zip(pattern, questions, strict=False)):
        given = GivenAnswer(question.id, text=text)
        answer = await assessments.record_answer(question.assessment_id, given, user_id=DEFAULT_USER_ID)
        now = utc_now()
        day = (place * 2 + len(part)) % (7 if week else now.weekday() + 1)
        at = now - timedelta(weeks=week, days=day, hours=3, minutes=place * 20)
        then = update(tables.Answer).where(col(tables.Answer.id) == answer.id).values(created_at=at)
        await database.write_tx(lambda write, then=then: write.connection.execute(then))  # type: ignore[misc]
        session_id = new_id()
        await database.write_tx(
            lambda write, at=at, session_id=session_id: write.session.add(  # type: ignore[misc]
                tables.ChatSession(id=session_id, user_id=DEFAULT_USER_ID, started_at=at)
            )
        )
        for minutes in range(1, 4 + len(part) % 5):
            message = tables.ChatMessage(
                id=new_id(), session_id=session_id, user_id=DEFAULT_USER_ID, role="user", content="And why?",
                created_at=at + timedelta(minutes=minutes * 6),
            )  # fmt: skip
            await database.write_tx(lambda write, message=message: write.session.add(message))  # type: ignore[misc]
