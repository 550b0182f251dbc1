"""Outline of notes: their content sections, opened and merged to a sensible size, with a title for each."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, takewhile

from sprout.learning.paths.passages import HEADING_SEPARATOR, NAME_SEPARATOR
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Block
from sprout.offline.notes.document import Document, Part, join_equal
from sprout.offline.notes.facts import is_sentence, says_anything, sentences_in
from sprout.offline.notes.glossary import entries_in, is_glossary
from sprout.offline.notes.headings import names_subject, says_nothing
from sprout.offline.notes.language import language
from sprout.offline.notes.meanings import meanings_in
from sprout.offline.notes.terms import key_terms, known_terms
from sprout.offline.notes.turns import cut_at_turns
from sprout.offline.notes.words import key_of, words_of

WORDS_A_CONCEPT = 280
WHOLE_PATH = 10  # concepts
FEW_CONCEPTS, WORDS_FOR_FEW = 3, 150
SLIDES_A_CONCEPT, SLIDE_WORDS = 5, 60  # sections of fewer words are slides, which say more than their words
MOST_UNHEADED = 5  # of running text: what names them are but words that they use
SMALLEST = 40  # words of a section that is a concept of its own
SMALLEST_UNNAMED = 150
LARGE_SECTION = 100  # words of one that stands for itself where a document has a single large section
SMALLEST_FOREWORD = WORDS_A_CONCEPT  # before the first heading
MOST_ABOVE = 5  # words of a heading that stands before those below it
SHORT_NAME = 2  # words of a heading that may need the one above to say of what: "Human Development: Physical"
LONGEST_TITLE, LONGEST_RANGE = 90, 160
NAMED_TERMS, NAMING_TERMS, JOINED_TERMS = 5, 3, 2
LEAST_PIECES = 2  # of running text, that are numbered
LEAST_NUMBERED = 3  # headings of a word and a number, from which on they are a series: "World War II" is none
NUMBERED_SHARE = 0.6  # of the headings of a stretch
TITLE_SLIDE = 15  # words on a slide with authors and a date
TO = " – "  # between the first and the last of several names
CRUMB = 25  # words that are no part of their own

_NUMBERED = re.compile(
    r"(?P<kind>(?:[^\W\d_]+\.? ){1,2}(?=\d)|(?:[^\W\d_]+\.? ){0,2}(?=[IVXLC]))"
    r"(?P<number>\d{1,4}[a-z]?(?:,? [^\W\d_]+\.? \d{1,3})?|[IVXLC]{1,8})[.:)]?|"
    r"(?P<date>(?=.*\d{1,2}(?:st|nd|rd|th)?[.,/-]? ?(?:\w+ )?(?:19|20)\d\d\b|(?:19|20)\d\d-\d)(?:\S+ ){0,4}\S+)"
)
_DASH = re.compile(r"\s[–—-]\s")
_SECOND_PART = re.compile(rf"{_DASH.pattern}|\s\(|:\s")
_WORD = re.compile(r"[^\W\d_]{2}")  # a letter alone is a symbol


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
    return merge_small(found, lambda each: _is_small(each, code, least, whole), most=wanted)


def is_one_subject(parts: Sequence[Part]) -> bool:
    """Whether texts are one concept: no heading stands in them, and together they are not long enough for two."""
    headed = any(one.path for part in parts for one in part.iter_parts())
    return not headed and sum(part.words for part in parts) < 1.5 * WORDS_A_CONCEPT


def open_largest(found: list[Stretch], *, most: int, longer_than: int) -> list[Stretch]:
    """The stretches, with the largest sections replaced by the sections below them until there are `most`; not one
    that has many more below than there is room for, which would only be joined again."""
    while len(found) < most:
        room = most - len(found)
        large = [
            each
            for each in found
            if each.words > longer_than and 1 < len(each.parts[0].opened()) <= room + each.words // max(longer_than, 1)
        ]
        if not large:
            break
        found = _opened(found, max(large, key=lambda each: each.words))
    return found


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


def titles_of(stretches: Sequence[Stretch], code: str, *, within: bool = False) -> list[str]:
    """A title for each: its heading, its headings, or its terms; where two would be equal, with the one above.

    Args:
        within: whether they stand under the heading of which they are pieces, and need not repeat it.
    """
    every = [[*_titles(one, [other for other in stretches if other is not one], code, within)] for one in stretches]
    named = _numbered_titles(stretches, code) | ({} if within else _part_titles(stretches, code))
    for at, name in named.items():
        every[at].insert(0, name)
    firsts = Counter(candidates[0].casefold() for candidates in every)
    titles: dict[str, str] = {}
    for first, *longer in every:
        numbered = (f"{first} ({number})" for number in range(2, len(every) + 2))
        candidates = chain(longer if firsts[first.casefold()] > 1 else (), (first, *longer), numbered)
        title = next(one for one in candidates if one.casefold() not in titles)
        titles[title.casefold()] = title
    return [*titles.values()]


def _top(content: Part) -> list[Part]:
    """The sections that a document consists of, below the title that stands over all of them."""
    while not content.blocks and len(content.parts) == 1 and content.parts[0].parts:
        content = content.parts[0]
    if len(content.parts) == 1 and content.parts[0].parts:  # words before the title
        return [*content.opened()[:-1], *content.parts[0].opened()]
    first, *others = content.opened() or [content]
    is_title_slide = len(others) >= FEW_CONCEPTS and first.words <= TITLE_SLIDE and not first.parts
    return others if is_title_slide and not any(map(is_sentence, map(text_of, first.blocks))) else [first, *others]


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
    return key_terms(["\n".join(sentences) for sentences in said], code, telling=telling)


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


def _titles(stretch: Stretch, others: Sequence[Stretch], code: str, within: bool) -> Iterator[str]:
    """Possible titles, the best first."""
    say = language(code).phrases
    headed = [part for part in stretch.parts if part.path]
    named = [part for part in headed if not part.opening] or headed
    titles = list(dict.fromkeys(title for part in named if (title := part.title)))
    told = [title for title in titles if not says_nothing(title)]
    told = told or list(dict.fromkeys(part.title for part in headed if part.title and not says_nothing(part.title)))
    titles = told or (titles if len(headed) == len(stretch.parts) else [])
    terms = stretch.terms or (() if titles else stretch.key_terms(code))
    names = terms or titles
    if len(names) > JOINED_TERMS and _is_dictionary(stretch, names):
        yield f"{capitalized(names[0])}{TO}{names[-1]}"
    if not titles:
        first = [stretch.parts[0].label, *map(capitalized, terms), *(part.path[-1] for part in headed)]
        yield from [title for title in first if title] or [capitalized(say.part_n.format(n=1))]
        return
    if len(titles) == 1 and terms and len(headed) == len(stretch.parts):
        if within and len(terms) <= JOINED_TERMS:
            yield capitalized(say.listed(terms, quote=False))
        elif not within and key_of(terms[0], code) not in key_of(titles[0], code):
            yield f"{titles[0]}: {say.listed(terms[:JOINED_TERMS], quote=False)}"
    above = _above(headed, others)
    if names_subject(above) and not says_nothing(above):
        yield above
    if not (told or within) and (about := _about(stretch, others, code)):
        yield f"{titles[0]}: {about}"
    whole = _joined(titles)
    under = "" if within else _under(headed, others)
    if under and under not in whole and all(len(title.split()) <= SHORT_NAME for title in titles):
        yield f"{under}: {whole}"
    yield whole if len(whole) <= LONGEST_RANGE or len(titles) == 1 else f"{titles[0]} {say.and_more}"
    if len(terms) > JOINED_TERMS:
        yield f"{capitalized(terms[0])} {say.and_more}"
    yield HEADING_SEPARATOR.join(named[0].path[-2:])


def _about(stretch: Stretch, others: Sequence[Stretch], code: str) -> str:
    """Subject of a stretch whose headings do not say it: the sections below, else its key terms."""
    below = [each for part in stretch.parts for each in part.parts if each.title and not says_nothing(each.title)]
    if 2 * sum(each.words for each in below) > stretch.words:
        return _joined([each.title for each in below])
    terms = _key_terms([one.blocks for one in (stretch, *others)], code)[0]
    return language(code).phrases.listed(terms[:JOINED_TERMS], quote=False)


def _joined(titles: Sequence[str]) -> str:
    """All titles as one, or where that is long the first and the last; what all begin with stands there once, and one
    that another names too is left out."""
    titles = [one for one in titles if not any(_is_said_by(one, other) for other in titles)]
    above = {title.partition(": ")[0] for title in titles if ": " in title}
    if len(titles) > 1 and len(above) == 1 and all(": " in title for title in titles):
        return f"{above.pop()}: {_joined([title.partition(': ')[2] for title in titles])}"
    whole = NAME_SEPARATOR.join(titles)
    if len(whole) <= LONGEST_TITLE or len(titles) == 1:
        return whole
    return TO.join(dict.fromkeys((_brief(titles[0]), _brief(titles[-1]))))


def _is_said_by(title: str, other: str) -> bool:
    """Whether the other title names what both are about: the shorter of two of which one has all words of the other,
    unless it is an abbreviation."""
    short, long = sorted((title, other), key=lambda one: len(words_of(one)))
    told = long if short.isupper() else short
    return {*words_of(short)} < {*words_of(long)} and title != told


def _brief(title: str) -> str:
    """A long title, or one with a dash in it, without what follows its first part."""
    first = _SECOND_PART.split(title)[0]
    is_cut = len(title) > LONGEST_TITLE // 2 or _DASH.search(title)
    return first if is_cut and names_subject(first) and len(first.split()) > 1 else title


def _numbered_titles(stretches: Sequence[Stretch], code: str) -> dict[int, str]:
    """Titles of the stretches whose headings are but numbers of a series, "Art 5" or "II.": the first and the last, and
    of a single one what it is about."""
    headings = [[part.path[-1] for part in one.parts if part.path] for one in stretches]
    read = [[_NUMBERED.fullmatch(heading) for heading in each] for each in headings]
    kinds = Counter((found["kind"] or "").casefold() for each in read for found in each if found)
    titles = {}
    for at, (one, each) in enumerate(zip(stretches, read, strict=True)):
        names = [
            found["date"] or found["kind"] + found["number"]
            for found in each
            if found
            if found["date"] or kinds[found["kind"].casefold()] >= (LEAST_NUMBERED if found["kind"] else 2)
        ]
        if len(names) == len(each) == 1:
            about = _about(one, [other for other in stretches if other is not one], code)
            titles[at] = f"{names[0]}: {about}" if about else names[0]
        elif names and len(names) >= NUMBERED_SHARE * len(each):
            titles[at] = f"{names[0] if each[0] else headings[at][0]}{TO}{names[-1]}"
    return titles


def _part_titles(stretches: Sequence[Stretch], code: str) -> dict[int, str]:
    """Titles of pieces of running text, which are parts by their length more than by what they are about: what all of
    it is about, the number, and terms."""
    say = language(code).phrases
    pieces = [at for at, one in enumerate(stretches) if not any(part.path or part.label for part in one.parts)]
    pieces = [at for at in pieces if not _is_dictionary(stretches[at], stretches[at].terms)]
    if len(pieces) < LEAST_PIECES:
        return {}
    subject = _shared_term([stretches[at] for at in pieces], code)
    titles = {}
    for number, at in enumerate(pieces, start=1):
        terms = dict.fromkeys((*stretches[at].terms, *stretches[at].key_terms(code)))
        named = ", ".join([one for one in terms if one != subject][:NAMING_TERMS])
        part = say.part_n.format(n=number)
        part = f"{capitalized(subject)} ({part})" if subject else capitalized(part)
        titles[at] = f"{part}: {named}" if named else part
    return titles


def _shared_term(stretches: Sequence[Stretch], code: str) -> str:
    """The first key term of all the text, if each of its stretches uses it; else empty."""
    said = [f" {key_of(' '.join(map(text_of, one.blocks)), code)} " for one in stretches]
    terms = Stretch(tuple(part for one in stretches for part in one.parts)).key_terms(code)[:1]
    return next((one for one in terms if all(f" {key_of(one, code)} " in text for text in said)), "")


def _is_dictionary(stretch: Stretch, names: Sequence[str]) -> bool:
    """Whether it explains one term after the other, so that the first and the last of them name it."""
    in_glossary = all(any(map(is_glossary, part.path)) for part in stretch.parts)
    in_order = len(names) > NAMED_TERMS and [*names] == sorted(names, key=str.casefold)
    return in_glossary or in_order or bool(entries_in(stretch.blocks))


def _above(parts: Sequence[Part], others: Sequence[Stretch]) -> str:
    """The heading over all of the parts, if there are several and all that stands under it."""
    levels = zip(*(part.path for part in parts), strict=False)
    above = tuple(level[0] for level in takewhile(lambda level: len({*level}) == 1, levels)) if len(parts) > 1 else ()
    elsewhere = any(part.path[: len(above)] == above for other in others for part in other.parts)
    return above[-1] if above and not elsewhere else ""


def _under(parts: Sequence[Part], others: Sequence[Stretch]) -> str:
    """The heading right above all of the parts, if other parts stand under another one."""
    above = {part.path if part.opening else part.path[:-1] for part in parts}
    path = above.pop() if len(above) == 1 else ()
    elsewhere = any(part.path[: len(path)] != path for other in others for part in other.parts if part.path)
    named = path and len(path[-1].split()) <= MOST_ABOVE and names_subject(path[-1]) and not says_nothing(path[-1])
    return path[-1] if named and elsewhere else ""


def capitalized(text: str) -> str:
    """The text with a capital first letter, the others as they are."""
    return text[:1].upper() + text[1:]
