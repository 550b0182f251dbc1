"""Prompt elements for nodes and passages, fenced."""

from collections.abc import Iterable

from sprout.agents.fences import fenced, wrapped
from sprout.events import NodeRow
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE
from sprout.learning.paths.passages import Passage


def node_element(node: NodeRow, tag: str = "concept") -> str:
    """A node with its title and description."""
    return wrapped(tag, fenced("title", node.title, limit=MAX_TITLE), fenced("desc", node.desc or "", limit=MAX_DESC))


def passage_elements(passages: Iterable[Passage], *, limit: int, with_ids: bool = True) -> str:
    """One element for each passage, on lines of their own; the ids are what an agent cites."""
    return "\n".join(
        fenced(
            "passage",
            one.text,
            limit=limit,
            **({"id": one.id} if with_ids else {}),
            doc=one.document,
            heading=one.heading or "",
        )
        for one in passages
    )
