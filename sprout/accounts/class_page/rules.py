"""Rules of the class page: who is stuck, what is in doubt, and in which order learners stand."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sprout.accounts.class_page.progress import LearnerProgress, Outcome
from sprout.learning.graph.node_states import NodeState, node_states
from sprout.learning.mastery.knowledge_tracing import NEUTRAL_SCORE
from sprout.learning.mastery.mastery import RIGHT_FROM, RIGHT_TO_LEARN

LOOKED_AT, MISSES = 3, 2


class ConceptStanding(NamedTuple):
    """A learner's progress on a concept of their copy; a tuple, since a page has thousands.

    Args:
        answers: that were marked, about any of its parts.
        mastery: 0..1.
    """

    node_id: str
    learned: bool
    mastered: bool
    answers: int
    mastery: float

    @property
    def is_begun(self) -> bool:
        return self.answers > 0 or self.mastery > 0

    @property
    def is_unsure(self) -> bool:
        """Whether what is said of it rests on fewer answers than it takes to learn one part."""
        return (self.learned or self.is_begun) and self.answers < RIGHT_TO_LEARN


def is_stuck(scores: Sequence[float], *, learned: bool) -> bool:
    """Whether two of the last three answers were missed, with or without help, and the concept is not learned.

    Args:
        scores: of the marked answers about it, newest first, 0..1.
    """
    return not learned and sum(score < NEUTRAL_SCORE for score in scores[:LOOKED_AT]) >= MISSES


def outcome_of(score: float | None) -> Outcome:
    """The outcome of an answer with this score; None: it was not marked."""
    if score is None:
        return "unmarked"
    if score >= RIGHT_FROM:
        return "right"
    return "wrong" if score < NEUTRAL_SCORE else "partly"


def copy_states(
    concepts: Iterable[ConceptStanding],
    edges: Iterable[tuple[str, str]],
    *,
    left: Collection[str] = (),
    over: Collection[str] = (),
) -> dict[str, NodeState]:
    """The states of the concepts of a copy, as its learner's page shows them.

    Args:
        edges: prerequisite → what builds on it.
        left: concepts with a part whose lesson was begun and left.
        over: concepts of which every part is learned, or its lesson came to its end.
    """
    by_id = {one.node_id: one for one in concepts}
    return node_states(
        by_id,
        edges,
        learned={node_id for node_id, one in by_id.items() if one.learned},
        mastered={node_id for node_id, one in by_id.items() if one.learned and one.mastered},
        started={node_id for node_id, one in by_id.items() if one.is_begun} | {*left},
        over=over,
    )


def in_order(learners: Iterable[LearnerProgress]) -> list[LearnerProgress]:
    """The learners, those who are stuck at most concepts first, then by name."""
    return sorted(learners, key=lambda one: (-len(one.stuck), one.display_name.casefold(), one.user_id))
