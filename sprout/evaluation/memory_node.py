"""Memory node: the one node that an agent works on where there is no path."""

from typing import Literal

from sprout.errors import NotFound
from sprout.events import NodeRow

NODE_ID = "node"
LEARNER = "learner"
_EPOCH = "1970-01-01T00:00:00.000Z"


def memory_node(node_id: str, user_id: str, *, type: Literal["root", "concept"], title: str) -> NodeRow:
    """The node. Raises NotFound: another one is asked for."""
    if (node_id, user_id) != (NODE_ID, LEARNER):
        raise NotFound("node", node_id)
    return NodeRow(
        id=NODE_ID,
        user_id=LEARNER,
        type=type,
        branch_id=None,
        parent_id=None,
        title=title,
        desc=None,
        created_at=_EPOCH,
        updated_at=_EPOCH,
    )
