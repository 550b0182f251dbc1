"""Invariants of stored reviews, whatever happened: no answer lost or counted twice, each card made by its reviews."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from sprout.learning.reviews.cards import Card, replay
from sprout.store.assessment.review_cards import review_histories
from sprout.store.reviews.due import card_of
from sprout.store.reviews.settings import days_of, settings_of
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard, ReviewEntry, ReviewItem, ReviewSessionRow

_cards, _reviews, _items = table_of(ReviewCard), table_of(ReviewEntry), table_of(ReviewItem)
_sessions, _nodes, _progress = table_of(ReviewSessionRow), table_of(tables.Node), table_of(tables.Progress)


def review_faults(connection: Connection, user_id: str) -> Iterator[str]:
    """Violations of the rules of reviews in a learner's rows, a sentence each."""
    titles = {row.id: row.title for row in connection.execute(select(_nodes.c.id, _nodes.c.title))}
    cards = stored(connection, user_id)
    yield from _card_faults(connection, user_id, cards, titles)
    yield from _answer_faults(connection, user_id, titles)
    learned = select(_progress.c.node_id).join(_nodes, _nodes.c.id == _progress.c.node_id)
    learned = learned.where(_nodes.c.type == "subconcept", _progress.c.completed_at.is_not(None))
    for node_id in connection.execute(learned.where(_progress.c.user_id == user_id)).scalars():
        if node_id not in cards:
            yield f"{titles[node_id]!r} is learned and has no card"


def stored(connection: Connection, user_id: str) -> dict[str, Card]:
    """Part → its card."""
    wanted = select(_cards).where(_cards.c.user_id == user_id)
    return {row.node_id: card_of(row) for row in connection.execute(wanted)}


def available(connection: Connection, user_id: str, now: datetime) -> set[str]:
    """The parts that may be reviewed at a time: their day has come, and their last sitting is over."""
    days = days_of(settings_of(connection, user_id))
    return {node_id for node_id, card in stored(connection, user_id).items() if days.available_from(card) <= now}


def reviewed(connection: Connection, user_id: str) -> Counter[str]:
    """Part → how many reviews of it are stored, its own and credits."""
    wanted = select(_reviews.c.node_id).where(_reviews.c.user_id == user_id)
    return Counter(connection.execute(wanted).scalars())


def history_by_title(connection: Connection, user_id: str) -> dict[str, tuple[Any, ...]]:
    """Title of each part → its card and its reviews, free of ids: the same of two learners who did the same."""
    titles = {row.id: row.title for row in connection.execute(select(_nodes.c.id, _nodes.c.title))}
    cards = stored(connection, user_id)
    histories = review_histories(connection, list(cards), user_id)
    return {
        titles[node_id]: (card, [one.review for one in histories.get(node_id, ())]) for node_id, card in cards.items()
    }


def _card_faults(connection: Connection, user_id: str, cards: dict[str, Card], titles: dict[str, str]) -> Iterator[str]:
    learned = select(_cards.c.node_id, _cards.c.learned_at).where(_cards.c.user_id == user_id)
    histories = review_histories(connection, list(cards), user_id)
    for row in connection.execute(learned):
        made = replay(row.learned_at, [one.review for one in histories.get(row.node_id, ())])
        if made != cards[row.node_id]:
            yield f"the card of {titles[row.node_id]!r} is not what its reviews make it: {cards[row.node_id]}, {made}"


def _answer_faults(connection: Connection, user_id: str, titles: dict[str, str]) -> Iterator[str]:
    """Each answered item has one review of its own, and no review is of two items or of none.

    An item of a removed part has none as long as the part is away.
    """
    own = select(_reviews.c.answer_id).where(_reviews.c.user_id == user_id, ~_reviews.c.is_credit)
    counted = Counter(connection.execute(own.where(_reviews.c.answer_id.is_not(None))).scalars())
    answered = (
        select(_items.c.answer_id, _items.c.node_id)
        .join(_sessions, _sessions.c.id == _items.c.session_id)
        .where(_sessions.c.user_id == user_id, _items.c.state == "answered")
    )
    for row in connection.execute(answered):
        if counted.pop(row.answer_id, 0) != 1 and row.node_id is not None:
            yield f"an answer about {titles[row.node_id]!r} is not one review"
    yield from (f"a review is of no answered item, or of two: {answer_id}" for answer_id in counted)
