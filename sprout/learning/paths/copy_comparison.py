"""Comparison of a path with a copy of it: what was added since, and what is described differently.

Nothing is ever taken away from a copy: what its source lacks by now, and what its learner has removed, stays as it is.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sprout.events import NodeRow
from sprout.learning.graph.graph import title_key


@dataclass(frozen=True, slots=True)
class Origin:
    """Copy of a node of the source: the node that took it over, and a digest of the description."""

    copy_id: str
    digest: str


@dataclass(frozen=True, slots=True)
class CopyChanges:
    """The changes of a source that its copy lacks.

    Args:
        added: nodes of the source, parents before their children.
        described: nodes of the copy, each with the node of the source whose description has changed.
        found: nodes of the source, by id, whose copies are there already under the same title.
    """

    added: tuple[NodeRow, ...]
    described: tuple[tuple[NodeRow, NodeRow], ...]
    found: Mapping[str, NodeRow]

    @property
    def version(self) -> str:
        """A digest of what is offered, so that what is accepted is what was shown."""
        offered = [f"+{node.id} {node.title}\n{node.desc}" for node in self.added]
        offered += [f"~{copy.id} {node.desc}" for copy, node in self.described]
        return hashlib.sha256("\n".join(offered).encode("utf-8", "replace")).hexdigest()[:32]


def compare_copy(source: Sequence[NodeRow], copy: Sequence[NodeRow], origins: Mapping[str, Origin]) -> CopyChanges:
    """The changes of a source since they were taken over last.

    Args:
        source: its nodes, parents before their children.
        copy: the nodes of the copy, in any order.
        origins: by the ids of the nodes of the source.
    """
    copies = {node.id: node for node in copy}
    by_title = {(node.parent_id, title_key(node.title)): node for node in copy}
    added: dict[str, NodeRow] = {}
    described: list[tuple[NodeRow, NodeRow]] = []
    found: dict[str, NodeRow] = {}
    ids = {node_id: origin.copy_id for node_id, origin in origins.items()}
    for node in source:
        if (origin := origins.get(node.id)) is not None:
            kept = copies.get(origin.copy_id)
            if kept is not None and origin.digest != desc_digest(node) and kept.desc != node.desc:
                described.append((kept, node))
        elif node.parent_id in added:
            added[node.id] = node
        elif (parent_id := ids.get(node.parent_id or "")) in copies:
            same = by_title.get((parent_id, title_key(node.title)))
            if same is None:
                added[node.id] = node
            else:
                found[node.id], ids[node.id] = same, same.id
    return CopyChanges(tuple(added.values()), tuple(described), found)


def desc_digest(node: NodeRow) -> str:
    """A digest of a node's description, by which a later change shows."""
    return hashlib.sha256((node.desc or "").encode("utf-8", "replace")).hexdigest()[:16]
