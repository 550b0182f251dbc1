"""Graph repository: nodes, their children and edges, as agents load and change them."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from sprout.events import EdgeEnds, NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit


class NodeReader(Protocol):
    """Nodes by their ids, of one learner."""

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        """The node. Raises NotFound: there is none, or it is another learner's."""
        ...


class GraphRepository(Protocol):
    """Graphs of concepts and subconcepts, each by the id of its parent node."""

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        """The node. Raises NotFound: there is none, or it is another learner's."""
        ...

    async def children(self, parent_id: str) -> tuple[list[NodeRow], list[EdgeEnds]]:
        """The children in the order of creation, and the edges among them; empty for an unknown parent.

        The caller has checked that the parent is the learner's.
        """
        ...

    async def edit_graph(
        self,
        parent_id: str,
        operation: Callable[[ConceptGraph], Edit],
        *,
        actor: Actor,
        reason: str | None = None,
        evidence: Sequence[str] = (),
        passages: Sequence[str] = (),
    ) -> Edit:
        """Apply a pure operation to the children of a node.

        One transaction with the events, the record of the change and, if the actor names a call, the end of that call.
        Whatever is raised, nothing is written. The operation may be called more than once.

        Raises:
            NotFound: the parent is gone, or it is another learner's.
            InvalidGraphEdit: an agent would remove what the learner has started; a node with parts would go; the
                topic's documents have no such passage.
            Conflict: the actor's call has ended already, the run's epoch is an old one, or a run is active on a node
                that would go.
            RunAlreadyEnded: the actor's run.
            Whatever the operation raises.

        Args:
            evidence: ids of the answers that the change is based on.
            passages: ids of the passages that the edited node teaches from.
        """
        ...

    async def is_generated(self, node_id: str, *, user_id: str) -> bool:
        """Whether the children of this node were generated to the end once; false for an unknown node."""
        ...

    async def mark_generated(self, node_id: str, *, user_id: str) -> None:
        """Note that the children of this node are complete. Idempotent. Raises NotFound."""
        ...

    async def log_generation(
        self,
        node_id: str,
        *,
        trigger: Literal["on_first_enter", "manual_regenerate", "system_refresh"],
        model: str,
        meta: str,
        run_id: str,
    ) -> None:
        """Add an entry to the node's generation log: one for each run, a second one is ignored.

        Raises Conflict: the node is gone.

        Args:
            meta: JSON, stored as it is.
        """
        ...
