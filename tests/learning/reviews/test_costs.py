"""What retention costs: played ahead on a learner's cards."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from sprout.learning.reviews.cards import Card, Review, ReviewGrade, new_card, replay
from sprout.learning.reviews.costs import CHOICES, DAYS_PLAYED, MAX_PLAYED, retention_costs

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


def a_card(random: Random) -> Card:
    """A card with some reviews behind it, each when it was due."""
    learned_at = NOW - timedelta(days=random.randint(40, 400))
    card, reviews = new_card(learned_at), []
    while card.due_at < NOW - timedelta(days=1):
        grade = random.choices(list(ReviewGrade), (1, 2, 6, 1))[0]
        reviews.append(Review(card.due_at, grade))
        card = replay(learned_at, reviews)
    return card


def reviews_a_day(cards: list[Card]) -> list[float]:
    return [one.reviews_per_day for one in retention_costs(cards, NOW, pace_s=30)]


def test_without_cards_nothing_is_due() -> None:
    assert reviews_a_day([]) == [0.0] * len(CHOICES)


@pytest.mark.parametrize("seed", range(5))
def test_from_90_percent_on_more_retention_takes_more_reviews(seed: int) -> None:
    """Below, what is saved may be lost again on what has to come back."""
    random = Random(seed)
    _, low, usual, high = reviews_a_day([a_card(random) for _ in range(60)])
    assert low <= usual < high


def test_a_collection_ten_times_as_large_takes_ten_times_the_reviews() -> None:
    few = [a_card(Random(seed)) for seed in range(MAX_PLAYED)]
    for one, ten in zip(reviews_a_day(few), reviews_a_day([card for card in few for _ in range(10)]), strict=True):
        assert ten == pytest.approx(10 * one, abs=0.5), "a tenth of it is played"


def test_a_card_that_was_reviewed_a_moment_ago_is_not_asked_again_and_again() -> None:
    card = Card(due_at=NOW - timedelta(days=3), seen_at=NOW, stability=1.0, difficulty=5.0)
    assert max(reviews_a_day([card])) < DAYS_PLAYED


def test_minutes_follow_the_learners_pace() -> None:
    cards = [a_card(Random(seed)) for seed in range(50)]
    slow, quick = retention_costs(cards, NOW, pace_s=60), retention_costs(cards, NOW, pace_s=30)
    assert slow[0].minutes_per_day > quick[0].minutes_per_day > 0
