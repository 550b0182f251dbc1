"""Stated results: which of the numbers in a learner's answer is its result.

People write "7 hundreds, 6 in each, so 42", "42, because 700 is 7 hundreds" and "40, no wait, 42". The result is what
the words come to: what stands behind an equals sign or a word such as "so", else what the answer begins or ends with.
Numbers that are calculated with, that the question states or that the learner takes back are none.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sprout.learning.marking.answer_pieces import Kind, Piece, answer_pieces, plain_text
from sprout.learning.marking.quantities import Quantity, iter_quantities
from sprout.learning.marking.units import convert, parse_unit

MAX_ANSWER_LENGTH = 2_000
_EDGE = 4  # words that may stand before the number an answer begins with, or behind the one it ends with
_CHAT = 5  # words from which an answer may be about something else
_BASES = frozenset((1.0, 100.0, 1000.0))  # as in "6 for every 100"
_CALCULATION = (Kind.WORKED, Kind.OPERATOR, Kind.EQUALS, Kind.OPEN, Kind.CLOSE)
_TO = (":", "to", "zu", "à", "a")  # odds
_STOPS = (Kind.COMMA, Kind.END, Kind.OPEN)


@dataclass(frozen=True, slots=True)
class StatedResults:
    """Results that an answer states, and the numbers beside them.

    Args:
        results: one, or several where the learner must say which one counts; none without any number.
        others: the other numbers that may have been meant.
        sure: whether the result is stated as one, and not just a number in a sentence.
    """

    results: tuple[Quantity, ...] = ()
    others: tuple[Quantity, ...] = ()
    sure: bool = True


def stated_results(answer: str, *, unit: str | None = None, prompt: str = "") -> StatedResults:
    """The results that the answer states.

    Args:
        unit: the question's.
        prompt: the question, whose own numbers are more often repeated than meant as a result.
    """
    if len(answer) > MAX_ANSWER_LENGTH:
        return StatedResults()
    given = _BASES.union(abs(placed.quantity.value) for placed in iter_quantities(plain_text(prompt), unit=unit))
    pieces = _after_correction(answer_pieces(answer, unit=unit))
    found = _StatedNumbers(_told_apart(_without_asides(pieces)), given, unit).choose()
    return found if found.results else _StatedNumbers(_told_apart(pieces), given, unit).choose()


def _told_apart(pieces: Sequence[Piece]) -> list[Piece]:
    return _without_worked(_without_shares(_without_reasons(pieces)))


def _after_correction(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces behind the last correction that stands between numbers."""
    for at in range(len(pieces) - 1, 0, -1):
        if pieces[at].kind is Kind.CORRECTION and _has_number(pieces[:at]) and _has_number(pieces[at:]):
            return [*pieces[at + 1 :]]
    return [*pieces]


