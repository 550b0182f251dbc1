"""Outline of notes: their content sections, opened and merged to a sensible size."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Block, ListBlock, Paragraph
from sprout.learning.text.stems import stems
from sprout.offline.notes.document import Document, Part, join_equal
from sprout.offline.notes.facts import is_sentence, says_anything, sentences_in
from sprout.offline.notes.glossary import entries_in
from sprout.offline.notes.headings import belongs_above, says_nothing
from sprout.offline.notes.labels import cut_at_labels
from sprout.offline.notes.meanings import marked_terms, meanings_in
from sprout.offline.notes.terms import key_terms, known_terms
from sprout.offline.notes.turns import cut_at_turns

WORDS_A_CONCEPT = 280
WHOLE_PATH = 10  # concepts
FEW_CONCEPTS, WORDS_FOR_FEW = 3, 150
SLIDES_A_CONCEPT, SLIDE_WORDS = 5, 60  # sections of fewer words are slides, which say more than their words
MOST_UNHEADED = 5  # of running text: what names them are but words that they use
SMALLEST = 40  # words of a section that is a concept of its own
SMALLEST_UNNAMED, SMALLEST_UNTOLD = 150, 60  # of one without a name, and of a named one without a sentence
LARGE_SECTION = 100  # words of one that stands for itself where a document has a single large section
SMALLEST_FOREWORD = WORDS_A_CONCEPT  # before the first heading
NAMED_TERMS = 5
TOO_LARGE = 2.5  # times the words of a concept
UNLIKE = 100  # words that two sections without a word in common in their headings are apart
TITLE_SLIDE = 15  # words on a slide with authors and a date
COVER, COVER_LINE, COVER_LINES = 80, 10, 4  # words of a title page and of a line of it at most, its lines at least
CRUMB = 25  # words that are no part of their own

_WORD = re.compile(r"[^\W\d_]{2}")  # a letter alone is a symbol
_BY = re.compile(r"\b(?:Prof|Dr|Doç|Dept|Department|Lecturer|Universi|Institut|Facult|Fakult)")  # who speaks, and where


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring sections, or a piece of one, that make one concept or subconcept.

    Args:
        document: number of the document that it begins in.
        terms: what names it where it is a piece of a section.
    """

    parts: tuple[Part, ...]
    document: int = 0
    terms: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        return sum(part.words for part in self.parts)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All that stands in it."""
        return tuple(block for part in self.parts for block in part.all_blocks)

    @property
    def goes_on(self) -> bool:
        """Whether its headings are none that a text of its own has."""
        return all(bool(part.path) and not part.opening and belongs_above(part.path[-1]) for part in self.parts)

    def tells(self, code: str) -> bool:
        """Whether it says anything."""
        return says_anything(self.blocks, code)

    def is_named(self, code: str) -> bool:
        """Whether there is something to call it by."""
        return bool(self.parts[0].path or self.terms or self.key_terms(code))

    def key_terms(self, code: str) -> tuple[str, ...]:
        """The terms that it uses most, or explains."""
        return entries_in(self.blocks) or _key_terms([self.blocks], code)[0]


def stretches_of(documents: Sequence[Document], code: str, *, most: int) -> list[Stretch]:
    """At most `most` stretches that hold the whole content, in its order; equal headings of two documents are one."""
    tops = [(number, part) for number, one in enumerate(documents) for part in _top(one.content)]
    found = [
        Stretch((part,), next(number for number, one in tops if one is part or (part.path and one.path == part.path)))
        for part in join_equal(part for _, part in tops)
    ]
    total = sum(each.words for each in found)
    few = total >= WORDS_FOR_FEW and not is_one_subject([part for _, part in tops])
    wanted = max(round(total / WORDS_A_CONCEPT), FEW_CONCEPTS if few else 1)
    sections = sum(bool(one.path and one.blocks) for each in found for part in each.parts for one in part.iter_parts())
    if total < SLIDE_WORDS * sections:
        wanted = max(wanted, round(sections / SLIDES_A_CONCEPT))
    headed = sections > 0
    explains = all(entries_in(part.blocks) for _, part in tops)
    most = most if headed or explains else MOST_UNHEADED
    wanted = max(1, min(most, wanted))
    largest = max(found, key=lambda each: each.words, default=None)
    if largest and largest.words > total / 2:  # the outline of the whole stands below it
        opened = _opened(found, largest)
        if sum(each.words >= LARGE_SECTION for each in opened) >= FEW_CONCEPTS:
            found, wanted = opened, max(wanted, min(most, len(opened)))
    found = _cut(open_largest(found, most=wanted, longer_than=total // wanted), wanted, total, code)
    least = SMALLEST_FOREWORD if headed else SMALLEST_UNNAMED
    whole = {one.content.parts[0].path for one in documents if len(one.content.parts) == 1}
    named = sum(not each.goes_on for each in found) > len(found) / 2
    return merge_small(found, lambda each: (named and each.goes_on) or _is_small(each, code, least, whole), most=wanted)


def is_one_subject(parts: Sequence[Part]) -> bool:
    """Whether texts are one concept: no heading stands in them, and together they are not long enough for two."""
    headed = any(one.path for part in parts for one in part.iter_parts())
    return not headed and sum(part.words for part in parts) < 1.5 * WORDS_A_CONCEPT


def open_largest(found: list[Stretch], *, most: int, longer_than: int) -> list[Stretch]:
    """The stretches, with the largest sections replaced by the sections below them until there are `most`; not one
    that has many more below than there is room for, which would only be joined again, unless it is too large."""
    while large := [each for each in found if _may_be_opened(each, most - len(found), longer_than)]:
        found = _opened(found, max(large, key=lambda each: each.words))
    return found


def _may_be_opened(section: Stretch, room: int, longer_than: int) -> bool:
    below = len(section.parts[0].opened())
    fits = room > 0 and below <= room + section.words // max(longer_than, 1)
    return below > 1 and section.words > longer_than and (fits or section.words > TOO_LARGE * longer_than > 0)


def _opened(found: list[Stretch], section: Stretch) -> list[Stretch]:
    """The stretches, with one replaced by the sections below it."""
    at = found.index(section)
    below = [Stretch((part,), section.document) for part in section.parts[0].opened()]
    return [*found[:at], *below, *found[at + 1 :]]


def merge_small(found: list[Stretch], is_small: Callable[[Stretch], bool], *, most: int) -> list[Stretch]:
    """At most `most` stretches, none of them small unless it is the only one."""
    small = [is_small(each) for each in found]
    while len(found) > 1 and (len(found) > most or any(small)):
        at = _pair_to_merge(found, small if len(found) <= most else [True] * len(found))
        one, other = found[at : at + 2]
        terms = tuple(dict.fromkeys((*one.terms, *other.terms)))
        both = Stretch(tuple(join_equal((*one.parts, *other.parts))), one.document, terms)
        found = [*found[:at], both, *found[at + 2 :]]
        small[at : at + 2] = [is_small(both)]
    return found


def _top(content: Part) -> list[Part]:
    """The sections that a document consists of, below the title that stands over all of them."""
    while not content.blocks and len(content.parts) == 1 and content.parts[0].parts:
        content = content.parts[0]
    if len(content.parts) == 1 and content.parts[0].parts:  # words before the title
        return [*content.opened()[:-1], *content.parts[0].opened()]
    found = content.opened() or [content]
    while len(found) > 2 and _is_cover(found[0], slide=len(found) > FEW_CONCEPTS):
        found = found[1:]
    return found


def _is_cover(part: Part, *, slide: bool) -> bool:
    """Whether there are but names, places and dates: short lines, not one of them a sentence.

    Args:
        slide: whether it may be a slide, on which two of them do.
    """
    lines = _cover_lines(part.blocks)
    short = all(len(line.split()) <= COVER_LINE for line in lines)
    is_page = short and len(lines) >= COVER_LINES and part.words <= COVER
    return not part.parts and (is_page or (slide and part.words <= TITLE_SLIDE)) and not any(map(is_sentence, lines))


def _cover_lines(blocks: Sequence[Block]) -> list[str]:
    """The lines of what may be a cover: paragraphs alone, or lists too where a lecturer or a place is named; else
    none."""
    texts = [text_of(block) for block in blocks]
    if all(isinstance(block, Paragraph) for block in blocks):
        return texts
    named = all(isinstance(block, Paragraph | ListBlock) for block in blocks) and any(map(_BY.search, texts))
    return [line for text in texts for line in text.splitlines()] if named else []


def _cut(found: list[Stretch], wanted: int, total: int, code: str) -> list[Stretch]:
    """The stretches, with long text cut while there is room: at its turns of subject where no heading stands over it,
    by the terms that it defines where the notes have next to no outline."""
    outlined = sum(bool(each.parts[0].path) for each in found) >= FEW_CONCEPTS
    for each in [*found]:
        part = each.parts[0]
        pieces = min(wanted - len(found) + 1, round(each.words * wanted / max(total, 1)))
        if pieces < 2 or part.parts or (part.path and outlined):
            continue
        if entries_in(part.blocks):
            made = entry_pieces(part, pieces)
        else:
            made = term_pieces(part, code) if part.path else _turn_pieces(part, pieces, code)
        made = [replace(one, document=each.document) for one in made]
        made = merge_small(made, lambda one: not one.is_named(code), most=pieces)
        at = found.index(each)
        found = [*found[:at], *made, *found[at + 1 :]] if len(made) > 1 else found
    return found


def entry_pieces(part: Part, pieces: int) -> list[Stretch]:
    """Equal shares of text that explains terms."""
    ends = [len(part.blocks) * share // pieces for share in range(pieces + 1)]
    shares = [part.blocks[start:end] for start, end in pairwise(ends) if start < end]
    return [Stretch((replace(part, blocks=blocks, label=""),), terms=entries_in(blocks)) for blocks in shares]


def label_pieces(part: Part) -> list[Stretch]:
    """The pieces of a section's own text, each from a label in it to the next, of a sensible size; what stands before
    the first label has the section's name. None where nothing is labelled."""
    found = [
        Stretch((replace(part, path=(), blocks=blocks, parts=(), label=""),), terms=(title,) if title else ())
        for name, blocks in cut_at_labels(part)
        for title in [name or part.title]
    ]
    return merge_small(found, lambda piece: piece.words < SMALLEST, most=len(found)) if len(found) > 1 else []


