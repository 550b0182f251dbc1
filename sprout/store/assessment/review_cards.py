"""Review cards as rows: made when a part is learned, and always what their stored reviews make them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, exists, insert, select, update

from sprout.ids import new_id
from sprout.learning.reviews.cards import Card, Review, ReviewGrade, new_card, replay
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard, ReviewEntry

_cards, _reviews, _answers = table_of(ReviewCard), table_of(ReviewEntry), table_of(tables.Answer)
_REVIEWED = exists().where(_reviews.c.user_id == _cards.c.user_id, _reviews.c.node_id == _cards.c.node_id)


@dataclass(frozen=True, slots=True)
class StoredReview:
    """A review in the history of a part, with the answer that it came from."""

    review: Review
    answer_id: str | None


def sync_cards(tx: WriteTransaction, learned: Mapping[str, datetime | None], user_id: str) -> None:
    """Make cards for parts that are learned now; one of a part that is not, and was never reviewed, goes.

    A card that was reviewed stays: what was forgotten is due, not gone.

    Args:
        learned: part → when it was learned; None if it is not.
    """
    if not learned:
        return
    tx.flush()
    wanted = select(_cards.c.node_id, _cards.c.learned_at, _REVIEWED.label("reviewed"))
    found = tx.connection.execute(wanted.where(_cards.c.user_id == user_id, _cards.c.node_id.in_(list(learned)))).all()
    stale = [row.node_id for row in found if not row.reviewed and learned[row.node_id] != row.learned_at]
    if stale:
        tx.connection.execute(delete(_cards).where(_cards.c.user_id == user_id, _cards.c.node_id.in_(stale)))
    kept = {row.node_id for row in found} - set(stale)
    new = [
        {"id": new_id(), "user_id": user_id, "node_id": node_id, "learned_at": at, **card_columns(new_card(at))}
        for node_id, at in learned.items()
        if at is not None and node_id not in kept
    ]
    if new:
        tx.connection.execute(insert(_cards), new)


def reschedule(tx: WriteTransaction, node_ids: Collection[str], user_id: str) -> None:
    """Compute the cards of these parts anew from their reviews."""
    tx.flush()
    history = review_histories(tx.connection, node_ids, user_id)
    for node_id, learned_at in learned_times(tx.connection, node_ids, user_id).items():
        card = replay(learned_at, [one.review for one in history.get(node_id, ())])
        changed = update(_cards).where(_cards.c.user_id == user_id, _cards.c.node_id == node_id)
        tx.connection.execute(changed.values(**card_columns(card)))


def drop_reviews_of(tx: WriteTransaction, question_id: str, user_id: str) -> None:
    """Take back the reviews that came from a question's answers, as if it had never been asked."""
    tx.flush()
    answers = select(_answers.c.id).where(_answers.c.question_id == question_id)
    mine = (_reviews.c.user_id == user_id, _reviews.c.answer_id.in_(answers))
    node_ids = tx.connection.execute(select(_reviews.c.node_id).where(*mine).distinct()).scalars().all()
    if node_ids:
        tx.connection.execute(delete(_reviews).where(*mine))
        reschedule(tx, node_ids, user_id)


def learned_times(connection: Connection, node_ids: Collection[str], user_id: str) -> dict[str, datetime]:
    """When each of the parts that have a card was learned."""
    wanted = select(_cards.c.node_id, _cards.c.learned_at)
    wanted = wanted.where(_cards.c.user_id == user_id, _cards.c.node_id.in_(list(node_ids)))
    return {row.node_id: row.learned_at for row in connection.execute(wanted)}


def stored_cards(connection: Connection, node_ids: Collection[str], user_id: str) -> dict[str, Card]:
    """The card of each of the parts that has one."""
    wanted = select(_cards).where(_cards.c.user_id == user_id, _cards.c.node_id.in_(list(node_ids)))
    return {
        row.node_id: Card(row.due_at, row.seen_at, row.stability, row.difficulty) for row in connection.execute(wanted)
    }


def review_histories(
    connection: Connection, node_ids: Collection[str], user_id: str
) -> Mapping[str, Sequence[StoredReview]]:
    """The reviews of each of the parts, in the order in which they were stored."""
    wanted = (
        select(_reviews)
        .where(_reviews.c.user_id == user_id, _reviews.c.node_id.in_(list(node_ids)))
        .order_by(_reviews.c.creation)
    )
    found: dict[str, list[StoredReview]] = defaultdict(list)
    for row in connection.execute(wanted):
        review = Review(row.at, ReviewGrade(row.grade), row.retention, row.is_credit)
        found[row.node_id].append(StoredReview(review, row.answer_id))
    return found


def card_columns(card: Card) -> dict[str, datetime | float | None]:
    """The columns of a card's schedule."""
    return {
        "due_at": card.due_at,
        "seen_at": card.seen_at,
        "stability": card.stability,
        "difficulty": card.difficulty,
    }
