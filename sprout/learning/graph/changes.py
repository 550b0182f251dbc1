"""Changes of a concept graph, and how to undo each."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sprout.errors import InvalidGraphEdit
from sprout.events import EdgeCreated, EdgeEnds, EdgeRemoved, GraphEvent, NodeCreated, NodeRemoved, NodeRow, NodeUpdated
from sprout.learning.graph.graph import ConceptGraph, Edit, apply, title_key
from sprout.learning.graph.traversal import cycles

MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class GraphRows:
    """Some rows of a graph, in order of creation."""

    nodes: tuple[NodeRow, ...] = ()
    edges: tuple[EdgeEnds, ...] = ()

    @property
    def node_ids(self) -> frozenset[str]:
        return frozenset(node.id for node in self.nodes)

    @property
    def ends(self) -> frozenset[str]:
        """The nodes that the edges join."""
        return frozenset(end for edge in self.edges for end in (edge.source_node_id, edge.target_node_id))


@dataclass(frozen=True, slots=True)
class Change:
    """An edit of the children of `parent_id`: its author, its reason, and the rows that differ before and after.

    Args:
        agent, run_id: the agent that made it, and its run; None for the learner.
        evidence: ids of the answers, questions and nodes that the change is based on.
        undoes: the change that this one undoes, if any; `undone_by` is the reverse.
    """

    id: str
    branch_id: str | None
    parent_id: str
    before: GraphRows
    after: GraphRows
    at: datetime
    agent: str | None = None
    run_id: str | None = None
    reason: str | None = None
    evidence: tuple[str, ...] = ()
    undone_at: datetime | None = None
    undone_by: str | None = None
    undoes: str | None = None

    @property
    def added(self) -> frozenset[str]:
        """Ids of the nodes that it added."""
        return self.after.node_ids - self.before.node_ids

    @property
    def removed(self) -> frozenset[str]:
        """Ids of the nodes that it removed."""
        return self.before.node_ids - self.after.node_ids

    @property
    def summary(self) -> str:
        """The change and its author in one phrase, for people."""
        added = [f"added {_quoted(node)}" for node in self.after.nodes if node.id in self.added]
        removed = [f"removed {_quoted(node)}" for node in self.before.nodes if node.id in self.removed]
        changed = [f"changed {_quoted(node)}" for node in self.after.nodes if node.id not in self.added]
        done = [*added, *removed, *changed]
        more = [f"{len(done) - MAX_NAMED} more"] if len(done) > MAX_NAMED else []
        who = "you" if self.run_id is None else "an agent"
        return f"{who} {', '.join([*done[:MAX_NAMED], *more]) or 'changed what builds on what'}"


class UndoRefused(InvalidGraphEdit):
    """`undo_first` is the id of the change to undo before, if there is one."""

    def __init__(self, message: str, *, code: str, undo_first: str | None = None, **params: str | float) -> None:
        super().__init__(message, code=code, **params)
        self.undo_first = undo_first


def rows_only_in(one: ConceptGraph, other: ConceptGraph) -> GraphRows:
    """The rows of one graph that the other lacks or has differently."""
    nodes, edges = set(other.nodes), set(other.edges)
    return GraphRows(
        tuple(node for node in one.nodes if node not in nodes), tuple(edge for edge in one.edges if edge not in edges)
    )


def effective_changes(changes: Sequence[Change]) -> list[Change]:
    """The changes still in effect, oldest first, without those that were undone and those that undid them.

    Args:
        changes: all under one parent from some change on, oldest first.
    """
    links: dict[str, int] = {}  # length of the chain of undos that ends here
    for change in changes:
        links[change.id] = 1 + links.get(change.undoes or "", 0)
    return [change for change in changes if change.undone_at is None and links[change.id] % 2 == 1]


def undo_edit(
    graph: ConceptGraph, change: Change, *, later: Sequence[Change] = (), started: Collection[str] = frozenset()
) -> Edit:
    """The edit that undoes a change: its rows become exactly what they were, all others stay as they are.

    Only the order of rows may differ: restored ones come last. A node's accuracy stays as it is now.

    Args:
        later: the changes under the same parent that came after it, oldest first.
        started: ids of nodes that the learner has started or finished.

    Raises UndoRefused: a later change touched the same rows, the learner has started what would be
    removed, the result would have a cycle or a duplicate title, or there is nothing left to undo.
    """
    if change.before == change.after:
        raise UndoRefused("This change left the path as it was: there is nothing to undo.", code="undo_nothing")
    _refuse_blocked(change, later)
    _refuse_unrecorded_changes(graph, change)
    _refuse_started(graph, change, started)
    events = _undo_events(graph, change)
    result = apply(graph, events)
    _refuse_duplicate_titles(result)
    _refuse_cycles(result)
    return Edit(result, tuple(events))


def _refuse_blocked(change: Change, later: Sequence[Change]) -> None:
    for other in reversed(effective_changes(later)):
        if _builds_on(other, change):
            raise UndoRefused(
                f"A later change builds on this one: {other.summary}. Undo that first.",
                code="undo_later_first",
                undo_first=other.id,
            )


def _builds_on(other: Change, change: Change) -> bool:
    """Whether both touch a row, or one needs a node that undoing the other removes."""
    return bool(
        _touched_rows(other) & _touched_rows(change)
        or change.added & other.after.ends
        or other.removed & change.before.ends
    )


def _touched_rows(change: Change) -> set[str | EdgeEnds]:
    nodes: Iterable[str | EdgeEnds] = change.before.node_ids | change.after.node_ids
    return {*nodes, *change.before.edges, *change.after.edges}


def _refuse_unrecorded_changes(graph: ConceptGraph, change: Change) -> None:
    """Compare the rows: not every edit is recorded as a change."""
    now = {node.id: (node.title, node.desc) for node in graph.nodes}
    left = {node.id: (node.title, node.desc) for node in change.after.nodes}
    hanging = {edge for edge in graph.edges if {edge.source_node_id, edge.target_node_id} & change.added}
    sound = (
        all(now.get(node_id) == words for node_id, words in left.items())
        and not change.removed & now.keys()
        and set(change.after.edges) <= set(graph.edges)
        and not set(change.before.edges) & set(graph.edges)
        and hanging <= set(change.after.edges)
        and change.before.ends <= (now.keys() - change.added) | change.removed
    )
    if not sound:
        raise UndoRefused(
            "The path is no longer as this change left it, so it cannot be undone: edit it by hand.",
            code="undo_path_differs",
        )


def _refuse_started(graph: ConceptGraph, change: Change, started: Collection[str]) -> None:
    for node in graph.nodes:
        if node.id in change.added and node.id in started:
            raise UndoRefused(
                "You have started '{title}', so it stays. You can delete it yourself, with your work there.",
                code="undo_started",
                title=node.title,
            )


def _refuse_duplicate_titles(graph: ConceptGraph) -> None:
    seen: set[str] = set()
    for node in graph.nodes:
        key = title_key(node.title)
        if key in seen:
            raise UndoRefused(
                "By now something else here is called '{title}': rename that first.",
                code="undo_title_taken",
                title=node.title,
            )
        seen.add(key)


def _refuse_cycles(graph: ConceptGraph) -> None:
    pairs = [(edge.source_node_id, edge.target_node_id) for edge in graph.edges]
    circle = next(cycles([node.id for node in graph.nodes], pairs), None)
    if circle is not None:
        titles = " → ".join(_quoted(graph.node(node_id)) for node_id in (*circle, circle[0]))
        raise UndoRefused(
            "By now this would close a cycle: {titles}. Remove one of its other edges first.",
            code="undo_cycle",
            titles=titles,
        )


def _undo_events(graph: ConceptGraph, change: Change) -> list[GraphEvent]:
    """Ordered so that no row needs a missing one, and no title is duplicate in between."""
    events: list[GraphEvent] = [
        EdgeRemoved(source_node_id=edge.source_node_id, target_node_id=edge.target_node_id)
        for edge in change.after.edges
    ]
    events += [NodeRemoved(node_id=node.id) for node in change.after.nodes if node.id in change.added]
    events += _restored_titles(graph, [node for node in change.before.nodes if node.id not in change.removed])
    events += [NodeCreated(node=node) for node in change.before.nodes if node.id in change.removed]
    events += [EdgeCreated(edge=edge) for edge in change.before.edges]
    return events


def _restored_titles(graph: ConceptGraph, old: Sequence[NodeRow]) -> Iterable[NodeUpdated]:
    """Old titles; nodes that swap titles get their ids as temporary titles first."""
    now = {node.id: node for node in graph.nodes}
    wanted = {title_key(node.title): node.id for node in old}
    for node in old:
        current = now[node.id]
        if wanted.get(title_key(current.title), node.id) != node.id:
            yield NodeUpdated(node=current.model_copy(update={"title": node.id}))
    for node in old:
        back = {"title": node.title, "desc": node.desc, "updated_at": node.updated_at}
        yield NodeUpdated(node=now[node.id].model_copy(update=back))


def _quoted(node: NodeRow) -> str:
    return f"'{node.title}'"
