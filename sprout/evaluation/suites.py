"""Suites by name: how each is made from the data that a user gives, and its metrics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sprout.errors import BadInput
from sprout.evaluation.dialogue.dialogue_suite import dialogue_metrics, dialogue_suite
from sprout.evaluation.graph.graph_suite import graph_metrics, graph_suite
from sprout.evaluation.items.items_suite import items_metrics, items_suite
from sprout.evaluation.leaks.leaks_suite import leaks_metrics, leaks_suite
from sprout.evaluation.marking.formats.detection import read_answers
from sprout.evaluation.marking.marking_suite import marking_metrics, marking_suite
from sprout.evaluation.mastery.mastery_suite import mastery_metrics, mastery_suite
from sprout.evaluation.placement.placement_suite import placement_metrics, placement_suite
from sprout.evaluation.review.review_suite import review_metrics, review_suite
from sprout.evaluation.suite import Metric, Suite


@dataclass(frozen=True, slots=True)
class SuiteKind:
    """Recipe of a suite.

    Args:
        says: what it measures, for people.
        make: from the path of the data, or None for the data that are shipped.
    """

    says: str
    make: Callable[[Path | None], Suite]
    metrics: Callable[[], Sequence[Metric]]


def _placement(path: Path | None) -> Suite:
    if path is not None:
        raise BadInput("The placement suite simulates its learners: it takes no data.")
    return placement_suite()


SUITES: Mapping[str, SuiteKind] = {
    "marking": SuiteKind(
        "marks of typed answers beside a person's", lambda path: marking_suite(read_answers(path)), marking_metrics
    ),
    "dialogue": SuiteKind("lessons of scripted learners, judged by a rubric", dialogue_suite, dialogue_metrics),
    "items": SuiteKind("questions solved blind, guessed and looked at for flaws", items_suite, items_metrics),
    "graph": SuiteKind("edges of paths beside those of an expert, and notes taken up", graph_suite, graph_metrics),
    "leaks": SuiteKind("lessons with learners who want the answer", leaks_suite, leaks_metrics),
    "placement": SuiteKind("placements of simulated learners", _placement, placement_metrics),
    "mastery": SuiteKind("forecasts of the next answer by knowledge tracing", mastery_suite, mastery_metrics),
    "review": SuiteKind("forecasts of recall by the review scheduler", review_suite, review_metrics),
}
