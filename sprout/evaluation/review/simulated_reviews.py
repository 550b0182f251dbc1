"""Simulated reviews: cards of learners whose memory fades by a rule of its own, not by the scheduler's."""

from datetime import timedelta
from random import Random

from sprout.evaluation.data_files import digest
from sprout.evaluation.review.review_log import START, ReviewLog
from sprout.evaluation.suite import DataSource
from sprout.learning.reviews.cards import Review, ReviewGrade

CARDS = 150
REVIEWS = (4, 10)
FIRST_STRENGTH_DAYS = (1.0, 8.0)  # drawn per card: the days after which one in ten is forgotten
GAIN = (1.8, 4.0)  # of strength by a review that was recalled
LOSS = 0.3  # of strength by one that was not
PAUSE = (0.3, 4.0)  # as a share of the strength: reviews come early and late
LONGEST_DAYS = 300.0
STRETCH = 0.7  # forgetting slows down with time
SOURCE = "simulated cards of Sprout's own"
LICENCE = "Apache-2.0, part of Sprout"


def simulated_reviews() -> ReviewLog:
    """The log of all simulated cards, the same each time."""
    cards = {f"card {number:03}": _reviews(Random(f"review:{number}")) for number in range(CARDS)}
    written = [f"{card}:{one.at.isoformat()}:{one.grade}" for card, given in cards.items() for one in given]
    return ReviewLog(cards, DataSource(SOURCE, LICENCE, digest(*written)))


def _reviews(drawn: Random) -> list[Review]:
    """One card: what is recalled falls by a stretched exponential, where the scheduler has a power of time."""
    strength, gain = drawn.uniform(*FIRST_STRENGTH_DAYS), drawn.uniform(*GAIN)
    found = [Review(START, ReviewGrade.GOOD)]
    for _ in range(drawn.randint(*REVIEWS)):
        days = min(LONGEST_DAYS, max(1.0, strength * drawn.uniform(*PAUSE)))
        recalled = drawn.random() < 0.9 ** ((days / strength) ** STRETCH)
        grade = drawn.choice((ReviewGrade.HARD, ReviewGrade.GOOD, ReviewGrade.GOOD, ReviewGrade.EASY))
        found.append(Review(found[-1].at + timedelta(days=days), grade if recalled else ReviewGrade.AGAIN))
        strength = strength * gain if recalled else max(1.0, strength * LOSS)
    return found
