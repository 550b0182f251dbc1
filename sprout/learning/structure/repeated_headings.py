"""Repeated headings: an "Examples" after each chapter, at its level, is a section of that chapter."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sprout.learning.structure.titles import heading_key

DEEPEST = 6

Heading = tuple[int, str]  # level and title


def levels_of(headings: Sequence[Heading]) -> list[int]:
    """The level of each heading in the document, in order: one that stands behind several of its siblings is one below
    them, with all that is below it, so that the headings above tell it from its likes.

    What repeats behind the same sibling, or before any, keeps its level: nothing tells it apart. One right behind its
    like goes on with it, as slides do.
    """
    levels = [level for level, _ in headings]
    keys = [heading_key(title) for _, title in headings]
    for siblings in _siblings(levels):
        for at in _repeated(siblings, keys):
            end = next((after for after in range(at + 1, len(headings)) if headings[after][0] <= headings[at][0]), None)
            for below in range(at, len(headings) if end is None else end):
                levels[below] += 1
    return levels if max(levels, default=0) <= DEEPEST else [level for level, _ in headings]


def _siblings(levels: Sequence[int]) -> list[list[int]]:
    """The places of the headings of one level under one heading, for each."""
    found: dict[tuple[int, int], list[int]] = {}
    above: list[int] = []
    for at, level in enumerate(levels):
        above = [one for one in above if levels[one] < level]
        found.setdefault((above[-1] if above else -1, level), []).append(at)
        above.append(at)
    return [*found.values()]


def _repeated(siblings: Sequence[int], keys: Sequence[str]) -> Iterator[int]:
    """The siblings that stand behind different ones, each of which is there but once."""
    firsts = [*siblings[:1], *(at for before, at in pairwise(siblings) if keys[before] != keys[at])]
    counts = Counter(keys[at] for at in firsts)
    owners: dict[str, list[int | None]] = {}
    owner: int | None = None
    for at in firsts:
        if counts[keys[at]] == 1:
            owner = at
        else:
            owners.setdefault(keys[at], []).append(owner)
    told = {key for key, its in owners.items() if key and None not in its and len({*its}) == len(its)}
    return (at for at in siblings if keys[at] in told)
