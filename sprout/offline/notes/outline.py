"""Outline of notes as concepts: their content sections, merged and opened to a sensible size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sprout.learning.paths.passages import HEADING_SEPARATOR, NAME_SEPARATOR
from sprout.learning.structure.plain_view import text_of
from sprout.offline.notes.document import Document, Part
from sprout.offline.notes.facts import says_anything, sentences_in
from sprout.offline.notes.headings import names_subject, says_nothing
from sprout.offline.notes.language import language
from sprout.offline.notes.terms import Terms
from sprout.offline.notes.turns import cut_at_turns, name_pieces

WORDS_A_CONCEPT = 280
FEW_CONCEPTS, WORDS_FOR_FEW = 3, 150
SMALLEST = 40  # words of a section that is a concept of its own
SMALLEST_UNNAMED = 150
LARGE = 1.5  # times the mean, from which on a section is opened
LONGEST_TITLE = 90
NAMED_TERMS = 3


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring sections that make one concept.

    Args:
        terms: key terms that name it where it is a piece of running text.
    """

    parts: tuple[Part, ...]
    document: int
    terms: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        return sum(part.words for part in self.parts)

    def tells(self, code: str) -> bool:
        """Whether it says anything."""
        return any(says_anything(part.all_blocks, code) for part in self.parts)


def stretches_of(documents: Sequence[Document], code: str, *, most: int) -> list[Stretch]:
    """At most `most` stretches that hold the whole content, in its order."""
    found = [Stretch((part,), number) for number, one in enumerate(documents) for part in _top(one.content)]
    total = sum(each.words for each in found)
    wanted = max(round(total / WORDS_A_CONCEPT), FEW_CONCEPTS if total >= WORDS_FOR_FEW else 1)
    wanted = max(1, min(most, wanted))
    found = _opened(found, wanted, total)
    found = _cut(found, wanted, total, code)
    small = [_is_small(each, code) for each in found]
    while len(found) > 1 and (len(found) > wanted or any(small)):
        at = _pair_to_merge(found, small if len(found) <= wanted else [True] * len(found))
        found = _merged(found, at)
        small[at : at + 2] = [_is_small(found[at], code)]
    return found


def titles_of(stretches: Sequence[Stretch], code: str) -> list[str]:
    """A title for each: its heading, its headings, or its key terms; none twice."""
    titles: list[str] = []
    for stretch in stretches:
        candidates = _titles(stretch, code, is_all=len(stretches) == 1)
        taken = {title.casefold() for title in titles}
        titles.append(next(one for one in candidates if one.casefold() not in taken))
    return titles


def _top(content: Part) -> list[Part]:
    """The sections that a document consists of, below the title that stands over all of them."""
    while not content.blocks and len(content.parts) == 1 and content.parts[0].parts:
        content = content.parts[0]
    if len(content.parts) == 1 and content.parts[0].parts:  # words before the title
        return [*content.opened()[:-1], *content.parts[0].opened()]
    return content.opened()


def _opened(found: list[Stretch], wanted: int, total: int) -> list[Stretch]:
    """The stretches, with the largest sections replaced by the sections below them while there is room."""
    while len(found) < wanted:
        large = [
            at
            for at, each in enumerate(found)
            if len(each.parts[0].parts) > 1 and each.words > LARGE * total / (wanted * 1.5)
        ]
        if not large:
            break
        at = max(large, key=lambda place: found[place].words)
        below = [Stretch((part,), found[at].document) for part in found[at].parts[0].opened()]
        found = [*found[:at], *below, *found[at + 1 :]]
    return found


def _cut(found: list[Stretch], wanted: int, total: int, code: str) -> list[Stretch]:
    """The stretches, with long running text cut at its turns of subject while there is room; a section only where the
    notes have next to no outline."""
    mean = max(total, 1) / wanted
    outlined = sum(bool(each.parts[0].path) for each in found) >= FEW_CONCEPTS
    for at in sorted(range(len(found)), key=lambda place: -found[place].words):
        each, part = found[at], found[at].parts[0]
        room = wanted - len(found) + 1
        pieces = min(room, round(each.words / mean))
        if pieces < 2 or part.parts or len(part.blocks) < 2 or (part.path and outlined):
            continue
        cut = cut_at_turns(part.blocks, pieces, code)
        if len(cut) < 2:
            continue
        texts = ["\n".join(text_of(block) for block in blocks) for blocks in cut]
        terms = Terms.of(sentences_in(part.blocks, code), code)
        names = name_pieces(texts, terms, most=NAMED_TERMS + 2, besides=part.path)
        made = [
            Stretch((replace(part, blocks=blocks, label=""),), each.document, name)
            for blocks, name in zip(cut, names, strict=True)
        ]
        return _cut([*found[:at], *made, *found[at + 1 :]], wanted, total, code)
    return found


