"""The plant of a path: a leaf for each part that is learned, from the ground up."""

from collections.abc import Collection

from sprout.learning.paths.repository import PathGraph

NEW, MASTERED, DUE = "n", "m", "d"


def plant_leaves(graph: PathGraph, due_parts: Collection[str]) -> str:
    """A letter for each learned part, the one that was learned first at the ground: new, mastered or due."""
    parts = {node.id for node in graph.nodes if node.type == "subconcept"}
    learned = [(row.completed_at, row) for row in graph.progress if row.completed_at and row.node_id in parts]
    return "".join(
        DUE if row.node_id in due_parts else MASTERED if row.mastered_at else NEW
        for _, row in sorted(learned, key=lambda one: one[0])
    )


def part_count(graph: PathGraph) -> int:
    """How many parts there are to learn."""
    return sum(node.type == "subconcept" for node in graph.nodes)
