"""A concept graph: siblings under one parent and the edges among them; every edit keeps it a DAG."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sprout.errors import InvalidGraphEdit
from sprout.events import (
    EdgeCreated,
    EdgeEnds,
    EdgeRemoved,
    GraphEvent,
    NodeCreated,
    NodeRemoved,
    NodeRow,
    NodeUpdated,
    wire_time,
)
from sprout.ids import new_id
from sprout.learning.graph.traversal import (
    bridging_pairs,
    components,
    cycles,
    reachable,
    redundant_pairs,
    shortest_path,
)
from sprout.learning.text.normalization import folded, one_line, tidy

MAX_TITLE = 200
MAX_DESC = 4_000
MAX_NAMED_TITLES = 30
CHILD_TYPE: dict[str, Literal["concept", "subconcept"]] = {"root": "concept", "concept": "subconcept"}


def title_key(title: str) -> str:
    """Comparison key of a title among those under one parent: capitals, spaces and Unicode forms do not count."""
    return folded(title)


def _loose_title(title: str) -> str:
    """A title without its signs and the number or letter before it."""
    bare = re.sub(r"^\s*(?:\d{1,2}|[A-Za-z])[.)]\s+", "", title)
    return " ".join(re.sub(r"[^\w\s]", " ", folded(bare)).split())


@dataclass(frozen=True, slots=True)
class Edit:
    """Result of an operation: the graph after it and the events that lead there, none if nothing changed.

    `node` is the node that the operation was about, if any; `created` says whether the operation made it.
    """

    graph: "ConceptGraph"
    events: tuple[GraphEvent, ...] = ()
    node: NodeRow | None = None
    created: bool = False


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """Faults of a graph, by node ids; all empty for a sound one.

    Args:
        cycles: each as the nodes along it.
        orphans: nodes without an edge, where there are several nodes.
        unreachable: nodes to which no way leads from an entry (a node without prerequisites).
        dangling: edges with an end that is not a sibling.
        duplicate: edges that stand twice.
        redundant: edges whose ends are joined by a longer way too.
        duplicate_titles: nodes whose title an earlier one has.
        components: the connected groups of nodes; more than one means that the path is in pieces.
    """

    cycles: tuple[tuple[str, ...], ...] = ()
    orphans: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    dangling: tuple[EdgeEnds, ...] = ()
    duplicate: tuple[EdgeEnds, ...] = ()
    redundant: tuple[EdgeEnds, ...] = ()
    duplicate_titles: tuple[str, ...] = ()
    components: tuple[tuple[str, ...], ...] = ()

    @property
    def broken(self) -> bool:
        """Whether a rule is broken, rather than the shape just being poor."""
        return bool(self.cycles or self.unreachable or self.dangling or self.duplicate or self.duplicate_titles)


@dataclass(frozen=True, slots=True)
class ConceptGraph:
    """The children of `parent` in order of creation, and the edges among them; never changed, only replaced.

    Operations return an Edit and raise InvalidGraphEdit, whose message says what to do instead.
    """

    parent: NodeRow
    nodes: tuple[NodeRow, ...] = ()
    edges: tuple[EdgeEnds, ...] = ()

    def has_title(self, title: str) -> bool:
        return self._find_by_title(title) is not None

    def node(self, node_id: str) -> NodeRow:
        """The child with this id. Raises InvalidGraphEdit."""
        for node in self.nodes:
            if node.id == node_id:
                return node
        raise InvalidGraphEdit(f"{node_id[:80]!r} is not one of the nodes under {_quoted(self.parent)}")

    def find_title(self, title: str) -> NodeRow | None:
        """The child that the title means: the one of this title, else the only one that has it but for quotes and other
        signs, or before its colon."""
        if (exact := self._find_by_title(title)) is not None:
            return exact
        key = _loose_title(title)
        same = [node for node in self.nodes if key and _loose_title(node.title) == key]
        near = same or [node for node in self.nodes if key and _loose_title(node.title.partition(":")[0]) == key]
        return near[0] if len(near) == 1 else None

    def node_by_title(self, title: str) -> NodeRow:
        """The child with this title. Raises InvalidGraphEdit, naming the titles that there are."""
        found = self.find_title(title)
        if found is None:
            raise InvalidGraphEdit(f"There is no '{one_line(title)[:MAX_TITLE]}' here. {self._titles_sentence()}")
        return found

    def prerequisites(self, node_id: str) -> tuple[str, ...]:
        return tuple(edge.source_node_id for edge in self.edges if edge.target_node_id == node_id)

    def dependents(self, node_id: str) -> tuple[str, ...]:
        return tuple(edge.target_node_id for edge in self.edges if edge.source_node_id == node_id)

    def add(self, title: str, desc: str | None, now: datetime, *, reason: str | None = None) -> Edit:
        """A new child; the one that is there already, unchanged, where the title is taken."""
        wanted = _checked_title(title)
        existing = self._find_by_title(wanted)
        if existing is not None:
            return Edit(self, (), existing, created=False)
        node = self._new_node(wanted, _checked_desc(desc), now)
        return self._edit([NodeCreated(node=node, reason=reason)], node, created=True)

    def connect(self, source_id: str, target_id: str, *, reason: str | None = None) -> Edit:
        """An edge from a prerequisite to what builds on it; nothing where it stands already."""
        source, target = self.node(source_id), self.node(target_id)
        if source_id == target_id:
            raise InvalidGraphEdit(f"{_quoted(source)} cannot be its own prerequisite: name two different titles.")
        edge = EdgeEnds(source_node_id=source_id, target_node_id=target_id)
        if edge in self.edges:
            return Edit(self)
        back = shortest_path(self._pairs(), target_id, source_id)
        if back:
            circle = " → ".join(_quoted(self.node(step)) for step in [source_id, *back])
            raise InvalidGraphEdit(
                f"The edge {_quoted(source)} → {_quoted(target)} would close a cycle: {circle}. "
                "Leave it out, or turn it round if the other edges are wrong."
            )
        return self._edit([EdgeCreated(edge=edge, reason=reason)])

    def connect_titles(self, source_title: str, target_title: str, *, reason: str | None = None) -> Edit:
        """`connect`, by titles."""
        return self.connect(self.node_by_title(source_title).id, self.node_by_title(target_title).id, reason=reason)

    def disconnect(self, source_id: str, target_id: str, *, reason: str | None = None) -> Edit:
        """Without this edge; nothing where there is none."""
        if EdgeEnds(source_node_id=source_id, target_node_id=target_id) not in self.edges:
            return Edit(self)
        return self._edit([_edge_removed(source_id, target_id, reason)])

    def insert_before(
        self, node_id: str, title: str, desc: str | None, now: datetime, *, reason: str | None = None
    ) -> Edit:
        """A new prerequisite of a child; what that child built on, the new one now builds on."""
        return self._insert(list(self.prerequisites(self.node(node_id).id)), [node_id], title, desc, now, reason)

    def insert_after(
        self, node_id: str, title: str, desc: str | None, now: datetime, *, reason: str | None = None
    ) -> Edit:
        """A new child that builds on this one; what built on this one now builds on the new one."""
        return self._insert([node_id], list(self.dependents(self.node(node_id).id)), title, desc, now, reason)

    def remove(self, node_id: str, *, reason: str | None = None) -> Edit:
        """Without this child; its prerequisites are joined to its dependents where no other way joins them."""
        node = self.node(node_id)
        touching = [edge for edge in self.edges if node_id in (edge.source_node_id, edge.target_node_id)]
        rest = [pair for pair in self._pairs() if node_id not in pair]
        bridges = bridging_pairs(rest, self.prerequisites(node_id), self.dependents(node_id))
        events: list[GraphEvent] = [
            _edge_removed(edge.source_node_id, edge.target_node_id, reason) for edge in touching
        ]
        events.append(NodeRemoved(node_id=node_id, reason=reason))
        events.extend(_edge_created(source, target, reason) for source, target in bridges)
        return self._edit(events, node)

    def update(
        self,
        node_id: str,
        now: datetime,
        *,
        title: str | None = None,
        desc: str | None = None,
        reason: str | None = None,
    ) -> Edit:
        """A child with another title or description; None leaves it as it is."""
        node = self.node(node_id)
        wanted = node.title if title is None else _checked_title(title)
        owner = self._find_by_title(wanted)
        if owner is not None and owner.id != node_id:
            raise InvalidGraphEdit(f"There already is {_quoted(owner)} here: choose another title.")
        text = node.desc if desc is None else _checked_desc(desc)
        if (wanted, text) == (node.title, node.desc):
            return Edit(self, (), node)
        changed = node.model_copy(update={"title": wanted, "desc": text, "updated_at": wire_time(now)})
        return self._edit([NodeUpdated(node=changed, reason=reason)], changed)

    def validate(self) -> ValidationReport:
        """Everything that is wrong with the graph, also where it was not made by these operations."""
        ids = [node.id for node in self.nodes]
        dangling = tuple(edge for edge in self.edges if not {edge.source_node_id, edge.target_node_id} <= set(ids))
        sound = [pair for pair in self._pairs() if set(pair) <= set(ids)]
        touched = {end for pair in sound for end in pair}
        entries = [node_id for node_id in ids if all(target != node_id for _, target in sound)]
        reached = reachable(sound, entries)
        return ValidationReport(
            cycles=tuple(cycles(ids, sound)),
            orphans=tuple(node_id for node_id in ids if len(ids) > 1 and node_id not in touched),
            unreachable=tuple(node_id for node_id in ids if node_id not in reached),
            dangling=dangling,
            duplicate=tuple(_duplicates(self.edges)),
            redundant=tuple(EdgeEnds(source_node_id=a, target_node_id=b) for a, b in redundant_pairs(sound)),
            duplicate_titles=tuple(self._duplicate_titles()),
            components=tuple(components(ids, sound)),
        )

    def _find_by_title(self, title: str) -> NodeRow | None:
        key = title_key(title)
        return next((node for node in self.nodes if title_key(node.title) == key), None)

    def _pairs(self) -> list[tuple[str, str]]:
        return [(edge.source_node_id, edge.target_node_id) for edge in self.edges]

    def _new_node(self, title: str, desc: str | None, now: datetime) -> NodeRow:
        child_type = CHILD_TYPE.get(self.parent.type)
        if child_type is None:
            raise InvalidGraphEdit(f"Nothing can be added under {_quoted(self.parent)}: it is a {self.parent.type}.")
        moment = wire_time(now)
        return NodeRow(
            id=new_id(),
            user_id=self.parent.user_id,
            type=child_type,
            branch_id=self.parent.branch_id,
            parent_id=self.parent.id,
            title=title,
            desc=desc,
            created_at=moment,
            updated_at=moment,
        )

    def _insert(
        self, before: list[str], after: list[str], title: str, desc: str | None, now: datetime, reason: str | None
    ) -> Edit:
        added = self.add(title, desc, now, reason=reason)
        if added.node is None or not added.created:
            raise InvalidGraphEdit(f"There already is '{_checked_title(title)}' here: connect it with edges instead.")
        replaced = [pair for pair in self._pairs() if pair[0] in before and pair[1] in after]
        events: list[GraphEvent] = [*added.events]
        events.extend(_edge_created(source, added.node.id, reason) for source in before)
        events.extend(_edge_created(added.node.id, target, reason) for target in after)
        events.extend(_edge_removed(source, target, reason) for source, target in replaced)
        return self._edit(events, added.node, created=True)

    def _edit(self, events: Sequence[GraphEvent], node: NodeRow | None = None, *, created: bool = False) -> Edit:
        return Edit(apply(self, events), tuple(events), node, created)

    def _duplicate_titles(self) -> Iterable[str]:
        seen: set[str] = set()
        for node in self.nodes:
            if title_key(node.title) in seen:
                yield node.id
            seen.add(title_key(node.title))

    def _titles_sentence(self) -> str:
        if not self.nodes:
            return "Nothing has been saved yet: save it first."
        named = ", ".join(_quoted(node) for node in self.nodes[:MAX_NAMED_TITLES])
        more = len(self.nodes) - MAX_NAMED_TITLES
        return f"There are: {named}{f' and {more} more' if more > 0 else ''}."


def apply(graph: ConceptGraph, events: Iterable[GraphEvent]) -> ConceptGraph:
    """The graph after these events: what the operations mean, and what a store has to write."""
    nodes = {node.id: node for node in graph.nodes}
    edges = dict.fromkeys(graph.edges)
    for event in events:
        match event:
            case NodeCreated(node=node) | NodeUpdated(node=node):
                nodes[node.id] = node
            case NodeRemoved(node_id=node_id):
                del nodes[node_id]
            case EdgeCreated(edge=edge):
                edges[edge] = None
            case EdgeRemoved(source_node_id=source, target_node_id=target):
                del edges[EdgeEnds(source_node_id=source, target_node_id=target)]
    return ConceptGraph(graph.parent, tuple(nodes.values()), tuple(edges))


def _checked_title(title: str) -> str:
    text = one_line(title)
    if not title_key(text):
        raise InvalidGraphEdit("The title is empty: give it 2-8 words that say what is understood.")
    if len(text) > MAX_TITLE:
        raise InvalidGraphEdit(f"The title has {len(text)} characters, at most {MAX_TITLE} fit: '{text[:60]}…'")
    return text


def _checked_desc(desc: str | None) -> str | None:
    text = tidy(desc or "")
    if len(text) > MAX_DESC:
        raise InvalidGraphEdit(
            f"The description has {len(text)} characters, at most {MAX_DESC} fit: say it in two sentences."
        )
    return text or None


def _quoted(node: NodeRow) -> str:
    return f"'{node.title}'"


def _edge_created(source: str, target: str, reason: str | None) -> EdgeCreated:
    return EdgeCreated(edge=EdgeEnds(source_node_id=source, target_node_id=target), reason=reason)


def _edge_removed(source: str, target: str, reason: str | None) -> EdgeRemoved:
    return EdgeRemoved(source_node_id=source, target_node_id=target, reason=reason)


def _duplicates(edges: Iterable[EdgeEnds]) -> Iterable[EdgeEnds]:
    seen: set[EdgeEnds] = set()
    for edge in edges:
        if edge in seen:
            yield edge
        seen.add(edge)
