"""Costs of retention: how many reviews a day each choice takes, played ahead on the learner's cards."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sprout.events import Wire
from sprout.learning.reviews.cards import SITTING, Card, Review, ReviewGrade, after_review

CHOICES = (0.8, 0.85, 0.9, 0.95)
DAYS_PLAYED = 90
MAX_PLAYED = 100  # cards; a larger collection is measured on as many of them, evenly picked


class RetentionCost(Wire):
    """What a choice of retention takes, on average: reviews and minutes a day."""

    retention: float
    reviews_per_day: float
    minutes_per_day: float


def retention_costs(cards: Sequence[Card], now: datetime, *, pace_s: float) -> list[RetentionCost]:
    """Each choice with the reviews and minutes that it takes on a day of the next three months, on average.

    A part's next review comes when it is due already; the choice holds from there on. Of all reviews the chosen share
    is recalled; the others come back the same day. Nothing new is learned, and each part is asked for itself.

    Args:
        pace_s: seconds that a review takes the learner.
    """
    played = list(cards)[:: max(1, -(-len(cards) // MAX_PLAYED))]
    scale = len(cards) / len(played) / DAYS_PLAYED if played else 0.0
    costs = []
    for retention in CHOICES:
        reviews = scale * _reviews_of(played, now, retention)
        costs.append(
            RetentionCost(
                retention=retention, reviews_per_day=round(reviews, 1), minutes_per_day=round(reviews * pace_s / 60, 1)
            )
        )
    return costs


def _reviews_of(cards: Sequence[Card], now: datetime, retention: float) -> int:
    """The number of reviews of these cards until the end; one that is missed is asked a second time on its day."""
    end, count, owed = now + timedelta(days=DAYS_PLAYED), 0, 0.0
    for card in cards:
        following = replace(card, due_at=max(now, card.due_at, card.seen_at + SITTING))
        while following.due_at < end:
            owed += 1 - retention
            is_missed = owed >= 1
            owed -= is_missed
            count += 1 + is_missed
            grade = ReviewGrade.AGAIN if is_missed else ReviewGrade.GOOD
            following = after_review(following, Review(following.due_at, grade, retention))
    return count
