"""Milestones: when a learner started a node, learned it, mastered it, or lost what was reached."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sprout.learning.mastery.mastery import Claim, Evidence, trace

Reached = Literal["begun", "learned", "mastered"]


@dataclass(frozen=True, slots=True)
class Milestone:
    """Milestone of a node: from `at` on it was begun and no more, learned, or mastered."""

    node_id: str
    at: datetime
    reached: Reached


def stage(*, learned: bool, mastered: bool) -> Reached:
    """Stage that a learner has reached of a node that they have begun."""
    return "mastered" if mastered else "learned" if learned else "begun"


def milestones(evidence: Iterable[Evidence | Claim], edges: Iterable[tuple[str, str]]) -> list[Milestone]:
    """Every change of what a learner has reached, oldest first; a node without an answer or a claim has none.

    Args:
        evidence: in any order, as `mastery` takes it, so that the last turns are what it finds.
        edges: prerequisite → what builds on it.
    """
    found: list[Milestone] = []
    standing: dict[str, Reached] = {}
    for at, changed in trace(evidence, edges):
        for node_id, known in changed.items():
            reached = stage(learned=known.learned, mastered=known.mastered)
            is_begun = known.evidence or known.learned or node_id in standing
            if is_begun and standing.get(node_id) != reached:
                standing[node_id] = reached
                found.append(Milestone(node_id, at, reached))
    return found
