"""Minutes of the lessons that are left in a path: for each part, and for each concept over its parts."""

from sprout.events import NodeRow
from sprout.learning.lessons.lesson_history import LessonHistory
from sprout.learning.paths.heading_names import names_headings
from sprout.learning.paths.repository import PathGraph

CHARACTERS_A_MINUTE = 1_100  # some 180 words, as notes are read to be learned
CHARACTERS_A_QUESTION = 1_200  # a step of a minute or two has one
QUESTION_MINUTES = 0.5


def reading_minutes(characters: int) -> float:
    """Minutes of guided reading: the passages themselves, and a question on each step of them, at least one.

    Source of the pace: 238 words a minute for prose in silence, fewer for what is new; Brysbaert, How many words do we
    read per minute?, 2019.
    """
    questions = max(1, round(characters / CHARACTERS_A_QUESTION))
    return characters / CHARACTERS_A_MINUTE + questions * QUESTION_MINUTES


def part_minutes(part: NodeRow, graph: PathGraph, history: LessonHistory) -> int:
    """Minutes that the lesson on a part will still take: of one that reads notes by their length."""
    cited = graph.cited.get(part.id, 0)
    is_read = cited > 0 and names_headings(part.desc or "")
    return history.minutes(part.id, reading=reading_minutes(cited) if is_read else None)


def lesson_minutes(graph: PathGraph, history: LessonHistory) -> dict[str, int]:
    """Node → minutes that its lessons will still take; what is learned, or has no part to learn, is left out."""
    learned = {row.node_id for row in graph.progress if row.completed_at}
    found: dict[str, int] = {}
    for part in graph.nodes:
        if part.type == "subconcept" and part.id not in learned:
            found[part.id] = part_minutes(part, graph, history)
            if part.parent_id is not None:
                found[part.parent_id] = found.get(part.parent_id, 0) + found[part.id]
    return found
