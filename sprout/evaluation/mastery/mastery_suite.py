"""Mastery suite: how well knowledge tracing foretells the next answers of a response log."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sprout.evaluation.mastery.response_log import Response, read_assistments
from sprout.evaluation.mastery.simulated_responses import simulated_responses
from sprout.evaluation.mastery.tracing import predictions
from sprout.evaluation.measures.forecasts import (
    area_under_curve,
    base_rate_log_loss,
    calibration_error,
    log_loss,
    root_mean_square_error,
)
from sprout.evaluation.suite import Item, ItemModels, Metric, Record, Suite, forecasts

NAME = "mastery"


def mastery_suite(path: Path | None) -> Suite:
    """The suite over a log of ASSISTments, or over simulated learners. Raises BadInput, SetupError."""
    log = simulated_responses() if path is None else read_assistments(path)
    items = [Item(learner, partial(_trace, responses)) for learner, responses in log.learners.items()]
    return Suite(NAME, log.source, items, mastery_metrics(), calls_model=False)


def mastery_metrics() -> list[Metric]:
    mine, plain = forecasts("sprout", "right"), forecasts("plain", "right")
    return [
        Metric("log loss", lambda found: log_loss(mine(found)), "lower", "of the next answer, before it"),
        Metric("log loss of plain tracing", lambda found: log_loss(plain(found)), None, "by the rule of 1995"),
        Metric(
            "log loss of the base rate", lambda found: base_rate_log_loss(mine(found)), None, "knowing nothing else"
        ),
        Metric("area under the curve", lambda found: area_under_curve(mine(found)), "higher", "0.5 is chance"),
        Metric(
            "root mean square error", lambda found: root_mean_square_error(mine(found)), "lower", "of the forecasts"
        ),
        Metric("calibration error", lambda found: calibration_error(mine(found)), "lower", "of the forecasts"),
    ]


async def _trace(responses: Sequence[Response], _: ItemModels) -> Sequence[Record]:
    return [
        {"sprout": one.sprout, "plain": one.plain, "right": one.right, "number": one.number}
        for one in predictions(responses)
    ]
