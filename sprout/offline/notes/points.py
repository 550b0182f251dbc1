"""Points of a concept: its subsections, or stretches of its text by the terms that they mark."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sprout.learning.paths.passages import NAME_SEPARATOR
from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.tree import Block, Table
from sprout.offline.notes.document import Part
from sprout.offline.notes.facts import sentences_in
from sprout.offline.notes.language import language
from sprout.offline.notes.meanings import marked_terms, meanings_in
from sprout.offline.notes.outline import LONGEST_TITLE, section_title
from sprout.offline.notes.terms import Terms, known_terms
from sprout.offline.notes.turns import cut_at_turns, name_stretches
from sprout.offline.notes.words import word_count

MOST_POINTS, FEWEST_POINTS = 6, 3
CRUMB = 25  # words that are no point of their own
LONG_POINT = 160
WORDS_A_POINT = 75
LONGEST_COLUMN_NAMES = 60
JOINED_NAMES = 2


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


def points_of(parts: Sequence[Part], code: str, *, most: int) -> list[Point]:
    """The points of a concept's sections in order, at most six: subsections first, terms where there are too few."""
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
    found = _merge_while(found, lambda points: len(points) > most or min(point.words for point in points) < CRUMB)
    return _with_titles(found, code)


def term_points(part: Part, code: str) -> list[Point]:
    """The stretches of a section's own text, each from a block that defines a term or is a table to the next."""
    known = known_terms(part.path, sentences_in(part.blocks, code), code)
    found: list[Point] = []
    for block in part.blocks:
        names = tuple(_block_names(block, code, known))
        full = not found or bool(names and found[-1].words >= CRUMB)
        if full:
            found.append(Point(names, (part,), (block,)))
        else:
            last = found[-1]
            found[-1] = Point((*last.names, *names), (part,), (*last.blocks, block))
    found = _merge_while(found, lambda points: min((point.words for point in points), default=CRUMB) < CRUMB)
    return [piece for point in found for piece in _cut(point, code)]


def _cut(point: Point, code: str) -> list[Point]:
    """The stretch, or its pieces where it is long and has turns of subject that its key terms can name."""
    pieces = min(FEWEST_POINTS, round(point.words / WORDS_A_POINT))
    if pieces < 2:
        return [point]
    cut = cut_at_turns(point.blocks, pieces, code)
    said = [" ".join(sentences_in(blocks, code)) for blocks in cut]
    terms = Terms.of(sentences_in(point.blocks, code), code)
    above = [*point.names[:1], *point.parts[0].path]
    names = name_stretches(said, terms, most=JOINED_NAMES, besides=above)
    marked = [marked_terms(blocks, terms)[:JOINED_NAMES] for blocks in cut]
    names = [its_marked or name for its_marked, name in zip(marked, names, strict=True)]
    if point.names:
        names[0] = [*point.names]
    if not all(names) or len({name[0] for name in names}) < len(names):
        return [point]
    return [Point(tuple(name), point.parts, blocks) for name, blocks in zip(names, cut, strict=True)]


def _below(part: Part, code: str) -> list[Point]:
    """The points within a section: its subsections, or the stretches of its own text."""
    if part.parts:
        return [_section_point(one) for one in part.opened()]
    return term_points(part, code)


def _section_point(part: Part) -> Point:
    named = section_title(part.path) if part.path else part.label
    names = (named,) if named else ()
    return Point(names, (part,), part.all_blocks, whole=True)


def _block_names(block: Block, code: str, known: frozenset[str]) -> list[str]:
    if isinstance(block, Table):
        return [_table_name(block)]
    return [one.term for one in meanings_in([block], code, known=known)][:JOINED_NAMES]


def _table_name(table: Table) -> str:
    heads = [text_of_spans(head) for head in table.head]
    listed = f"{heads[0]}: {', '.join(filter(None, heads[1:]))}" if heads[0] else ", ".join(filter(None, heads))
    return listed if 0 < len(listed) <= LONGEST_COLUMN_NAMES else next(filter(None, heads), "")


def _merge_while(points: list[Point], too_many: Callable[[list[Point]], bool]) -> list[Point]:
    found = [*points]
    while len(found) > 1 and too_many(found):
        smallest = min(range(len(found)), key=lambda at: found[at].words)
        beside = [at for at in (smallest - 1, smallest + 1) if 0 <= at < len(found)]
        same = [at for at in beside if found[at].parts == found[smallest].parts] or beside
        other = min(same, key=lambda at: found[at].words)
        first = min(smallest, other)
        found[first : first + 2] = [_joined(found[first], found[first + 1])]
    return found


def _joined(one: Point, other: Point) -> Point:
    """Both as one; what makes up most of it names it first."""
    in_order = (one.whole and other.whole) or one.words >= other.words or not other.names
    names = (*one.names, *other.names) if in_order else (*other.names, *one.names)
    parts = (*one.parts, *(part for part in other.parts if part not in one.parts))
    return Point(tuple(dict.fromkeys(names)), parts, (*one.blocks, *other.blocks))


def _with_titles(points: Sequence[Point], code: str) -> list[Point]:
    """The points with a title of their own first among their names: two names, or key terms where there is none."""
    say = language(code).phrases
    terms = Terms.of([sentence for point in points for sentence in sentences_in(point.blocks, code)], code)
    taken: dict[str, None] = {}
    found = []
    for point in points:
        candidates = [*_joined_names(point.names, say.and_), *point.names]
        own = terms.ranked(" ".join(sentences_in(point.blocks, code)), besides=[*taken])[:JOINED_NAMES]
        candidates += [say.listed(own, quote=False)] if own else []
        above = point.parts[0].title
        candidates += [above, *(f"{above} ({n})" if above else say.point_n.format(n=n) for n in range(1, 100))]
        title = next(_capital(one) for one in candidates if one and _capital(one).casefold() not in taken)
        taken[title.casefold()] = None
        found.append(Point((title, *(point.names or own)), point.parts, point.blocks, point.whole))
    return found


def _joined_names(names: Sequence[str], and_: str) -> list[str]:
    if len(names) < 2:
        return []
    headings = any(len(name.split()) > 2 or f" {and_} " in name for name in names[:JOINED_NAMES])
    joint = NAME_SEPARATOR if headings else f" {and_} "
    whole = joint.join(names[:JOINED_NAMES])
    return [whole] if len(whole) <= LONGEST_TITLE and len(names) <= JOINED_NAMES else []


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
