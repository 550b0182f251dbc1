"""Plan of a review session: few questions that cover what is due, the likeliest forgotten first, mixed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from sprout.learning.mastery.knowledge_tracing import PARAMETERS
from sprout.learning.text.stems import stems

CONFUSABLE_FROM = 0.2  # share of common words of two siblings, from which on they are asked side by side; judgement


@dataclass(frozen=True, slots=True)
class DuePart:
    """A part whose review is due.

    Args:
        retrievability: the probability that it is recalled now, 0..1.
        is_new: whether it was never reviewed: only an answer about itself can master it.
        words: its title and description.
        was_sure: whether its last review that counted was missed by a learner who was sure.
    """

    node_id: str
    concept_id: str
    branch_id: str | None
    retrievability: float
    is_new: bool = False
    words: str = ""
    was_sure: bool = False

    @property
    def asks_itself(self) -> bool:
        """Whether no answer about what builds on it can take its place."""
        return self.is_new or self.was_sure


@dataclass(frozen=True, slots=True)
class PlannedReview:
    """A question to ask, and the due parts beside its own that a good answer credits.

    Args:
        contrast_id: of the contrast that a teacher sent, where it is the reason to ask.
    """

    part: DuePart
    covers: tuple[DuePart, ...] = ()
    contrast_id: str | None = None

    @property
    def urgency(self) -> float:
        """The lowest retrievability among what it covers."""
        return min(one.retrievability for one in (self.part, *self.covers))


def plan_reviews(due: Sequence[DuePart], edges: Iterable[tuple[str, str]]) -> list[PlannedReview]:
    """Few reviews that cover all that is due: first what was missed by who was sure, then the most urgent.

    A part that another due part builds on is covered by that one, unless it was never reviewed, or missed by a learner
    who was sure. What builds on most is chosen first, so that nothing is asked that a chosen one covers. What is as
    urgent keeps the order of `due`.

    Args:
        edges: prerequisite → what builds on it.
    """
    by_id, known_edges = {one.node_id: one for one in due}, list(edges)
    before, depths = prerequisites(by_id, known_edges), _depths(known_edges)
    covered: dict[str, list[DuePart]] = {}
    left_out: set[str] = set()
    for one in sorted(due, key=lambda part: (-depths.get(part.node_id, 0), part.retrievability)):
        if one.node_id in left_out:
            continue
        under = [by_id[other] for other in before[one.node_id] if other in by_id and other not in left_out]
        covered[one.node_id] = [other for other in under if not other.asks_itself and other.node_id not in covered]
        left_out.update(other.node_id for other in covered[one.node_id])
    plan = [PlannedReview(one, tuple(covered[one.node_id])) for one in due if one.node_id in covered]
    return sorted(plan, key=lambda review: (not review.part.was_sure, review.urgency))


def prerequisites(
    node_ids: Collection[str], edges: Iterable[tuple[str, str]], *, most: int = PARAMETERS.max_edges
) -> Mapping[str, tuple[str, ...]]:
    """Each node → what it rests on, the nearest first, as far as an answer about it is evidence."""
    sources: dict[str, list[str]] = {}
    for source, target in edges:
        sources.setdefault(target, []).append(source)
    found: dict[str, tuple[str, ...]] = {}
    for node_id in node_ids:
        reached: dict[str, None] = {}
        level = [node_id]
        for _ in range(most):
            level = [one for target in level for one in sources.get(target, ()) if one not in reached]
            reached.update(dict.fromkeys(level))
        found[node_id] = tuple(one for one in reached if one != node_id)
    return found


def mix(reviews: Sequence[PlannedReview]) -> list[PlannedReview]:
    """The reviews with easily confused siblings side by side, and no two other neighbours of one concept.

    Comparing what is alike is what mixed practice teaches (Rohrer, "Interleaving helps students distinguish among
    similar concepts", 2012). The most urgent comes first, as far as that allows.
    """
    waiting = _pairs(reviews)
    ordered: list[PlannedReview] = []
    while waiting:
        last = ordered[-1].part.concept_id if ordered else None
        elsewhere = next((unit for unit in waiting if unit[0].part.concept_id != last), waiting[0])
        waiting.remove(elsewhere)
        ordered += elsewhere
    return ordered


def confusability(one: DuePart, other: DuePart) -> float:
    """Likeness of two parts, 0..1; 0 unless they are siblings."""
    return likeness(one.words, other.words) if one.concept_id == other.concept_id else 0.0


def likeness(one: str, other: str) -> float:
    """The share of the words of both texts in those of either, 0..1."""
    mine, theirs = stems([one]), stems([other])
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0


def _depths(edges: Sequence[tuple[str, str]]) -> Mapping[str, int]:
    """Node → the number of edges of the longest way that leads to it, in a graph without cycles."""
    sources: dict[str, set[str]] = {}
    for source, target in edges:
        sources.setdefault(source, set())
        sources.setdefault(target, set()).add(source)
    depths: dict[str, int] = {}
    for node_id in TopologicalSorter(sources).static_order():
        depths[node_id] = max((depths[source] + 1 for source in sources[node_id]), default=0)
    return depths


def _pairs(reviews: Sequence[PlannedReview]) -> list[list[PlannedReview]]:
    """Pairs of those that are most alike, and the others alone, in the order of the first of each."""
    alike = sorted(
        (
            (confusability(one.part, other.part), at, behind)
            for at, one in enumerate(reviews)
            for behind, other in enumerate(reviews[at + 1 :], start=at + 1)
            if one.part.concept_id == other.part.concept_id
        ),
        key=lambda found: (-found[0], found[1], found[2]),
    )
    partner: dict[int, int] = {}
    for share, at, behind in alike:
        if share >= CONFUSABLE_FROM and at not in partner and behind not in partner:
            partner[at], partner[behind] = behind, at
    return [
        [reviews[at], reviews[partner[at]]] if at in partner else [reviews[at]]
        for at in range(len(reviews))
        if at not in partner or partner[at] > at
    ]