def _turn_pieces(part: Part, pieces: int, code: str) -> list[Stretch]:
    cut = cut_at_turns(part.blocks, pieces, code)
    return [
        Stretch((replace(part, blocks=blocks, label=""),), terms=names[:NAMED_TERMS])
        for blocks, names in zip(cut, _key_terms(cut, code), strict=True)
    ]


def _key_terms(texts: Sequence[Sequence[Block]], code: str) -> list[tuple[str, ...]]:
    """The key terms of texts; what each begins with and what it defines are mostly what it is about."""
    said = [sentences_in(blocks, code) for blocks in texts]
    telling = []
    for blocks, sentences in zip(texts, said, strict=True):
        defined = meanings_in(blocks, code, known=known_terms((), sentences, code))
        telling.append("\n".join([*sentences[:1], *(one.subject for one in defined)]))
    used = key_terms(["\n".join(sentences) for sentences in said], code, telling=telling)
    return [
        tuple(dict.fromkeys((*marked_terms(blocks, code), *terms))) for blocks, terms in zip(texts, used, strict=True)
    ]


def term_pieces(part: Part, code: str) -> list[Stretch]:
    """The pieces of a section's own text, each from a block that defines a term to the next."""
    known = known_terms(part.path, sentences_in(part.blocks, code), code)
    found: list[Stretch] = []
    defined: set[str] = set()
    for block in part.blocks:
        new = [one for one in meanings_in([block], code, known=known) if one.key not in defined]
        defined |= {one.key for one in new}
        names = tuple(one.term for one in new if _WORD.search(one.term))
        if found and not (names and found[-1].terms and found[-1].words >= CRUMB):
            last = found.pop()
            blocks, names = (*last.blocks, block), (*last.terms, *names)
        else:
            blocks = (block,)
        found.append(Stretch((replace(part, blocks=blocks, parts=()),), terms=names))
    return merge_small(found, lambda piece: piece.words < CRUMB, most=len(found))


