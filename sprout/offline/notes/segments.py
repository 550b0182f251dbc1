"""Sections merged and split into a fitting number of units, each a stretch of the text that can be named."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

from sprout.offline.notes.parser import Section, words_of
from sprout.offline.notes.terms import Lexicon
from sprout.offline.notes.title_claims import find_claims, needs_context

DESC_CHARACTERS = 340
BEST_SENTENCES = 3


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of the text that is learned as one thing.

    Args:
        breaks: indexes of sentences that open a paragraph.
        whole: whether it is all that stands under its heading.
        merged: headings of parts that were too short to stand alone and are in here.
    """

    heading: str
    level: int
    sentences: tuple[str, ...]
    breaks: frozenset[int] = field(default=frozenset())
    whole: bool = True
    merged: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True)
class SegmentationLimits:
    """Limits for cutting a text into units.

    Args:
        least, most: how many units there are; fewer where the text has too little for `least`.
        least_words: a shorter unit is merged with its neighbour while there are more than `least`.
        least_sentences: what each half of a split unit has at the least.
        inside: whether a paragraph can be cut; otherwise a unit is split only where a paragraph begins.
    """

    least: int
    most: int
    least_words: int
    least_sentences: int
    inside: bool


def units_of(sections: Sequence[Section], lexicon: Lexicon, cut: SegmentationLimits) -> list[Unit]:
    """The units in the order of the text."""
    units = [_unit(section) for section in sections if section.sentences]
    least = max(1, min(cut.least, sum(len(unit.sentences) for unit in units) // cut.least_sentences))
    while len(units) > cut.most:
        units = _merged(units, _cheapest_pair(units))
    while len(units) > least and (tiny := _first_small_pair(units, cut.least_words)) is not None:
        units = _merged(units, tiny)
    nameable = _nameable(lexicon)
    while len(units) < least:
        split = next((at for at in _largest_first(units) if _split_points(units[at], cut, nameable)), None)
        if split is None:
            break
        units[split : split + 1] = _split(units[split], _split_points(units[split], cut, nameable), lexicon)
    return units


def describe_unit(unit: Unit, lexicon: Lexicon, *, spanning: bool) -> str:
    """Up to three sentences of the unit, in their order, that stand on their own and carry its terms.

    With `spanning` there is also one of its first paragraph and one of its last: by them it is found again.
    """
    worths = sentence_scores(unit, lexicon)
    ranked = sorted(range(len(unit.sentences)), key=lambda at: (-worths[at], at))
    chosen: list[int] = []
    if spanning and unit.breaks:
        last = max(unit.breaks)
        first_ends = min((at for at in unit.breaks if at > 0), default=len(unit.sentences))
        chosen += dict.fromkeys((next(at for at in ranked if at < first_ends), next(at for at in ranked if at >= last)))
    for at in ranked[: BEST_SENTENCES + 1]:
        fits = sum(len(unit.sentences[other]) for other in [*chosen, at]) <= DESC_CHARACTERS
        if at not in chosen and len(chosen) < BEST_SENTENCES and (fits or not chosen):
            chosen.append(at)
    return " ".join(unit.sentences[at] for at in sorted(chosen))


def distinctive_terms(units: Sequence[Unit], lexicon: Lexicon) -> list[list[str]]:
    """For each unit the keys of the terms that are used more in it than anywhere else, weightiest first."""
    counts = [term_counts(unit, lexicon) for unit in units]
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


def common_terms(units: Sequence[Unit], lexicon: Lexicon) -> frozenset[str]:
    """Terms that more than half of the units use: the topic of the whole text distinguishes no unit."""
    if len(units) < 4:
        return frozenset()
    spread: dict[str, int] = {}
    for unit in units:
        for key in set(lexicon.in_text(unit.text)):
            spread[key] = spread.get(key, 0) + 1
    return frozenset(key for key, count in spread.items() if count * 2 > len(units))


def term_counts(unit: Unit, lexicon: Lexicon) -> dict[str, int]:
    """In how many sentences of the unit each term stands."""
    counts: dict[str, int] = {}
    for sentence in unit.sentences:
        for key in lexicon.in_text(sentence):
            counts[key] = counts.get(key, 0) + 1
    return counts


def sentence_scores(unit: Unit, lexicon: Lexicon) -> list[float]:
    """Informativeness of each sentence for its unit; higher is better."""
    counts = term_counts(unit, lexicon)
    return [_sentence_score(unit, at, counts, lexicon) for at in range(len(unit.sentences))]


def _sentence_score(unit: Unit, at: int, counts: Mapping[str, int], lexicon: Lexicon) -> float:
    sentence = unit.sentences[at]
    words = words_of(sentence)
    value = sum(min(4.0, lexicon.weight[key] * sqrt(counts.get(key, 0))) for key in lexicon.in_text(sentence)[:5])
    value += 3.0 if at == 0 else 1.0 if at in unit.breaks else 0.0
    value -= 8.0 if needs_context(sentence, lexicon.language) else 0.0
    return value - max(0, len(words) - 25) * 0.5 - max(0, 6 - len(words)) * 1.5


def _unit(section: Section) -> Unit:
    breaks, count = set(), 0
    for paragraph in section.paragraphs:
        breaks.add(count)
        count += len(paragraph)
    return Unit(section.title, section.level, tuple(section.sentences), frozenset(breaks))


def _first_small_pair(units: Sequence[Unit], least_words: int) -> int | None:
    """Index of the first of a pair to merge, because one of the two is too small to stand alone."""
    for at, unit in enumerate(units):
        if len(units) > 1 and len(words_of(unit.text)) < least_words:
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
    heading = _joint_heading(one, other)
    lost = [name for name in (one.heading, other.heading) if name and name != heading]
    both = Unit(
        heading,
        min(one.level or other.level, other.level or one.level),
        one.sentences + other.sentences,
        one.breaks | {shift + each for each in other.breaks},
        merged=(*one.merged, *lost, *other.merged),
    )
    return [*units[:at], both, *units[at + 2 :]]


def _joint_heading(one: Unit, other: Unit) -> str:
    if not one.heading or not other.heading:
        return one.heading or other.heading
    return one.heading if other.level > one.level or len(one.text) >= len(other.text) else other.heading


def _largest_first(units: Sequence[Unit]) -> list[int]:
    return sorted(range(len(units)), key=lambda at: (-len(units[at].sentences), at))


def _nameable(lexicon: Lexicon) -> Callable[[str], bool]:
    """Cached predicate: can a sentence give a title?"""
    known: dict[str, bool] = {}

    def can_name(sentence: str) -> bool:
        if sentence not in known:
            known[sentence] = bool(find_claims(sentence, lexicon))
        return known[sentence]

    return can_name


def _split_points(unit: Unit, cut: SegmentationLimits, nameable: Callable[[str], bool]) -> list[int]:
    """Positions at which a unit can be split: before a sentence that stands alone, so that each half can be named."""
    count = len(unit.sentences)
    names = [at for at, sentence in enumerate(unit.sentences) if nameable(sentence)]
    if not names:
        return []
    return [
        at
        for at in range(cut.least_sentences, count - cut.least_sentences + 1)
        if (cut.inside or at in unit.breaks) and names[0] < at <= names[-1]
    ]


def _split(unit: Unit, places: Sequence[int], lexicon: Lexicon) -> list[Unit]:
    """Two halves, parted where the fewest terms go on: at a paragraph, if one begins at a fitting place."""
    count = len(unit.sentences)
    terms = [set(lexicon.in_text(sentence)) for sentence in unit.sentences]

    def cost(at: int) -> float:
        before, after = set().union(*terms[max(0, at - 3) : at]), set().union(*terms[at : at + 3])
        shared = len(before & after) / max(1, len(before | after))
        vague = needs_context(unit.sentences[at], lexicon.language)
        return shared + 2 * abs(at / count - 0.5) + (0 if at in unit.breaks else 0.5) + (2 if vague else 0)

    at = min(places, key=cost)
    first = replace(
        unit, sentences=unit.sentences[:at], breaks=frozenset(b for b in unit.breaks if b < at), whole=False
    )
    later = frozenset(b - at for b in unit.breaks if b >= at) | {0}
    return [first, replace(unit, sentences=unit.sentences[at:], breaks=later, whole=False, merged=())]
