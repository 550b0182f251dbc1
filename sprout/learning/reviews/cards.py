"""Review cards: when each learned part is due again, by FSRS-6 over its graded reviews.

The `fsrs` package is the only scheduler; what is decided here is which answers it is given. A card's whole history is
its reviews, so its state can always be computed again from them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache

from fsrs import Card as FsrsCard
from fsrs import Rating, Scheduler, State

from sprout.learning.mastery.mastery import MASTERED_AFTER

SITTING = timedelta(days=1)  # a second answer within it is practice: it moves no date
DEFAULT_RETENTION = 0.9
MIN_RETENTION, MAX_RETENTION = 0.8, 0.95
MAX_INTERVAL_DAYS = 3650


class ReviewGrade(StrEnum):
    """Grade of a review: how well a part was recalled. Hard is a pass."""

    AGAIN = "again"
    HARD = "hard"
    GOOD = "good"
    EASY = "easy"


PASSES = frozenset({ReviewGrade.HARD, ReviewGrade.GOOD, ReviewGrade.EASY})

_RATINGS = {
    ReviewGrade.AGAIN: Rating.Again,
    ReviewGrade.HARD: Rating.Hard,
    ReviewGrade.GOOD: Rating.Good,
    ReviewGrade.EASY: Rating.Easy,
}


@dataclass(frozen=True, slots=True)
class Review:
    """A graded review of a part.

    Args:
        retention: the probability of recall at which it shall come back, 0.8 to 0.95, as it was set then.
        is_credit: whether the answer was about a part that builds on this one.
    """

    at: datetime
    grade: ReviewGrade
    retention: float = DEFAULT_RETENTION
    is_credit: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """The schedule of a learned part.

    Args:
        seen_at: the last review that counted; before the first one, the time at which it was learned.
        stability: the days after which recall has fallen to 90 %; None before the first review, as is `difficulty`.
        difficulty: 1..10.
    """

    due_at: datetime
    seen_at: datetime
    stability: float | None = None
    difficulty: float | None = None

    @property
    def is_new(self) -> bool:
        """Whether it was never reviewed."""
        return self.stability is None


def new_card(learned_at: datetime) -> Card:
    """The card of a part that has just been learned: due when one right answer can master it."""
    return Card(due_at=learned_at + MASTERED_AFTER, seen_at=learned_at)


def replay(learned_at: datetime, reviews: Iterable[Review]) -> Card:
    """The card after these reviews, in the order in which they were stored."""
    card = new_card(learned_at)
    for review in reviews:
        card = after_review(card, review)
    return card


def after_review(card: Card, review: Review) -> Card:
    """The card one review later; unchanged by one in the same sitting, or at a time before it.

    Credit is a review at a discount: the stability and date of a hard one, which never shortens an interval, and the
    difficulty left alone, since this part was not asked. A card that was never reviewed gets none: its own answer
    masters it. It is the simplest form of implicit repetition in a graph of prerequisites (Skycak, "The Math Academy
    Way", chapter on fractional implicit repetition), without fractions: FSRS discounts what comes early by itself.
    """
    if not (takes_credit(card, review.at) if review.is_credit else counts(card, review.at)):
        return card
    scheduled, _ = _scheduler(review.retention).review_card(_fsrs_card(card), _RATINGS[review.grade], _utc(review.at))
    reviewed = Card(scheduled.due, _utc(review.at), scheduled.stability, scheduled.difficulty)
    if not review.is_credit:
        return reviewed
    return replace(reviewed, due_at=max(card.due_at, reviewed.due_at), difficulty=card.difficulty)


def counts(card: Card, at: datetime) -> bool:
    """Whether an answer at that time is another sitting than the last, so that it moves the date."""
    return at - card.seen_at >= SITTING


def takes_credit(card: Card, at: datetime) -> bool:
    """Whether a good answer at that time about what builds on the part moves its date."""
    return not card.is_new and counts(card, at)


def due_dates(card: Card, at: datetime, retention: float) -> Mapping[ReviewGrade, datetime]:
    """The next due moment of the part after each grade given at that time."""
    return {grade: after_review(card, Review(at, grade, retention)).due_at for grade in ReviewGrade}


def retrievability(card: Card, at: datetime) -> float:
    """The probability that the part is recalled, 0..1; 0 before its first review, so that this comes first."""
    return float(_scheduler(DEFAULT_RETENTION).get_card_retrievability(_fsrs_card(card), _utc(at)))


@cache
def _scheduler(retention: float) -> Scheduler:
    """Without steps of minutes, which are for words seen for the first time; without chance, so that it repeats."""
    return Scheduler(
        desired_retention=retention,
        learning_steps=(),
        relearning_steps=(),
        maximum_interval=MAX_INTERVAL_DAYS,
        enable_fuzzing=False,
    )


def _fsrs_card(card: Card) -> FsrsCard:
    """The card as the package has it; the id, which is the time by default, costs a sleep."""
    if card.is_new:
        return FsrsCard(card_id=0, due=_utc(card.due_at))
    return FsrsCard(
        card_id=0,
        state=State.Review,
        stability=card.stability,
        difficulty=card.difficulty,
        due=_utc(card.due_at),
        last_review=_utc(card.seen_at),
    )


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