def _is_small(stretch: Stretch, code: str, least_unnamed: int, whole: Collection[tuple[str, ...]]) -> bool:
    """Whether a stretch cannot stand alone: some words, nothing that names it or only "Conclusion", nothing said.

    Args:
        whole: the headings that stand over whole documents, and name no part of them.
    """
    titles = [part.title for part in stretch.parts if part.title and not (part.opening and part.path in whole)]
    least = SMALLEST if titles or stretch.terms else least_unnamed
    least = SMALLEST_UNNAMED if titles and all(map(says_nothing, titles)) else least
    few = stretch.words < least
    return few or not (stretch.tells(code) or (titles and stretch.words >= SMALLEST_UNTOLD))


def _pair_to_merge(found: Sequence[Stretch], small: Sequence[bool]) -> int:
    """Index of the first of the two neighbours that are best merged: small, and of one section of one document."""

    def cost(at: int) -> float:
        one, other = found[at], found[at + 1]
        above, beside = one.parts[-1], other.parts[0]
        shared = above.path[:-1] == beside.path[:-1] or (above.opening and beside.path[:-1] == above.path)
        apart = 10_000 if one.document != other.document else 0 if shared else 150
        apart += 300 if one.goes_on and not other.goes_on else 0
        apart += UNLIKE if at and above.path and says_nothing(above.title) else 0  # it continues the one before it
        apart += 0 if stems([above.title]) & stems([beside.title]) else UNLIKE
        large = not (small[at] or small[at + 1])
        return one.words + other.words + apart + (100_000 if large else 0)

    return min(range(len(found) - 1), key=cost)
