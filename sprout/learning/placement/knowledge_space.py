"""Knowledge space of a path: the smallest things that are learned, and what each of them rests on."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sprout.events import NodeRow


class Placed(StrEnum):
    """Where a learner stands with a node: it is known, can be learned now, or comes later."""

    KNOWN = "known"
    READY = "ready"
    LATER = "later"


@dataclass(frozen=True, slots=True)
class KnowledgeSpace:
    """The parts of a path, and its concepts that have none yet, with the edges among them.

    Args:
        edges: prerequisite → what builds on it. The first parts of a concept rest on the last ones of the concepts
            before it.
    """

    node_ids: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    needs: Mapping[str, Sequence[str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        needs: dict[str, list[str]] = {node_id: [] for node_id in self.node_ids}
        for source, target in self.edges:
            needs[target].append(source)
        object.__setattr__(self, "needs", needs)

    def under(self, node_ids: Iterable[str]) -> set[str]:
        """Everything that the nodes rest on, without themselves unless they rest on each other."""
        found: set[str] = set()
        rest = list(node_ids)
        while rest:
            fresh = [need for need in self.needs[rest.pop()] if need not in found]
            found.update(fresh)
            rest += fresh
        return found

    def placed(self, known: Collection[str]) -> dict[str, Placed]:
        """The standing of each node, given those that they know."""

        def of(node_id: str) -> Placed:
            if node_id in known:
                return Placed.KNOWN
            return Placed.READY if all(need in known for need in self.needs[node_id]) else Placed.LATER

        return {node_id: of(node_id) for node_id in self.node_ids}


def knowledge_space(nodes: Sequence[NodeRow], edges: Iterable[tuple[str, str]]) -> KnowledgeSpace:
    """The knowledge space of a path's nodes.

    Args:
        edges: prerequisite → what builds on it, among the concepts and among the parts of each.
    """
    parts: dict[str, list[str]] = {node.id: [] for node in nodes if node.type == "concept"}
    for node in nodes:
        if node.type == "subconcept" and node.parent_id in parts:
            parts[node.parent_id].append(node.id)
    units = tuple(unit for concept, own in parts.items() for unit in own or [concept])
    pairs = list(edges)
    sources, targets = {source for source, _ in pairs}, {target for _, target in pairs}
    joined: list[tuple[str, str]] = []
    for before, after in pairs:
        if before in parts and after in parts:
            last = [unit for unit in parts[before] if unit not in sources] or [before]
            first = [unit for unit in parts[after] if unit not in targets] or [after]
            joined += [(one, other) for one in last for other in first]
        elif before in units and after in units:
            joined.append((before, after))
    return KnowledgeSpace(units, tuple(joined))
