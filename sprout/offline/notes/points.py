"""Points of a concept: its subsections, or pieces of its text by the terms that they define."""

from collections.abc import Sequence

from sprout.learning.structure.titles import heading_key
from sprout.offline.notes.document import Part
from sprout.offline.notes.glossary import entries_in
from sprout.offline.notes.outline import (
    CRUMB,
    Stretch,
    entry_pieces,
    label_pieces,
    merge_small,
    open_largest,
    term_pieces,
)
from sprout.offline.notes.titles import titles_of

MOST_POINTS, FEWEST_POINTS = 6, 3
LONG_POINT = 160
WORDS_OF_ENTRIES = 80  # that explain terms, of a point


def points_of(parts: Sequence[Part], code: str, *, most: int, title: str = "") -> list[tuple[str, Stretch]]:
    """The points of a concept's sections in order, each with its title, at most six.

    Args:
        title: the concept's.
    """
    most = min(most, MOST_POINTS)
    found = open_largest([Stretch((part,)) for part in parts if part.all_blocks], most=FEWEST_POINTS, longer_than=0)
    found = open_largest(found, most=most, longer_than=LONG_POINT)
    for each in sorted(found, key=lambda point: -point.words):
        wanted = len(found) < (most if each.words > LONG_POINT else min(most, FEWEST_POINTS))
        part = each.parts[0]
        if not wanted or part.parts:
            continue
        shares = min(most, round(each.words / WORDS_OF_ENTRIES)) if entries_in(part.blocks) else 0
        pieces = entry_pieces(part, shares) if shares else label_pieces(part) or term_pieces(part, code)
        if len(pieces) > 1:
            at = found.index(each)
            found = [*found[:at], *pieces, *found[at + 1 :]]
    found = merge_small(found, lambda point: point.words < CRUMB or not point.tells(code), most=most)
    titles = [title] if title and len(found) == 1 else titles_of(found, code, within=True)
    same = heading_key(title)  # which may still have the number that its neighbours showed to be one
    return [(title if heading_key(name) == same else name, point) for name, point in zip(titles, found, strict=True)]
