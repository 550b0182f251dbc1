"""Titles of the stretches of notes: their headings, or the terms that they are about."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, takewhile

from sprout.learning.paths.passages import HEADING_SEPARATOR, NAME_SEPARATOR
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.titles import without_numbering
from sprout.learning.structure.words import chapter_pattern
from sprout.offline.notes.document import Part
from sprout.offline.notes.glossary import entries_in, is_glossary
from sprout.offline.notes.headings import NUMBERED, names_subject, says_nothing, tells
from sprout.offline.notes.labels import cut_at_labels
from sprout.offline.notes.language import language
from sprout.offline.notes.outline import CRUMB, NAMED_TERMS, Stretch
from sprout.offline.notes.terms import is_in_language
from sprout.offline.notes.words import key_of, words_of

MOST_ABOVE = 5  # words of a heading that stands before those below it
SHORT_NAME = 2  # words of a heading that may need the one above to say of what: "Human Development: Physical"
LONGEST_TITLE, LONGEST_BRIEF, LONGEST_RANGE = 90, 120, 160
NAMING_TERMS, JOINED_TERMS = 3, 2
MOST_NAMED = 2 / 3  # of a stretch's words, from which on the text before its sections need not be named
NAMED_SHARE = 0.06  # of a stretch's words, of a section that its title names
LEAST_PIECES = 2  # of running text, that are numbered
LEAST_NUMBERED = 3  # headings of a word and a number, from which on they are a series: "World War II" is none
NUMBERED_SHARE = 0.6  # of the headings of a stretch
TO = " – "  # between the first and the last of several names

_DASH = re.compile(r"\s[–—-]\s")
_SECOND_PART = re.compile(rf"{_DASH.pattern}|\s\((?=[^()]*\)$)|:\s")


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


def _titles(stretch: Stretch, others: Sequence[Stretch], code: str, within: bool) -> Iterator[str]:
    """Possible titles, the best first."""
    say = language(code).phrases
    headed = [each for part in stretch.parts if part.path for each in _telling(part, alone=len(stretch.parts) == 1)]
    named = [part for part in headed if not part.opening]
    named = named if sum(part.words for part in named) >= MOST_NAMED * stretch.words else headed
    named = [part for part in named if part.words >= min(CRUMB, NAMED_SHARE * stretch.words)] or named
    titles = list(dict.fromkeys(title for part in named if (title := part.title)))
    titles = [title for title in titles if without_numbering(title)] or titles
    told = [title for title in titles if tells(title)]
    if told and 2 * sum(part.words for part in headed if part.title in told) < stretch.words:
        told = titles
    told = told or list(dict.fromkeys(part.title for part in headed if part.title and tells(part.title)))
    titles = told or (titles if len(headed) == len(stretch.parts) else [])
    terms = stretch.terms or (() if titles else stretch.key_terms(code))
    names = terms or titles
    if len(names) > JOINED_TERMS and _is_dictionary(stretch, names):
        yield f"{capitalized(names[0])}{TO}{names[-1]}"
    if not titles:
        said = NAME_SEPARATOR.join(map(capitalized, terms[:JOINED_TERMS])) if within else ""
        first = [stretch.parts[0].label, said, *map(capitalized, terms)]
        first += [_labels(stretch), *(part.path[-1] for part in headed)]
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
    sizes = _sizes(named)
    if not (told or within) and (about := _about(stretch, code)):
        yield f"{titles[0]}: {about}"
    whole = _joined(titles, sizes, say.and_more)
    under = "" if within else _under(named, others)
    needs_above = all(len(title.split()) <= SHORT_NAME for title in titles) or _stand_elsewhere(named, others)
    if under and under not in whole and needs_above:
        yield f"{under}: {whole}"
    unnamed = sum(part.words for part in headed if not part.title)
    if 2 * unnamed > stretch.words and not whole.endswith(say.and_more):
        whole = f"{whole} {say.and_more}"
    yield whole if len(whole) <= LONGEST_RANGE or len(titles) == 1 else f"{titles[0]} {say.and_more}"
    if len(terms) > JOINED_TERMS:
        yield f"{capitalized(terms[0])} {say.and_more}"
    yield HEADING_SEPARATOR.join(named[0].path[-2:])


def _telling(part: Part, *, alone: bool) -> Sequence[Part]:
    """The section; beside others, those below it where its own heading says nothing."""
    return [part] if alone or not (part.parts and says_nothing(part.path[-1])) else part.opened()


def _about(stretch: Stretch, code: str) -> str:
    """Subject of a stretch whose headings do not say it: the sections below, the labels in it, else its key terms."""
    return _below(stretch, code) or _labels(stretch) or _key_words(stretch, code)


def _labels(stretch: Stretch) -> str:
    parts = (each for part in stretch.parts for each in part.iter_parts())
    found = (label for part in parts for label, _ in cut_at_labels(part) if label)
    return NAME_SEPARATOR.join([*dict.fromkeys(found)][:JOINED_TERMS])


def _key_words(stretch: Stretch, code: str) -> str:
    """Terms that it uses, but for words in a language that is unknown: they would stand in any form."""
    if not is_in_language("\n".join(map(text_of, stretch.blocks)), code):
        return ""
    return ", ".join(stretch.key_terms(code)[:NAMING_TERMS])


def _below(stretch: Stretch, code: str) -> str:
    """The sections below those of a stretch, if they say what most of it is about; else empty."""
    below = [each for part in stretch.parts for each in part.parts if each.title and tells(each.path[-1])]
    most = 2 * sum(each.words for each in below) > stretch.words
    sizes = _sizes(below)
    return _joined(list(sizes), sizes, language(code).phrases.and_more) if most else ""


def _sizes(parts: Sequence[Part]) -> Counter[str]:
    """Titles of sections in their order, with the words that stand under each."""
    sizes: Counter[str] = Counter()
    for part in parts:
        sizes[part.title] += part.words
    return sizes


def _joined(titles: Sequence[str], sizes: Mapping[str, int], and_more: str) -> str:
    """All titles as one, or where that is long the first and those of the largest sections; what all begin with stands
    there once, and one that another names too is left out."""
    titles = [one for one in titles if not any(_is_said_by(one, other) for other in titles)]
    above = {title.partition(": ")[0] for title in titles if ": " in title}
    if len(titles) > 1 and len(above) == 1 and all(": " in title for title in titles):
        below = {title: title.partition(": ")[2] for title in titles}
        return (
            f"{above.pop()}: {_joined([*below.values()], {below[one]: sizes.get(one, 0) for one in below}, and_more)}"
        )
    whole = NAME_SEPARATOR.join(titles)
    if len(whole) <= LONGEST_TITLE or len(titles) == 1:
        return whole
    brief = list(dict.fromkeys(map(_brief, titles)))
    whole = NAME_SEPARATOR.join(brief)
    if len(whole) <= LONGEST_BRIEF or len(brief) <= 2:
        return whole
    largest = sorted(titles, key=lambda one: -sizes.get(one, 0))
    kept = {_brief(largest[0] if ": " in titles[0] else titles[0])}
    for name in map(_brief, largest):
        if len(NAME_SEPARATOR.join({*kept, name})) <= LONGEST_BRIEF:
            kept.add(name)
    return f"{NAME_SEPARATOR.join([name for name in brief if name in kept])} {and_more}"


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
    named = names_subject(first) and len(first.split()) > 1 and not NUMBERED.fullmatch(first)
    rest = title.removeprefix(first).removeprefix(": ")
    if is_cut and first[-1:].isdigit() and title.startswith(f"{first}: ") and names_subject(rest):
        return rest  # "Mechanics, week 6: Friction"
    named = named and not (rest[:1].isalpha() and says_nothing(rest))  # then it says where that stands
    return first if is_cut and named else title


def _numbered_titles(stretches: Sequence[Stretch], code: str) -> dict[int, str]:
    """Titles of the stretches whose headings are but numbers of a series, "Art 5" or "II.": the first and the last, and
    of a single one what it is about."""
    headings = [[part.path[-1] for part in one.parts if part.path] for one in stretches]
    read = [[NUMBERED.fullmatch(heading) for heading in each] for each in headings]
    kinds = Counter(_kind(found) for each in read for found in each if found)
    titles = {}
    for at, (one, each) in enumerate(zip(stretches, read, strict=True)):
        names = [
            found["date"] or found["kind"] + found["number"]
            for found in each
            if found and (found["date"] or kinds[_kind(found)] >= _least_numbered(_kind(found)))
        ]
        if names and len(names) >= NUMBERED_SHARE * len(each):
            first = names[0] if each[0] else headings[at][0]
            series = first if len(each) == 1 else f"{first}{TO}{names[-1]}"
            about = _about(one, code)
            about = about if len(series) + len(about) <= LONGEST_RANGE else _key_words(one, code)
            titles[at] = f"{series}: {about}" if about else series
    return titles


def _least_numbered(kind: str) -> int:
    """Headings with this word and a number from which on they are a series: "Chapter 4" is one alone."""
    if chapter_pattern().fullmatch(f"{kind} 1"):
        return 1
    return LEAST_NUMBERED - 1 if says_nothing(kind) else LEAST_NUMBERED


def _kind(numbered: re.Match[str]) -> str:
    """Noun that a numbered heading counts, in small letters: "week" of "Week 2"; empty for a number alone."""
    return (numbered["kind"] or "").strip(" .").casefold()


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


def _stand_elsewhere(parts: Sequence[Part], others: Sequence[Stretch]) -> bool:
    """Whether another part of the text has a section of the same name."""
    names = {part.path[-1] for part in parts}
    below = (each for other in others for part in other.parts for each in part.iter_parts())
    return any(each.path and each.path[-1] in names and not each.opening for each in below)


def capitalized(text: str) -> str:
    """The text with a capital first letter, the others as they are."""
    return text[:1].upper() + text[1:]
