"""How mastery came about: the moments at which a learner began a node, mastered it, or lost it again."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sprout.learning.mastery.mastery import Evidence, course

Reached = Literal["begun", "mastered"]


@dataclass(frozen=True, slots=True)
class Turn:
    """From `at` on the node was begun and not mastered, or mastered."""

    node_id: str
    at: datetime
    reached: Reached


def turns(evidence: Iterable[Evidence], edges: Iterable[tuple[str, str]]) -> list[Turn]:
    """Every change of what a learner has reached, oldest first; a node without an answer of its own has none.

    Args:
        evidence: in any order, as `mastery` takes it, so that the last turns are what it finds.
        edges: prerequisite → what builds on it.
    """
    found: list[Turn] = []
    standing: dict[str, Reached] = {}
    for answer, changed in course(evidence, edges):
        for node_id, known in changed.items():
            reached: Reached = "mastered" if known.mastered else "begun"
            if known.evidence and standing.get(node_id) != reached:
                standing[node_id] = reached
                found.append(Turn(node_id, answer.at, reached))
    return found
