"""Points of a concept: its subsections, or stretches of its text by the terms that they define or mark."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sprout.learning.paths.passages import NAME_SEPARATOR
from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.tree import Block, Table
from sprout.offline.notes.document import Part
from sprout.offline.notes.facts import says_anything, sentences_in
from sprout.offline.notes.headings import says_nothing
from sprout.offline.notes.language import language
from sprout.offline.notes.meanings import marked_terms, meanings_in
from sprout.offline.notes.outline import LONGEST_TITLE, capitalized
from sprout.offline.notes.terms import Terms, known_terms
from sprout.offline.notes.words import key_of, word_count

MOST_POINTS, FEWEST_POINTS = 6, 3
CRUMB = 25  # words that are no point of their own
LONG_POINT = 160
JOINED_NAMES = 2
_WORD = re.compile(r"[^\W\d_]{2}")  # a letter alone is a symbol


@dataclass(frozen=True, slots=True)
class Point:
    """What one subconcept is about.

    Args:
        names: the terms or headings that it is named by, the first ones being its title.
        parts: the sections that it stands in; its blocks may be fewer.
        whole: it is all of its section.
    """

    names: tuple[str, ...]
    parts: tuple[Part, ...]
    blocks: tuple[Block, ...]
    whole: bool = False

    @property
    def words(self) -> int:
        return sum(word_count(text_of(block)) for block in self.blocks)

    @property
    def title(self) -> str:
        return self.names[0]


def points_of(parts: Sequence[Part], code: str, *, most: int, title: str = "") -> list[Point]:
    """The points of a concept's sections in order, at most six: subsections first, terms where there are too few.

    Args:
        title: the concept's, for text that no heading and no term names.
    """
    most = min(most, MOST_POINTS)
    found = [_section_point(part) for part in parts if part.all_blocks]
    split: set[int] = set()
    while len(found) < most:
        open_ones = [at for at, point in enumerate(found) if point.whole and id(point.parts[0]) not in split]
        few = len(found) < FEWEST_POINTS
        wanted = [at for at in open_ones if few or found[at].words > LONG_POINT]
        if not wanted:
            break
        at = max(wanted, key=lambda place: found[place].words)
        split.add(id(found[at].parts[0]))
        below = _below(found[at].parts[0], code)
        if 1 < len(below) <= most - len(found) + 1 or (len(below) > 1 and few):
            found[at : at + 1] = below

    def is_crumb(point: Point) -> bool:
        return point.words < CRUMB or not says_anything(point.blocks, code)

    found = _merge_crumbs(found, is_crumb, most=most)
    return _with_titles(found, title, code)


def term_points(part: Part, code: str) -> list[Point]:
    """The stretches of a section's own text, each from a block that defines or marks a term to the next."""
    sentences = sentences_in(part.blocks, code)
    known, terms = known_terms(part.path, sentences, code), Terms.of(sentences, code)
    found: list[Point] = []
    for block in part.blocks:
        names = tuple(_block_names(block, terms, known))
        full = not found or bool(names and found[-1].words >= CRUMB)
        if full:
            found.append(Point(names, (part,), (block,)))
        else:
            last = found[-1]
            found[-1] = Point((*last.names, *names), (part,), (*last.blocks, block))
    return _merge_crumbs(found, lambda point: point.words < CRUMB, most=len(found))


def _below(part: Part, code: str) -> list[Point]:
    """The points within a section: its subsections, or the stretches of its own text."""
    if part.parts:
        return [_section_point(one) for one in part.opened()]
    return term_points(part, code)


def _section_point(part: Part) -> Point:
    return Point((part.title,) if part.title else (), (part,), part.all_blocks, whole=True)


def _block_names(block: Block, terms: Terms, known: frozenset[str]) -> list[str]:
    """What a block is named by: a table's caption, else the terms that it defines, else those that it marks."""
    if isinstance(block, Table):
        caption = text_of_spans(block.caption)
        return [caption] if 0 < len(caption) <= LONGEST_TITLE else []
    defined = [one.term for one in meanings_in([block], terms.code, known=known) if _WORD.search(one.term)]
    return (defined or marked_terms([block], terms))[:JOINED_NAMES]


def _merge_crumbs(points: list[Point], is_crumb: Callable[[Point], bool], *, most: int) -> list[Point]:
    """At most `most` points; what is a crumb goes with the smaller point beside it, of its section if there is one."""
    found, crumbs = [*points], [is_crumb(point) for point in points]
    while len(found) > 1 and (len(found) > most or any(crumbs)):
        smallest = min(range(len(found)), key=lambda at: (not crumbs[at], found[at].words))
        beside = [at for at in (smallest - 1, smallest + 1) if 0 <= at < len(found)]
        same = [at for at in beside if found[at].parts == found[smallest].parts] or beside
        other = min(same, key=lambda at: found[at].words)
        first = min(smallest, other)
        found[first : first + 2] = [_joined(found[first], found[first + 1])]
        crumbs[first : first + 2] = [all(crumbs[first : first + 2]) and is_crumb(found[first])]
    return found


def _joined(one: Point, other: Point) -> Point:
    """Both as one; what makes up most of it names it first."""
    in_order = (one.whole and other.whole) or one.words >= other.words or not other.names
    names = (*one.names, *other.names) if in_order else (*other.names, *one.names)
    parts = (*one.parts, *(part for part in other.parts if part not in one.parts))
    return Point(tuple(dict.fromkeys(names)), parts, (*one.blocks, *other.blocks))


def _with_titles(points: Sequence[Point], title_above: str, code: str) -> list[Point]:
    """The points with a title of their own first among their names; what has none goes with the point before it."""
    taken: dict[str, None] = {}
    found: list[Point] = []
    for point in points:
        own = [*_joined_names(point, code), *point.names, point.parts[0].title]
        candidates = map(
            capitalized, [title_above, *own] if len(points) == 1 else own if found else [*own, title_above]
        )
        title = next((one for one in candidates if one and one.casefold() not in taken), "")
        if not title and found:
            found[-1] = _joined(found[-1], replace(point, names=()))
            continue
        title = title or language(code).phrases.point_n.format(n=1).capitalize()
        taken[title.casefold()] = None
        found.append(Point((title, *point.names), point.parts, point.blocks, point.whole))
    return found


def _joined_names(point: Point, code: str) -> list[str]:
    """Two names as one title, where there are no more; what says nothing by itself is none."""
    names = [name for name in point.names if not says_nothing(name)]
    if len({key_of(name, code) for name in names}) != JOINED_NAMES or len(names) != JOINED_NAMES:
        return names
    joint = NAME_SEPARATOR if len(point.parts) > 1 else f" {language(code).phrases.and_} "
    whole = joint.join(names)
    return [whole] if len(whole) <= LONGEST_TITLE else []
