"""Sections merged and split into a fixed number of units, each with a title of its own."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from math import sqrt

from sprout.offline.notes.language import empty_titles, phrases
from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.reading import Section, words_of
from sprout.offline.notes.terms import Lexicon, stems_of

LEAST_WORDS = 20
MOST_TITLE_WORDS = 8
DESC_CHARACTERS = 340
TITLE_CHARACTERS = 70


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of the text that is learned as one thing. `breaks` are indexes of sentences that open a paragraph."""

    heading: str
    level: int
    sentences: tuple[str, ...]
    breaks: frozenset[int] = field(default=frozenset())
    whole: bool = True

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def units_of(
    sections: Sequence[Section], *, least: int, most: int, lexicon: Lexicon, least_sentences: int
) -> list[Unit]:
    """Between `least` and `most` units in the order of the text; fewer only where there are too few sentences."""
    units = [_unit(section) for section in sections if section.sentences]
    total = sum(len(unit.sentences) for unit in units)
    least = max(1, min(least, total // least_sentences))
    while len(units) > most:
        units = _merged(units, _cheapest_pair(units))
    while len(units) > least and (tiny := _tiny(units)) is not None:
        units = _merged(units, tiny)
    while len(units) < least:
        at = _largest(units, least_sentences)
        if at is None:
            break
        units[at : at + 1] = _split(units[at], lexicon, least_sentences)
    return units


def titles_of(units: Sequence[Unit], lexicon: Lexicon, *, claims: bool) -> list[str]:
    """A unique title of two to eight words for each unit; with `claims` a short statement of the text if it has one."""
    taken: set[str] = set()
    common = common_terms(units, lexicon)
    titles = []
    for unit in units:
        for title in _candidates(unit, lexicon, common, claims):
            if title.casefold() not in taken and 2 <= len(title.split()) <= MOST_TITLE_WORDS:
                break
        else:
            title = next(
                name for n in range(1, len(units) + 2) if (name := f"{_short(unit)} {n}").casefold() not in taken
            )
        taken.add(title.casefold())
        titles.append(title)
    return titles


def described(unit: Unit, lexicon: Lexicon) -> str:
    """Up to three sentences of the unit, in their order, that stand on their own and carry its terms."""
    ranked = sorted(range(len(unit.sentences)), key=lambda at: (-_worth(unit, at, lexicon), at))
    chosen: list[int] = []
    for at in ranked[:4]:
        if sum(len(unit.sentences[other]) for other in [*chosen, at]) <= DESC_CHARACTERS or not chosen:
            chosen.append(at)
        if len(chosen) == 3:
            break
    return _clipped(" ".join(unit.sentences[at] for at in sorted(chosen)), DESC_CHARACTERS + 160)


def own_terms(units: Sequence[Unit], lexicon: Lexicon) -> list[list[str]]:
    """For each unit the keys of the terms that are used more in it than anywhere else, weightiest first."""
    counts = [_term_counts(unit, lexicon) for unit in units]
    common = common_terms(units, lexicon)
    found = []
    for at, unit in enumerate(units):
        in_heading = set(lexicon.in_text(unit.heading))
        share = {
            key: lexicon.weight[key]
            * count
            / sum(other.get(key, 0) for other in counts)
            * (2 if key in in_heading else 1)
            for key, count in counts[at].items()
            if key not in common and (key in in_heading or count == max(other.get(key, 0) for other in counts))
        }
        found.append(sorted(share, key=lambda key: (-share[key], key)))
    return found


def starts_vaguely(sentence: str, language: str) -> bool:
    """Whether a sentence needs the one before it: it opens with a pronoun or a connecting word."""
    words = words_of(sentence)
    return not words or words[0] in words_in(language).vague_starts


def _unit(section: Section) -> Unit:
    breaks, count = set(), 0
    for paragraph in section.paragraphs:
        breaks.add(count)
        count += len(paragraph)
    return Unit(section.title, section.level, tuple(section.sentences), frozenset(breaks))


def _tiny(units: Sequence[Unit]) -> int | None:
    """Index of the first of a pair to merge, because one of the two is too small to stand alone."""
    for at, unit in enumerate(units):
        if len(units) > 1 and len(words_of(unit.text)) < LEAST_WORDS:
            return at if at + 1 < len(units) and (at == 0 or units[at + 1].level > unit.level) else max(0, at - 1)
    return None


def _cheapest_pair(units: Sequence[Unit]) -> int:
    """Index of the first of the two neighbours that are best merged: small, and one under the other or its sibling."""

    def cost(at: int) -> float:
        one, other = units[at], units[at + 1]
        depth = 4 - min(4, max(one.level, other.level))
        above = 0 if other.level > one.level or (other.level == one.level and one.level > 1) else 2
        return len(words_of(one.text)) + len(words_of(other.text)) + 60 * (depth + above)

    return min(range(len(units) - 1), key=cost)


def _merged(units: Sequence[Unit], at: int) -> list[Unit]:
    one, other = units[at], units[at + 1]
    shift = len(one.sentences)
    both = Unit(
        _joint_heading(one, other),
        min(one.level or other.level, other.level or one.level),
        one.sentences + other.sentences,
        one.breaks | {shift + each for each in other.breaks},
    )
    return [*units[:at], both, *units[at + 2 :]]


def _joint_heading(one: Unit, other: Unit) -> str:
    if not one.heading or not other.heading:
        return one.heading or other.heading
    return one.heading if other.level > one.level or len(one.text) >= len(other.text) else other.heading


def _largest(units: Sequence[Unit], least_sentences: int) -> int | None:
    sizes = [len(unit.sentences) for unit in units]
    at = max(range(len(units)), key=lambda index: sizes[index], default=0)
    return at if sizes and sizes[at] >= 2 * least_sentences else None


def _split(unit: Unit, lexicon: Lexicon, least_sentences: int) -> list[Unit]:
    """Two halves, parted where the fewest terms go on: at a paragraph, if one begins at a fitting place."""
    count = len(unit.sentences)
    places = range(least_sentences, count - least_sentences + 1)
    terms = [set(lexicon.in_text(sentence)) for sentence in unit.sentences]

    def cost(at: int) -> float:
        before, after = set().union(*terms[max(0, at - 3) : at]), set().union(*terms[at : at + 3])
        shared = len(before & after) / max(1, len(before | after))
        vague = starts_vaguely(unit.sentences[at], lexicon.language)
        return shared + 2 * abs(at / count - 0.5) + (0 if at in unit.breaks else 0.5) + (0.7 if vague else 0)

    at = min(places, key=cost)
    first = replace(
        unit, sentences=unit.sentences[:at], breaks=frozenset(b for b in unit.breaks if b < at), whole=False
    )
    later = frozenset(b - at for b in unit.breaks if b >= at)
    return [first, replace(unit, sentences=unit.sentences[at:], breaks=later, whole=False)]


def _candidates(unit: Unit, lexicon: Lexicon, common: frozenset[str], claims: bool) -> list[str]:
    """Titles for a unit, the best first: its heading if that says something, its clearest claim, its leading terms."""
    heading = unit.heading.strip(" :.")
    usable = bool(heading) and heading.casefold() not in empty_titles()
    terms = _leading_terms(unit, lexicon, common)
    joined = [_upper(f"{one} {phrases(lexicon.language).and_} {other}") for one, other in pairwise(terms)]
    under = [f"{_shortened(heading, 5)}: {term}" for term in terms if usable and not _contains(heading, term, lexicon)]
    short = [_shortened(heading)] if usable else []
    claimed = _claims(unit, lexicon)
    if claims:
        return [*claimed, *joined, *under, *short]
    if unit.whole:
        return [*short, *under, *claimed, *joined]
    return [*claimed, *under, *joined, *short]


def common_terms(units: Sequence[Unit], lexicon: Lexicon) -> frozenset[str]:
    """Terms that more than half of the units use: what the whole text is about tells no unit from another."""
    if len(units) < 4:
        return frozenset()
    spread: dict[str, int] = {}
    for unit in units:
        for key in set(lexicon.in_text(unit.text)):
            spread[key] = spread.get(key, 0) + 1
    return frozenset(key for key, count in spread.items() if count * 2 > len(units))


def _leading_terms(unit: Unit, lexicon: Lexicon, common: frozenset[str]) -> list[str]:
    counts = _term_counts(unit, lexicon)
    ranked = sorted(counts, key=lambda key: (key in common, -min(6.0, lexicon.weight[key]) * counts[key], key))
    kept: list[str] = []
    for key in ranked:
        if not any(set(key.split()) & set(other.split()) for other in kept):
            kept.append(key)
    return [lexicon.shown[key] for key in kept[:6]]


def _claims(unit: Unit, lexicon: Lexicon) -> list[str]:
    """Main clauses of the unit's sentences that are short enough for a title, the best sentence's first."""
    ranked = sorted(range(len(unit.sentences)), key=lambda at: (-_worth(unit, at, lexicon), at))
    return [claim for at in ranked if (claim := main_clause(unit.sentences[at], lexicon.language))]


def main_clause(sentence: str, language: str) -> str:
    """The sentence up to its first comma, bracket or subordinate clause, if that is three to eight words; else ""."""
    if starts_vaguely(sentence, language) or '"' in sentence or "“" in sentence:
        return ""
    head = _cut(language).split(sentence, maxsplit=1)[0].strip(" .!?:;,–—-")
    words = head.split()
    if not 3 <= len(words) <= MOST_TITLE_WORDS or len(head) > TITLE_CHARACTERS:
        return ""
    if words_of(words[-1]) and words_of(words[-1])[-1] in words_in(language).stopwords:
        return ""
    shortened = len(head) < len(sentence.strip(" .!?"))
    return (
        ""
        if shortened and words_of(words[0])[:1] and words_of(words[0])[0] in words_in(language).opens_clause
        else head
    )


def _worth(unit: Unit, at: int, lexicon: Lexicon) -> float:
    sentence = unit.sentences[at]
    words = words_of(sentence)
    counts = _term_counts(unit, lexicon)
    value = sum(min(4.0, lexicon.weight[key] * sqrt(counts.get(key, 0))) for key in lexicon.in_text(sentence)[:5])
    value += 3.0 if at == 0 else 1.0 if at in unit.breaks else 0.0
    value -= 8.0 if starts_vaguely(sentence, lexicon.language) else 0.0
    return value - max(0, len(words) - 25) * 0.5 - max(0, 6 - len(words)) * 1.5


def _term_counts(unit: Unit, lexicon: Lexicon) -> dict[str, int]:
    counts: dict[str, int] = {}
    for sentence in unit.sentences:
        for key in lexicon.in_text(sentence):
            counts[key] = counts.get(key, 0) + 1
    return counts


def _contains(heading: str, term: str, lexicon: Lexicon) -> bool:
    return bool(set(stems_of(heading, lexicon.language)) & set(stems_of(term, lexicon.language)))


def _shortened(title: str, words: int = MOST_TITLE_WORDS) -> str:
    return " ".join(title.split()[:words]).strip(" ,;:–-") if len(title.split()) > words else title


def _short(unit: Unit) -> str:
    words = (unit.heading or unit.sentences[0]).split()[: MOST_TITLE_WORDS - 2]
    return " ".join(words).strip(" ,;:.–-")[:TITLE_CHARACTERS]


def _clipped(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[:characters].rsplit(' ', 1)[0]} …"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _cut(language: str) -> re.Pattern[str]:
    """Where the main clause of a sentence ends."""
    return re.compile(rf"[,;:–—(]| - | (?:{words_in(language).cuts_clause}) ")
