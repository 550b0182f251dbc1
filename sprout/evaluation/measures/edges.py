"""Edges of a graph beside those of an expert: precision and recall by what comes before what, and single edges."""

from collections.abc import Iterable, Sequence

from sprout.learning.graph.traversal import Pair, reachable


def closure(pairs: Iterable[Pair]) -> frozenset[Pair]:
    """All pairs of which the first comes before the second on some way along the pairs."""
    given = list(pairs)
    after: dict[str, list[str]] = {}
    for source, target in given:
        after.setdefault(source, []).append(target)
    return frozenset((source, target) for source in after for target in reachable(given, after[source]))


def f1(precision: float | None, recall: float | None) -> float | None:
    """The harmonic mean; None without anything to be found, 0 where nothing was right.

    Source: van Rijsbergen 1979, "Information retrieval", with both weighted alike.
    """
    if recall is None:
        return None
    if not precision or not recall:
        return 0.0
    return 2 * precision * recall / (precision + recall)


def in_groups(concepts: Sequence[str], pairs: Iterable[Pair], *, most: int) -> list[list[str]]:
    """The concepts in groups of nearly the same size and at most `most`, those that pairs join together.

    Each group begins with the concept that has most pairs left, and takes those with most pairs to it.
    """
    joined: dict[str, set[str]] = {one: set() for one in concepts}
    for source, target in pairs:
        joined[source].add(target)
        joined[target].add(source)
    left = list(concepts)
    count = -(-len(left) // most)
    groups: list[list[str]] = []
    for place in range(count):
        size = -(-len(left) // (count - place))
        group: list[str] = []
        while len(group) < size:
            near = set(group) if group else set(left)
            group.append(max(left, key=lambda one: len(joined[one] & near)))
            left.remove(group[-1])
        groups.append(group)
    return groups
