"""Node states of a path for a learner, derived from what they have learned and the graph, never stored."""

from collections.abc import Collection, Iterable
from enum import StrEnum


class NodeState(StrEnum):
    LOCKED = "locked"
    READY = "ready"
    IN_PROGRESS = "in_progress"
    LEARNED = "learned"
    MASTERED = "mastered"


def node_states(
    node_ids: Iterable[str],
    edges: Iterable[tuple[str, str]],
    *,
    learned: Collection[str],
    mastered: Collection[str],
    started: Collection[str],
    over: Collection[str] = (),
) -> dict[str, NodeState]:
    """The state of each node. A node that was started is never locked again, whatever is inserted before it.

    Args:
        edges: prerequisite → what builds on it.
        learned: of the nodes; it unlocks what follows.
        mastered: of the learned ones.
        over: what unlocks what follows as if it were learned: its lesson came to its end.
    """
    waiting = {target for source, target in edges if source not in learned and source not in over}

    def state_of(node_id: str) -> NodeState:
        if node_id in mastered:
            return NodeState.MASTERED
        if node_id in learned:
            return NodeState.LEARNED
        if node_id in started:
            return NodeState.IN_PROGRESS
        return NodeState.LOCKED if node_id in waiting else NodeState.READY

    return {node_id: state_of(node_id) for node_id in node_ids}
