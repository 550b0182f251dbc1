"""How a learner stands with each node of a path: derived from mastery and the graph, never kept (G6)."""

from collections.abc import Collection, Iterable
from enum import StrEnum


class Standing(StrEnum):
    LOCKED = "locked"
    READY = "ready"
    IN_PROGRESS = "in_progress"
    MASTERED = "mastered"
    DUE = "due"


def standings(
    node_ids: Iterable[str],
    edges: Iterable[tuple[str, str]],
    *,
    mastered: Collection[str],
    started: Collection[str],
    due: Collection[str] = (),
) -> dict[str, Standing]:
    """The standing of each node.

    What a learner has begun is never locked again, whatever is put before it later.

    Args:
        edges: prerequisite → what builds on it.
        due: of the mastered ones those that are to be reviewed.
    """
    waiting = {target for source, target in edges if source not in mastered}

    def standing(node_id: str) -> Standing:
        if node_id in mastered:
            return Standing.DUE if node_id in due else Standing.MASTERED
        if node_id in started:
            return Standing.IN_PROGRESS
        return Standing.LOCKED if node_id in waiting else Standing.READY

    return {node_id: standing(node_id) for node_id in node_ids}
