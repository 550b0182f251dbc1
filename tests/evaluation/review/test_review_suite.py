"""Forecasts of recall over review logs (E2)."""

from datetime import UTC, datetime, timedelta
from math import log
from pathlib import Path

import pytest
from fsrs import Card, Rating, Scheduler

from sprout.errors import BadInput
from sprout.evaluation.evaluation import ModelAccess, evaluate
from sprout.evaluation.review.review_log import read_review_log
from sprout.evaluation.review.review_suite import review_suite
from sprout.evaluation.suite import NamedModel
from sprout.loop.model import ChatModel

RATINGS = [3, 3, 1, 2, 4]
DAYS = [0, 4, 12, 1, 6]


def log_loss_by_the_package() -> float:
    """The mean surprise of the reviews, by the fsrs package alone."""
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False, maximum_interval=3650)
    card, at, surprises = Card(card_id=1), datetime(2020, 5, 1, tzinfo=UTC), []
    for number, (rating, days) in enumerate(zip(RATINGS, DAYS, strict=True)):
        at += timedelta(days=days)
        if number:
            recall = scheduler.get_card_retrievability(card, at)
            surprises.append(-log(recall if rating > 1 else 1 - recall))
        card, _ = scheduler.review_card(card, Rating(rating), at)
    return sum(surprises) / len(surprises)


def write_log(folder: Path, *, by_time: bool) -> Path:
    file = folder / "revlog.csv"
    if by_time:
        start_ms = int(datetime(2020, 5, 1, tzinfo=UTC).timestamp() * 1_000)
        moments = [start_ms + 86_400_000 * sum(DAYS[: at + 1]) for at in range(len(DAYS))]
        rows = [f"7,{moment},{rating},1000" for moment, rating in zip(moments, RATINGS, strict=True)]
        file.write_text("\n".join(["card_id,review_time,review_rating,review_duration", *rows[::-1]]) + "\n")
    else:
        rows = [
            f"7,{at + 1},{days or -1},{rating}" for at, (days, rating) in enumerate(zip(DAYS, RATINGS, strict=True))
        ]
        file.write_text("\n".join(["card_id,review_th,delta_t,rating", *rows]) + "\n")
    return file


@pytest.mark.parametrize("by_time", [True, False])
async def test_E2_log_loss_is_that_of_the_fsrs_package(tmp_path: Path, no_model: ChatModel, by_time: bool) -> None:
    suite = review_suite(write_log(tmp_path, by_time=by_time))
    (outcome,) = await evaluate(suite, ModelAccess(NamedModel("none", no_model)))
    (metric,) = [one for one in suite.metrics if one.name == "log loss"]
    assert metric.statistic(outcome.records) == pytest.approx(log_loss_by_the_package(), abs=1e-6)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("card_id,rating\n1,3\n", "no column 'delta_t'"),
        ("card_id,review_time,review_rating\n1,0,5\n", "line 2: 'review_rating' is '5'"),
        ("card_id,review_time,review_rating\n1,-4,3\n", "line 2: 'review_time' is -4"),
        ("card_id,delta_t,rating\n1,nan,3\n", "line 2: 'delta_t' is 'nan'"),
        ("card_id,delta_t,rating\n", "holds no reviews"),
    ],
)
def test_E2_a_broken_review_log_is_refused_by_line(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "log.csv"
    file.write_text(text)
    with pytest.raises(BadInput, match=says):
        read_review_log(file)
