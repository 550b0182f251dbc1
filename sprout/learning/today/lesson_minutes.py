"""Minutes of the lessons that are left in a path: for each part, and for each concept over its parts."""

from sprout.learning.lessons.lesson_history import LessonHistory
from sprout.learning.paths.repository import PathGraph


def lesson_minutes(graph: PathGraph, history: LessonHistory) -> dict[str, int]:
    """Node → minutes that its lessons will still take; what is learned, or has no part to learn, is left out."""
    learned = {row.node_id for row in graph.progress if row.completed_at}
    found: dict[str, int] = {}
    for part in graph.nodes:
        if part.type == "subconcept" and part.id not in learned:
            found[part.id] = history.minutes(part.id)
            if part.parent_id is not None:
                found[part.parent_id] = found.get(part.parent_id, 0) + found[part.id]
    return found
