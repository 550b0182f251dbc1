"""State of an AG-UI client: the graph of a path as a snapshot, and its changes as JSON Patch."""

from ag_ui.core import Event, StateDeltaEvent, StateSnapshotEvent

from sprout.events import (
    EdgeCreated,
    EdgeEnds,
    EdgeRemoved,
    GraphEvent,
    NodeCreated,
    NodeRemoved,
    NodeRow,
    NodeUpdated,
    Wire,
)
from sprout.learning.paths.repository import PathGraph

Json = dict[str, object]


class ClientState:
    """`{"branch", "nodes", "edges"}` as a client has it: nodes by their id, edges by `<source> <target>`.

    Args:
        graph: None for a run that works on no path.
        seq: the last event whose changes the graph has.
    """

    def __init__(self, graph: PathGraph | None, *, seq: int) -> None:
        self._seq = seq
        self._branch = None if graph is None else _plain(graph.branch)
        self._nodes = {} if graph is None else {node.id: _node(node) for node in graph.nodes}
        edges = [] if graph is None else [_ends(edge.source_node_id, edge.target_node_id) for edge in graph.edges]
        self._edges = {_edge_key(edge): edge for edge in edges}

    def snapshot(self) -> Event:
        """All of it."""
        edges = {key: _plain(edge) for key, edge in self._edges.items()}
        return StateSnapshotEvent(snapshot={"branch": self._branch, "nodes": self._nodes, "edges": edges})

    def change(self, event: GraphEvent, seq: int) -> list[Event]:
        """The change as JSON Patch; nothing for one that the snapshot had."""
        operations = [] if seq <= self._seq else self._operations(event)
        return [StateDeltaEvent.model_validate({"delta": operations})] if operations else []

    def _operations(self, event: GraphEvent) -> list[Json]:
        match event:
            case NodeCreated(node=node) | NodeUpdated(node=node):
                self._nodes[node.id] = _node(node)
                return [{"op": "add", "path": _pointer("nodes", node.id), "value": _node(node)}]
            case NodeRemoved(node_id=node_id):
                gone = [edge for edge in self._edges.values() if node_id in (edge.source_node_id, edge.target_node_id)]
                operations = [one for edge in gone for one in self._drop_edge(edge)]
                known = self._nodes.pop(node_id, None) is not None
                return operations + ([{"op": "remove", "path": _pointer("nodes", node_id)}] if known else [])
            case EdgeCreated(edge=edge):
                self._edges[_edge_key(edge)] = edge
                return [{"op": "add", "path": _pointer("edges", _edge_key(edge)), "value": _plain(edge)}]
            case EdgeRemoved(source_node_id=source, target_node_id=target):
                return self._drop_edge(_ends(source, target))

    def _drop_edge(self, edge: EdgeEnds) -> list[Json]:
        key = _edge_key(edge)
        return [] if self._edges.pop(key, None) is None else [{"op": "remove", "path": _pointer("edges", key)}]


def _ends(source: str, target: str) -> EdgeEnds:
    return EdgeEnds(source_node_id=source, target_node_id=target)


def _edge_key(edge: EdgeEnds) -> str:
    return f"{edge.source_node_id} {edge.target_node_id}"


def _node(node: NodeRow) -> Json:
    """The fields that events of a node have: rows of a graph may have more."""
    return {name: value for name, value in _plain(node).items() if name in _NODE_FIELDS}


def _plain(model: Wire) -> Json:
    dumped: Json = model.model_dump(mode="json")
    return dumped


_NODE_FIELDS = {field.alias or name for name, field in NodeRow.model_fields.items()}


def _pointer(*keys: str) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)
