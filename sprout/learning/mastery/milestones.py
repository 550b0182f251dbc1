"""Milestones: when a learner started a node, mastered it, or lost mastery."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sprout.learning.mastery.mastery import Evidence, trace

Reached = Literal["begun", "mastered"]


@dataclass(frozen=True, slots=True)
class Milestone:
    """Milestone of a node: from `at` on it was begun and not mastered, or mastered."""

    node_id: str
    at: datetime
    reached: Reached


def milestones(evidence: Iterable[Evidence], edges: Iterable[tuple[str, str]]) -> list[Milestone]:
    """Every change of what a learner has reached, oldest first; a node without an answer of its own has none.

    Args:
        evidence: in any order, as `mastery` takes it, so that the last turns are what it finds.
        edges: prerequisite → what builds on it.
    """
    found: list[Milestone] = []
    standing: dict[str, Reached] = {}
    for answer, changed in trace(evidence, edges):
        for node_id, known in changed.items():
            reached: Reached = "mastered" if known.mastered else "begun"
            if known.evidence and standing.get(node_id) != reached:
                standing[node_id] = reached
                found.append(Milestone(node_id, answer.at, reached))
    return found