def _without_asides(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces but those in brackets behind a number."""
    kept: list[Piece] = []
    depth = 0
    for piece in pieces:
        if piece.kind is Kind.OPEN and (depth or _has_number(kept)):
            kept += [] if depth else [replace(piece, kind=Kind.COMMA)]
            depth += 1
        elif piece.kind is Kind.CLOSE and depth:
            depth -= 1
        elif not depth:
            kept.append(piece)
    return kept


def _without_reasons(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces but the reasons that follow a number, up to the end of their sentences or a word such as "so"."""
    kept: list[Piece] = []
    skipping = False
    for piece in pieces:
        if piece.kind is Kind.REASON and _has_number(kept):
            skipping = True
            kept.append(replace(piece, kind=Kind.END))
        elif skipping and piece.kind in (Kind.END, Kind.RESULT):
            skipping = False
        if not skipping:
            kept.append(piece)
    return kept


def _without_shares(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces with "6 of 100" as one number that may also be their ratio, and "6 % of 700" as what is worked with."""
    kept = [*pieces]
    for at in range(len(kept) - 2):
        first, between, second = kept[at : at + 3]
        if first.quantity is None or second.quantity is None or first.kind is Kind.WORKED:
            continue
        part, whole = first.quantity, second.quantity
        if between.kind is Kind.OPERATOR and between.text in _TO and whole.value in (1.0, 100.0):
            kept[at], kept[at + 1] = replace(first, quantity=_with_ratio(part, whole)), replace(between, kind=Kind.WORD)
        elif between.kind is not Kind.SHARE:
            continue
        elif part.unit != "%" and 1 <= part.value < whole.value:
            kept[at] = replace(first, quantity=_with_ratio(part, whole))
        else:
            kept[at] = replace(first, kind=Kind.WORKED)
        kept[at + 2] = replace(second, kind=Kind.WORKED)
    return kept


def _with_ratio(part: Quantity, whole: Quantity) -> Quantity:
    """The part, which may also be meant as the ratio, and in "1 in 200" as the whole."""
    ratio = (part.value / whole.value,) if whole.value else ()
    return replace(part, alternatives=(*part.alternatives, *ratio, *((whole.value,) if part.value == 1 else ())))


def _without_worked(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces with the numbers beside an operator, before an equals sign or behind a "not" as worked with."""
    bare = [at for at, piece in enumerate(pieces) if piece.kind not in (Kind.OPEN, Kind.CLOSE)]
    kept = [*pieces]
    for before, at, after in zip(bare, bare[1:], bare[2:], strict=False):
        sides = [side for side in (before, after) if pieces[side].quantity is not None]
        if pieces[at].kind is Kind.OPERATOR and len(sides) == 2:
            for side in sides:
                kept[side] = replace(pieces[side], kind=Kind.WORKED)
    for before, at in pairwise(bare):
        opened = any(piece.kind is Kind.OPEN for piece in pieces[before:at])
        if (
            pieces[at].kind is Kind.EQUALS
            and not opened
            and pieces[before].quantity is not None
            and _has_number(pieces[at:])
        ):
            kept[before] = replace(kept[before], kind=Kind.WORKED)
        if pieces[before].kind is Kind.NEGATION and pieces[at].quantity is not None:
            kept[at] = replace(kept[at], kind=Kind.WORKED)
    return kept


def _has_number(pieces: Iterable[Piece]) -> bool:
    return any(piece.quantity is not None for piece in pieces)


@dataclass(frozen=True, slots=True)
class _StatedNumbers:
    """The numbers of an answer that may be its result, in their order.

    Args:
        given: absolute values that the question states.
        unit: the question's.
    """

    pieces: Sequence[Piece]
    given: frozenset[float]
    unit: str | None = None

    def choose(self) -> StatedResults:
        numbers = [at for at, piece in enumerate(self.pieces) if piece.kind is Kind.NUMBER]
        if two := self._choice(numbers):
            return StatedResults(two)
        strong = [at for at in numbers if self._is_strong(at)]
        fitting = [at for at in numbers if not self._is_of_other_kind(at)]
        own = [at for at in fitting if at in strong or self._is_asserted(at) or not self._is_given(at)]
        if not own and self._words() >= _EDGE - 1 and not (numbers and self._leads(numbers[0])):
            return StatedResults()
        chosen = self._chosen(own or numbers, strong)
        if chosen is None:
            return StatedResults(tuple(self._quantities(own or numbers)))
        others = [at for at in own if at != chosen]
        sure = chosen in strong or self._is_statement(chosen) or self._words() < _CHAT or self._leads(chosen)
        return StatedResults((self._quantity(chosen),), tuple(self._quantities(others)), sure)

    def _chosen(self, numbers: Sequence[int], strong: Sequence[int]) -> int | None:
        """The place of the result; None where there is no number, or nothing tells which one it is."""
        if not numbers:
            return None
        if len({self._quantity(at).value for at in numbers}) == 1:
            return numbers[-1]
        first, last = numbers[0], numbers[-1]
        if strong and (self._ends(strong[-1]) or self._is_concluded(strong[-1])):
            return last if self._ends(last) else strong[-1]
        if self._leads(first) and not self._is_closing(last):
            return first
        if self._ends(last):
            return last
        return strong[-1] if strong else None

    def _choice(self, numbers: Sequence[int]) -> tuple[Quantity, ...]:
        """The two numbers beside an "or" that is not settled by what follows."""
        for at, piece in enumerate(self.pieces):
            if piece.kind is not Kind.CHOICE:
                continue
            before, after = [one for one in numbers if one < at], [one for one in numbers if one > at]
            sides = [*before[-1:], *after[:1]] if before else after[:2]
            if len(sides) < 2 or any(self._is_strong(one) for one in after if one not in sides):
                continue
            two = [self._quantity(one) for one in sides]
            if two[0] != two[1]:
                return tuple(two)
        return ()

    def _is_strong(self, at: int) -> bool:
        """Whether an equals sign or a word such as "so" leads to the number, in its sentence and with none between."""
        for piece in reversed(self.pieces[:at]):
            if piece.kind in (Kind.EQUALS, Kind.RESULT):
                return True
            if piece.quantity is not None or piece.kind is Kind.END:
                return False
        return False

    def _is_concluded(self, at: int) -> bool:
        """Whether a word such as "so" stands shortly before the number, or before the calculation that leads to it."""
        before = [piece for piece in self.pieces[:at] if piece.kind not in _CALCULATION]
        return any(piece.kind is Kind.RESULT for piece in before[-2:])

    def _is_statement(self, at: int) -> bool:
        before = [
            piece for piece in self.pieces[max(0, at - 2) : at] if len(piece.text) > 3 or piece.kind is not Kind.WORD
        ]
        return bool(before) and before[-1].kind is Kind.STATEMENT

    def _is_asserted(self, at: int) -> bool:
        """Whether the number is meant although the question states it as well: "42, …" or "it is 42"."""
        if at == 0:
            return self._leads(at) and self.pieces[1].kind in _STOPS
        return self.pieces[at - 1].kind in (Kind.COPULA, Kind.STATEMENT)

    def _leads(self, at: int) -> bool:
        """Whether the answer begins with the number, and goes on with something else."""
        before = self.pieces[:at]
        if _has_number(before) or len(before) > _EDGE or any(one.kind in (Kind.END, Kind.EQUALS) for one in before):
            return False
        if any(one.kind is Kind.WORD for one in before) and not self._is_statement(at):
            return False
        behind = self.pieces[at + 1 : at + _EDGE + 1]
        stop = next((place for place, piece in enumerate(behind) if piece.kind in _STOPS), None)
        if stop is None or _has_number(behind[:stop]):
            return False
        in_list = behind[stop].kind is Kind.COMMA and _has_number(behind[stop + 1 : stop + 2])
        return not in_list

    def _ends(self, at: int) -> bool:
        return sum(piece.kind not in (Kind.COMMA, Kind.END, Kind.CLOSE) for piece in self.pieces[at + 1 :]) <= _EDGE

    def _is_closing(self, at: int) -> bool:
        """Whether the answer ends with the number as a sentence of its own, or as what "that is" leads to."""
        if not self._ends(at):
            return False
        before = self.pieces[at - 1] if at else None
        stands_alone = before is not None and before.kind is Kind.END and "?" not in before.text
        return stands_alone or self._is_statement(at)

    def _is_given(self, at: int) -> bool:
        return abs(self._quantity(at).value) in self.given

    def _is_of_other_kind(self, at: int) -> bool:
        """Whether the number's unit cannot be converted to the question's: minutes where kilometres are asked for."""
        stated, asked = parse_unit(self._quantity(at).unit or ""), parse_unit(self.unit or "")
        return stated is not None and asked is not None and convert(1.0, stated, asked) is None

    def _words(self) -> int:
        return sum(piece.kind in (Kind.WORD, Kind.STATEMENT, Kind.COPULA) for piece in self.pieces)

    def _quantity(self, at: int) -> Quantity:
        quantity = self.pieces[at].quantity
        assert quantity is not None
        return quantity

    def _quantities(self, places: Sequence[int]) -> Iterator[Quantity]:
        return iter(dict.fromkeys(self._quantity(at) for at in places))
