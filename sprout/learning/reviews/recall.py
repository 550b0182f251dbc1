"""Recall in reviews: how likely it was by the card at the time of each, and whether it came.

Both are derived from the stored reviews, as the cards are, so a review that is taken back leaves no trace here.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sprout.learning.reviews.cards import PASSES, Review, after_review, counts, new_card, retrievability

MIN_REVIEWS = 12  # fewer say nothing: two misses more or less are chance
BEYOND_CHANCE = 2.0  # standard deviations

Finding = Literal["too_few", "as_predicted", "more", "less"]


@dataclass(frozen=True, slots=True)
class Forecast:
    """A review with the probability of recall that its card had just before it, 0..1."""

    at: datetime
    probability: float
    recalled: bool


@dataclass(frozen=True, slots=True)
class Recall:
    """Recall over several reviews.

    Args:
        predicted: how many were expected to be recalled, the sum of their probabilities.
        finding: whether what came differs from it by more than chance would explain.
    """

    reviews: int
    predicted: float
    recalled: int
    finding: Finding


def forecasts(learned_at: datetime, reviews: Iterable[Review]) -> list[Forecast]:
    """Forecasts of a part's reviews.

    The first review of a card has none, since nothing is known of its memory yet; neither has a second answer in the
    same sitting, nor credit, which asked about another part.

    Args:
        reviews: of the part, in the order in which they were stored.
    """
    found, card = [], new_card(learned_at)
    for review in reviews:
        if not (review.is_credit or card.is_new) and counts(card, review.at):
            found.append(Forecast(review.at, retrievability(card, review.at), review.grade in PASSES))
        card = after_review(card, review)
    return found


def compare_recall(made: Sequence[Forecast]) -> Recall:
    """Predicted recall beside actual recall; each review is a coin of its own probability."""
    predicted = math.fsum(one.probability for one in made)
    recalled = sum(one.recalled for one in made)
    chance = math.sqrt(math.fsum(one.probability * (1 - one.probability) for one in made))
    return Recall(len(made), predicted, recalled, _finding(len(made), recalled - predicted, chance))


def _finding(reviews: int, surplus: float, chance: float) -> Finding:
    if reviews < MIN_REVIEWS:
        return "too_few"
    if abs(surplus) <= max(0.5, BEYOND_CHANCE * chance):
        return "as_predicted"
    return "more" if surplus > 0 else "less"
