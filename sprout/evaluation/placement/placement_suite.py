"""Placement suite: simulated learners are placed on random graphs and on the graphs of the courses."""

from collections.abc import Sequence
from functools import partial
from random import Random

from sprout.evaluation.data_files import digest
from sprout.evaluation.measures.forecasts import area_under_curve, base_rate_log_loss, calibration_error, log_loss
from sprout.evaluation.placement.simulated_learners import KINDS, course_space, place, random_space
from sprout.evaluation.suite import DataSource, Item, ItemModels, Metric, Record, Suite, forecasts, mean
from sprout.offline.courses.catalogue import courses

NAME = "placement"
ON_RANDOM_GRAPHS, ON_COURSES = 12, 8
RANDOM_GRAPH = "random graph"
SOURCE = "simulated learners of Sprout's own, on random graphs and the built-in courses"
LICENCE = "Apache-2.0, part of Sprout"


def placement_suite() -> Suite:
    graphs = [RANDOM_GRAPH] * ON_RANDOM_GRAPHS
    graphs += [courses()[number % len(courses())].slug for number in range(ON_COURSES)]
    ids = [f"{graph}/{KINDS[number % len(KINDS)]}/{number}" for number, graph in enumerate(graphs)]
    items = [
        Item(id_, partial(_place, id_, graph, KINDS[number % len(KINDS)]))
        for number, (id_, graph) in enumerate(zip(ids, graphs, strict=True))
    ]
    data = DataSource(SOURCE, LICENCE, digest(*ids))
    return Suite(NAME, data, items, placement_metrics(), calls_model=False)


def placement_metrics() -> list[Metric]:
    made = forecasts("belief", "known")
    return [
        Metric(
            "nodes placed right", mean("right"), "higher", "share of a graph's nodes found known or not, as they are"
        ),
        Metric("questions asked", mean("asked"), "lower", "questions as a share of the nodes"),
        Metric("log loss", lambda found: log_loss(made(found)), "lower", "of the beliefs at the end"),
        Metric(
            "log loss of the base rate", lambda found: base_rate_log_loss(made(found)), None, "knowing nothing else"
        ),
        Metric(
            "area under the curve", lambda found: area_under_curve(made(found)), "higher", "of the beliefs at the end"
        ),
        Metric("calibration error", lambda found: calibration_error(made(found)), "lower", "of the beliefs at the end"),
    ]


async def _place(id_: str, graph: str, kind: str, _: ItemModels) -> Sequence[Record]:
    """The outcome of a placement, and the belief about each node."""
    drawn = Random(id_)
    if graph == RANDOM_GRAPH:
        placed = place(drawn, random_space(drawn), kind)
    else:
        course = next(one for one in courses() if one.slug == graph)
        space, items = course_space(course)
        placed = place(drawn, space, kind, items)
    outcome: Record = {"right": placed.right, "asked": placed.asked}
    return [outcome, *({"belief": belief, "known": known} for belief, known in placed.beliefs)]
