"""Walks over directed pairs: ways, cycles, parts, and which pairs another way makes needless."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

Pair = tuple[str, str]


def shortest_path(pairs: Iterable[Pair], start: str, end: str) -> list[str]:
    """A shortest way from start to end, both included; empty when there is none."""
    onward = _successors(pairs)
    came_from = {start: start}
    frontier = [start]
    while frontier and end not in came_from:
        reached = []
        for here in frontier:
            for there in onward.get(here, ()):
                if there not in came_from:
                    came_from[there] = here
                    reached.append(there)
        frontier = reached
    return _trace(came_from, start, end) if end in came_from else []


def reachable(pairs: Iterable[Pair], starts: Iterable[str]) -> set[str]:
    """Everything that a way leads to from the starts, these included."""
    onward = _successors(pairs)
    seen = set(starts)
    open_ends = list(seen)
    while open_ends:
        fresh = [there for there in onward.get(open_ends.pop(), ()) if there not in seen]
        seen.update(fresh)
        open_ends.extend(fresh)
    return seen


def cycles(ids: Sequence[str], pairs: Sequence[Pair]) -> Iterator[tuple[str, ...]]:
    """One cycle for each group of nodes that lie on a common one, in the order of `ids`."""
    told: set[str] = set()
    onward = _successors(pairs)
    for node in ids:
        if node in told:
            continue
        back = next((way for there in onward.get(node, ()) if (way := shortest_path(pairs, there, node))), None)
        if back:
            told |= {other for other in reachable(pairs, [node]) if node in reachable(pairs, [other])}
            yield (node, *back[:-1])


def redundant_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs whose ends another way joins too; meant for pairs without cycles."""
    distinct = list(dict.fromkeys(pairs))
    return [pair for pair in distinct if shortest_path([other for other in distinct if other != pair], *pair)]


def bridging_pairs(pairs: Sequence[Pair], sources: Sequence[str], targets: Sequence[str]) -> list[Pair]:
    """The fewest pairs to add so that every source leads to every target."""
    candidates = [(source, target) for source in sources for target in targets]
    kept = list(candidates)
    for pair in candidates:
        others = [other for other in kept if other != pair]
        if shortest_path([*pairs, *others], *pair):
            kept = others
    return kept


def components(ids: Sequence[str], pairs: Sequence[Pair]) -> list[tuple[str, ...]]:
    """The groups of nodes that hang together, whatever the direction, in the order of `ids`."""
    both_ways = [*pairs, *((target, source) for source, target in pairs)]
    parts: list[tuple[str, ...]] = []
    placed: set[str] = set()
    for node in ids:
        if node not in placed:
            together = reachable(both_ways, [node])
            parts.append(tuple(other for other in ids if other in together))
            placed |= together
    return parts


def _successors(pairs: Iterable[Pair]) -> Mapping[str, list[str]]:
    onward: dict[str, list[str]] = defaultdict(list)
    for source, target in pairs:
        onward[source].append(target)
    return onward


def _trace(came_from: Mapping[str, str], start: str, end: str) -> list[str]:
    way = [end]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]