def _is_small(stretch: Stretch, code: str) -> bool:
    """Whether a stretch cannot stand alone: some words, an opening that nothing names, nothing that it says."""
    named = any(part.title for part in stretch.parts) or stretch.terms
    few = stretch.words < (SMALLEST if named else SMALLEST_UNNAMED)
    return few or not stretch.tells(code)


def _pair_to_merge(found: Sequence[Stretch], small: Sequence[bool]) -> int:
    """Index of the first of the two neighbours that are best merged: small, and of one section of one document."""

    def cost(at: int) -> float:
        one, other = found[at], found[at + 1]
        above, beside = one.parts[-1], other.parts[0]
        shared = above.path[:-1] == beside.path[:-1] or (above.opening and beside.path[:-1] == above.path)
        apart = 10_000 if one.document != other.document else 0 if shared else 150
        large = not (small[at] or small[at + 1])
        return one.words + other.words + apart + (100_000 if large else 0)

    return min(range(len(found) - 1), key=cost)


def _merged(found: list[Stretch], at: int) -> list[Stretch]:
    one, other = found[at], found[at + 1]
    terms = tuple(dict.fromkeys((*one.terms, *other.terms)))
    return [*found[:at], Stretch((*one.parts, *other.parts), one.document, terms), *found[at + 2 :]]


def _titles(stretch: Stretch, code: str, *, is_all: bool) -> Iterator[str]:
    say = language(code).phrases
    headed = [part for part in stretch.parts if part.path]
    named = [part for part in headed if not part.opening] or headed
    titles = list(dict.fromkeys(title for part in named if (title := part.title)))
    titles = [title for title in titles if not says_nothing(title)] or titles
    terms = stretch.terms or ([] if titles else key_terms(stretch, code))
    listed = capitalized(say.listed(terms[:NAMED_TERMS], quote=False))
    if not titles:
        yield from filter(None, [stretch.parts[0].label, listed])
    elif len(titles) == 1 and stretch.terms and listed and len(headed) == len(stretch.parts):
        yield f"{titles[0]}: {listed}"
    elif len(titles) == 1:
        yield titles[0]
    else:
        whole = NAME_SEPARATOR.join(titles)
        above = _above(named, complete=len(whole) <= LONGEST_TITLE, is_all=is_all)
        if names_subject(above) and not says_nothing(above):
            yield above
        yield whole if len(whole) <= LONGEST_TITLE else f"{titles[0]} {say.and_more}"
    if titles:
        yield HEADING_SEPARATOR.join(named[0].path[-2:])
    base = titles[0] if titles else listed or capitalized(say.point_n.format(n=1))
    yield base
    yield from (f"{base} ({number})" for number in range(2, 1_000))


def _above(named: Sequence[Part], *, complete: bool, is_all: bool) -> str:
    """The heading over all of the parts, if one is; `complete`: only if nothing else stands under it, or they are all
    that is taught."""
    above = {part.path[:-1] for part in named}
    if len(above) != 1 or not (path := above.pop()) or any(part.opening for part in named):
        return ""
    if is_all:
        return path[-1]
    if complete:
        return path[-1] if all(part.siblings == len(named) for part in named) else ""
    return path[-1] if len(path) > 1 else ""


def key_terms(stretch: Stretch, code: str) -> list[str]:
    """The terms that the stretch uses most."""
    blocks = [block for part in stretch.parts for block in part.all_blocks]
    sentences = sentences_in(blocks, code)
    return Terms.of(sentences, code).ranked(" ".join(sentences))


def capitalized(text: str) -> str:
    """The text with a capital first letter, the others as they are."""
    return text[:1].upper() + text[1:]
