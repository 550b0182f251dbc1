"""Review suite: how well the scheduler foretells which reviews of a log were recalled."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sprout.evaluation.measures.forecasts import (
    area_under_curve,
    base_rate_log_loss,
    calibration_error,
    log_loss,
    root_mean_square_error,
)
from sprout.evaluation.review.review_log import read_review_log
from sprout.evaluation.review.simulated_reviews import simulated_reviews
from sprout.evaluation.suite import Item, ItemModels, Metric, Record, Suite, forecasts, mean
from sprout.learning.mastery.mastery import MASTERED_AFTER
from sprout.learning.reviews.cards import Review
from sprout.learning.reviews.recall import forecasts as recall_forecasts

NAME = "review"


def review_suite(path: Path | None) -> Suite:
    """The suite over a review log, or over simulated cards. Raises BadInput, SetupError."""
    log = simulated_reviews() if path is None else read_review_log(path)
    items = [Item(card, partial(_forecast, reviews)) for card, reviews in log.cards.items()]
    return Suite(NAME, log.source, items, review_metrics(), calls_model=False)


def review_metrics() -> list[Metric]:
    made = forecasts("probability", "recalled")
    return [
        Metric("log loss", lambda found: log_loss(made(found)), "lower", "of recall, before each review"),
        Metric(
            "log loss of the base rate", lambda found: base_rate_log_loss(made(found)), None, "knowing nothing else"
        ),
        Metric("area under the curve", lambda found: area_under_curve(made(found)), "higher", "0.5 is chance"),
        Metric(
            "root mean square error", lambda found: root_mean_square_error(made(found)), "lower", "of the forecasts"
        ),
        Metric("calibration error", lambda found: calibration_error(made(found)), "lower", "of the forecasts"),
        Metric("foretold recall", mean("probability"), None, "mean of the forecasts"),
        Metric("recall", mean("recalled"), None, "share of the reviews that were recalled"),
    ]


async def _forecast(reviews: Sequence[Review], _: ItemModels) -> Sequence[Record]:
    """Forecasts of all reviews but the first, before which nothing is known; a second one in a sitting has none."""
    learned_at = reviews[0].at - MASTERED_AFTER  # so that the first review counts
    made = recall_forecasts(learned_at, reviews)
    return [{"probability": one.probability, "recalled": one.recalled} for one in made]
