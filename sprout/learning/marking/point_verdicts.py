"""Point verdicts: what a learner says of single criteria, such as "the first yes, the second not quite"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sprout.events import Mark
from sprout.learning.marking.choice_clauses import words_of
from sprout.learning.marking.comparison import MARKS, Comparison, longest_phrase, phrases
from sprout.learning.marking.number_words import count_of
from sprout.learning.marking.ordinals import ordinals
from sprout.learning.text.confusables import plain
from sprout.learning.text.stems import stem, stems

_NUMBERING = re.compile(r"(?<!\w)[cp#]?(\d)(?:[.):](?=\s|\Z)|(?!\w))", re.IGNORECASE)
_ALL_BUT = re.compile(r"\b(all|both|everything|alles?|tous?|todos?) (?:but|aber|mais|menos)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,.;!?\n…]+|\b(?:but|aber|mais|pero)\b", re.IGNORECASE)
_ENDS_AS_QUESTION = re.compile(r"[?？]\W*\Z")
_APOSTROPHE = re.compile("['’`´]")


class _Kind(StrEnum):
    POINTS = "points"
    ALL = "all"
    NONE = "none"
    MARK = "mark"
    NO = "no"
    LACKS = "lacks"  # "not", "I forgot": what comes next is missing, and without anything next what came before
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: _Kind
    points: frozenset[str] = frozenset()
    mark: Mark = "met"


@dataclass(slots=True)
class _Reading:
    """Verdicts read so far.

    Args:
        waiting: points that were named and have no verdict yet.
        whole: the verdict that stands without any point.
        clear: whether all can be read in one way only.
    """

    verdicts: dict[str, Mark] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    whole: Mark | None = None
    clear: bool = True

    def say(self, points: frozenset[str], mark: Mark) -> None:
        self.verdicts |= dict.fromkeys(points, mark)

    def settle(self, mark: Mark) -> None:
        """Give the waiting points their verdict."""
        self.say(self.waiting, mark)
        self.waiting = frozenset()


def point_verdicts(text: str, comparison: Comparison, *, is_asked: bool = False) -> dict[str, Mark] | None:
    """The verdict on each criterion, where the text names some of them, or says "both" or "none"; else None.

    Beside those that are met the rest is missing, and the other way round.

    Args:
        is_asked: whether the learner was asked for the points, so that other words may stand beside them.
    """
    clauses = _without_lack_in_own_words(_clauses(text, comparison))
    has_other = any(one.kind is _Kind.OTHER for clause in clauses for one in clause)
    if _ENDS_AS_QUESTION.search(text) or (has_other and not is_asked):
        return None
    reading = _Reading()
    for clause in clauses:
        _read(_plain_clause(clause, reading), reading)
    reading.settle("met")
    return _with_rest(reading, [one.id for one in comparison.criteria])


def _without_lack_in_own_words(clauses: Sequence[list[_Piece]]) -> list[list[_Piece]]:
    """The clauses without "but not the fix" behind points that are named: what is not named is missing."""
    kept: list[list[_Piece]] = []
    for clause in clauses:
        kinds = [one.kind for one in clause]
        is_lack = kinds[0] is _Kind.LACKS and _Kind.OTHER in kinds and not any(one.points for one in clause)
        if not (is_lack and any(one.points for before in kept for one in before)):
            kept.append(clause)
    return kept


def is_verdict_alone(text: str, comparison: Comparison) -> bool:
    """Whether the text consists of words for verdicts and points: no answer, whether it can be read or not."""
    kinds = {one.kind for clause in _clauses(text, comparison) for one in clause}
    return bool(kinds) and _Kind.OTHER not in kinds


def _with_rest(reading: _Reading, ids: Sequence[str]) -> dict[str, Mark] | None:
    said = reading.verdicts
    is_open = "met" not in said.values() and ("partly" in said.values() or reading.whole == "missing")
    if not said or not reading.clear or (is_open and len(said) < len(ids)):
        return None
    rest: Mark = "missing" if "met" in said.values() else "met"
    return {one: said.get(one, rest) for one in ids}


def _plain_clause(clause: Sequence[_Piece], reading: _Reading) -> list[_Piece]:
    """The clause without other words, with "missing nothing" as "all", and with "no" as a verdict or left out."""
    said = [one for one in clause if one.kind is not _Kind.OTHER]
    kinds = [one.kind for one in said]
    if kinds[:1] == [_Kind.NO] and kinds[1:2] in ([_Kind.ALL], [_Kind.NONE]):
        said = said[1:]
    elif kinds[:2] == [_Kind.NO, _Kind.POINTS] and not reading.verdicts and not reading.waiting:
        reading.clear = False  # "no the second" may mean either
    said = [replace(one, kind=_Kind.MARK) if one.kind is _Kind.NO else one for one in said]
    lacks = any(one.kind is _Kind.LACKS or (one.kind is _Kind.MARK and one.mark == "missing") for one in said)
    denied = [one for one in said if one.kind is _Kind.NONE]
    return [replace(denied[0], kind=_Kind.ALL)] if denied and lacks else said


def _read(clause: Sequence[_Piece], reading: _Reading) -> None:
    """Add what a clause says: its marks stand behind their points, or before them where it begins with one."""
    named = [bool(one.points) for one in clause]
    if not any(named):
        _read_whole(clause, reading)
        return
    reading.settle("met")
    mark, lacking, leads = None, False, clause[0].kind is _Kind.MARK
    for at, one in enumerate(clause):
        match one.kind:
            case _Kind.LACKS:
                lacking = any(named[at:])
                reading.settle("met" if lacking else "missing")
            case _Kind.MARK:
                reading.clear = reading.clear and (leads or bool(reading.waiting))
                mark, lacking = one.mark, False
                reading.settle(one.mark)
            case _Kind.NONE:
                reading.say(one.points, "missing")
            case _ if lacking:
                reading.clear = reading.clear and one.kind is not _Kind.ALL  # "not both"
                reading.say(one.points, "missing")
            case _ if leads and mark:
                reading.say(one.points, mark)
            case _:
                reading.waiting |= one.points


def _read_whole(clause: Sequence[_Piece], reading: _Reading) -> None:
    """Add a verdict without points: on those that wait for one, else on the whole."""
    found: list[Mark] = ["missing" if one.kind is _Kind.LACKS else one.mark for one in clause]
    if found and reading.waiting:
        reading.settle(found[-1])
    elif found and not reading.verdicts:
        reading.whole = found[-1]


def _clauses(text: str, comparison: Comparison) -> list[list[_Piece]]:
    said = _NUMBERING.sub(r" \1 ", _ALL_BUT.sub(r"\1 except", _APOSTROPHE.sub("", text)))
    clauses = (plain(part).split() for part in _CLAUSE_END.split(said))
    return [pieces for words in clauses if words and (pieces := [*_pieces(words, comparison)])]


def _pieces(words: Sequence[str], comparison: Comparison) -> Iterator[_Piece]:
    at = 0
    while at < len(words):
        length, piece = _piece_at(words[at:], comparison)
        at += length
        if piece is not None:
            yield piece


def _piece_at(words: Sequence[str], comparison: Comparison) -> tuple[int, _Piece | None]:
    """The piece that the words begin with, and how many of them it takes; None for a filler."""
    everything = frozenset(one.id for one in comparison.criteria)
    if points := _named(words[0], comparison):
        return 1, _Piece(_Kind.POINTS, points)
    lengths = {name: longest_phrase(words, name) for name in ("all_points", "no_points", "lacks", *MARKS, "beside")}
    name, length = max(lengths.items(), key=lambda one: one[1])
    if not length:
        is_negation = words[0] in words_of("negations")
        return 1, _Piece(_Kind.LACKS if is_negation else _Kind.OTHER)
    match name:
        case "all_points":
            return length, _Piece(_Kind.ALL, everything)
        case "no_points":
            return length, _Piece(_Kind.NONE, everything)
        case "lacks":
            return length, _Piece(_Kind.LACKS)
        case "met" | "partly" | "missing":
            is_no = length == 1 and words[0] in words_of("denials")
            return length, _Piece(_Kind.NO if is_no else _Kind.MARK, mark=name)
        case _:
            return length, None


def _named(word: str, comparison: Comparison) -> frozenset[str]:
    """The criteria that the word names by number, by place, or by a word that only one of their labels has."""
    ids = [one.id for one in comparison.criteria]
    place = None if word in phrases("beside") else ordinals().get(word)
    if place is None and (count := count_of(word)) and word not in ("a", "an", "one"):
        place = count - 1
    if place is not None:
        return frozenset(ids[place : place + 1] if place >= 0 else ids[place:])
    if word in phrases("beside"):
        return frozenset()
    owners = [one.id for one in comparison.criteria if stem(word) in stems([one.label])]
    return frozenset(owners) if len(owners) == 1 else frozenset()
