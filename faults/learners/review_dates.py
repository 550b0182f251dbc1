"""Review dates: the cards of the store beside those of the fsrs package, over random histories."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fsrs import Card as FsrsCard
from fsrs import Rating, Scheduler
from sqlalchemy import delete, insert, select

from faults.core.loop_faults import ProofFigure
from harness.builders import a_concept, a_topic
from harness.database.empty_sqlite import create_empty_database
from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.reviews.cards import MAX_INTERVAL_DAYS, Card, ReviewGrade
from sprout.store.assessment.review_cards import reschedule, stored_cards, sync_cards
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard, ReviewEntry

HISTORIES = 10_000
BATCH = 100  # histories in one transaction
LONGEST = 12  # reviews
LONGEST_PAUSE_DAYS = 200
TOLERANCE = 1e-6
RETENTIONS = (0.8, 0.85, 0.9, 0.95)
RATINGS = {"again": Rating.Again, "hard": Rating.Hard, "good": Rating.Good, "easy": Rating.Easy}

_reviews, _cards = table_of(ReviewEntry), table_of(ReviewCard)


@dataclass(frozen=True, slots=True)
class Parity:
    """Distance of the stored cards from the package's: wrong dates, and the largest differences."""

    reviews: int = 0
    wrong_dates: int = 0
    stability: float = 0.0
    difficulty: float = 0.0


async def compare_with_package(
    database: Database, node_id: str, *, histories: int, seed: int, user_id: str = DEFAULT_USER_ID
) -> Parity:
    """Store random histories of a part that has a card, one after the other; its cards beside the package's."""
    drawn, found = Random(seed), Parity()
    learned = select(_cards.c.learned_at).where(_cards.c.node_id == node_id)
    learned_at = await database.read_tx(lambda connection: connection.execute(learned).scalar_one())
    made = [_history(drawn, node_id, user_id, learned_at) for _ in range(histories)]
    for start in range(0, histories, BATCH):
        batch = made[start : start + BATCH]
        stored = await database.write_tx(
            lambda tx, batch=batch: [_store(tx, node_id, user_id, rows) for rows, _ in batch]  # type: ignore[misc]
        )
        for (rows, theirs), mine in zip(batch, stored, strict=True):
            found = Parity(
                found.reviews + len(rows),
                found.wrong_dates + ((mine.due_at, mine.seen_at) != (theirs.due, theirs.last_review)),
                max(found.stability, abs((mine.stability or 0) - (theirs.stability or 0))),
                max(found.difficulty, abs((mine.difficulty or 0) - (theirs.difficulty or 0))),
            )
    return found


async def reviews(count: int = HISTORIES, seed: int = 1) -> list[ProofFigure]:
    """Random histories of reviews, stored, and the dates that the fsrs package gives for them."""
    async with _a_learned_part() as (database, node_id):
        found = await compare_with_package(database, node_id, histories=count, seed=seed)
    return [
        ProofFigure("reviews", "histories, reviews", f"{count:,}, {found.reviews:,}"),
        ProofFigure("reviews", "dates that differ from the package's", f"{found.wrong_dates}", found.wrong_dates == 0),
        ProofFigure(
            "reviews",
            "largest difference of stability, of difficulty",
            f"{found.stability:.1e}, {found.difficulty:.1e}",
            max(found.stability, found.difficulty) <= TOLERANCE,
        ),
    ]


def _history(
    drawn: Random, node_id: str, user_id: str, learned_at: datetime
) -> tuple[list[dict[str, object]], FsrsCard]:
    """The rows of a history, and the card that the package makes of it."""
    retention = drawn.choice(RETENTIONS)
    scheduler = Scheduler(
        desired_retention=retention,
        learning_steps=(),
        relearning_steps=(),
        enable_fuzzing=False,
        maximum_interval=MAX_INTERVAL_DAYS,
    )
    at, card, rows = learned_at.astimezone(UTC), FsrsCard(card_id=1), []
    for _ in range(drawn.randint(1, LONGEST)):
        at += timedelta(days=1, seconds=drawn.randint(0, LONGEST_PAUSE_DAYS * 86_400))
        grade = drawn.choice(list(ReviewGrade))
        card, _ = scheduler.review_card(card, RATINGS[grade], at)
        row = {"id": new_id(), "user_id": user_id, "node_id": node_id, "at": at, "grade": grade.value}
        rows.append({**row, "retention": retention, "is_credit": False})
    return rows, card


def _store(tx: WriteTransaction, node_id: str, user_id: str, rows: list[dict[str, object]]) -> Card:
    """Replace the reviews of the part; its card as it is stored then."""
    tx.connection.execute(delete(_reviews).where(_reviews.c.node_id == node_id))
    tx.connection.execute(insert(_reviews), rows)
    reschedule(tx, [node_id], user_id)
    return stored_cards(tx.connection, [node_id], user_id)[node_id]


@asynccontextmanager
async def _a_learned_part() -> AsyncIterator[tuple[Database, str]]:
    """A database of its own, and a part in it that was just learned."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        async with open_database(create_empty_database(folder)) as database:
            paths = SqlPaths(database, lambda _: None, storage=LocalStorage(folder))
            concept = await a_concept(paths, await a_topic(paths), "Leaves")
            graphs = SqlPathRepository(database, lambda _: None, split=lambda *_: [])
            actor = Actor(DEFAULT_USER_ID)
            await graphs.edit_graph(concept.id, lambda graph: graph.add("Light", None, utc_now()), actor=actor)
            (part,), _ = await graphs.children(concept.id)
            await database.write_tx(lambda tx: sync_cards(tx, {part.id: utc_now()}, DEFAULT_USER_ID))
            yield database, part.id


PROOFS = {"reviews": reviews}
