"""Stated numbers: the numbers of an answer in their order, and which of them is its result."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sprout.learning.marking.answer_pieces import Kind, Piece
from sprout.learning.marking.number_words import ONLY
from sprout.learning.marking.numbers_set_aside import (
    has_number,
)
from sprout.learning.marking.quantities import Quantity
from sprout.learning.marking.units import convert, parse_unit

EDGE = 4  # words that may stand before the number an answer begins with, or behind the one it ends with
_CHAT = 5  # words from which an answer may be about something else
_BASES = frozenset((1.0, 100.0, 1000.0))  # as in "6 for every 100"
_CALCULATION = (Kind.WORKED, Kind.OPERATOR, Kind.EQUALS, Kind.OPEN, Kind.CLOSE)
_STOPS = (Kind.COMMA, Kind.END, Kind.OPEN)
_JUST = re.compile(ONLY, re.IGNORECASE)
_LEADS_TO = (Kind.EQUALS, Kind.RESULT, Kind.STEP)
_LISTS = (",", "(")
_EXPLAINS = ((Kind.COMMA, "-"), (Kind.COMMA, ":"))


@dataclass(frozen=True, slots=True)
class StatedResults:
    """Results that an answer states, and the numbers beside them.

    Args:
        results: one, or several where the learner must say which one counts; none without any number.
        others: the other numbers that may have been meant.
        sure: whether the result is stated as one, and not just a number in a sentence.
        is_unworked: whether the answer is a bare calculation without its result, such as "2 + 4".
        is_bound: whether the answer only says what the result is more or less than.
        concluded: whether a word such as "so" leads from the other numbers to the result.
    """

    results: tuple[Quantity, ...] = ()
    others: tuple[Quantity, ...] = ()
    sure: bool = True
    is_unworked: bool = False
    is_bound: bool = False
    concluded: bool = False


@dataclass(frozen=True, slots=True)
class StatedNumbers:
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
        if not own and self._words() >= EDGE - 1 and not (numbers and self._leads(numbers[0])):
            is_alone = len(numbers) == 1 and numbers[0] <= 1
            return StatedResults(tuple(self._quantities(numbers)) if is_alone else (), sure=False)
        chosen = self._chosen(own or numbers, strong)
        if chosen is None:
            return StatedResults(tuple(self._quantities(own or numbers)))
        others = [at for at in numbers if at != chosen]
        sure = chosen in strong or self._is_statement(chosen) or self._words() < _CHAT or self._leads(chosen)
        concluded = chosen == numbers[-1] and self._follows(chosen)
        return StatedResults((self._quantity(chosen),), tuple(self._quantities(others)), sure, concluded=concluded)

    def _chosen(self, numbers: Sequence[int], strong: Sequence[int]) -> int | None:
        """The place of the result; None where there is no number, or nothing tells which one it is."""
        if not numbers:
            return None
        if len({self._quantity(at).value for at in numbers}) == 1:
            return numbers[-1]
        first, last = numbers[0], numbers[-1]
        if self._is_explained(first) and not self._is_closing(last):
            return first
        if strong and (self._ends(strong[-1]) or self._is_concluded(strong[-1])):
            return last if self._ends(last) else strong[-1]
        if self._leads(first) and not self._is_closing(last):
            return first
        if self._ends(last):
            return last
        return strong[-1] if strong else None

    def _choice(self, numbers: Sequence[int]) -> tuple[Quantity, ...]:
        """The two numbers beside an "or" that is not settled by what follows. Of two that the question states, neither
        is meant where the answer begins with another number: "1, whether 20 or 80"."""
        begins_with_own = bool(numbers) and not self._is_given(numbers[0])
        for at, piece in enumerate(self.pieces):
            if piece.kind is not Kind.CHOICE:
                continue
            before, after = [one for one in numbers if one < at], [one for one in numbers if one > at]
            sides = [*before[-1:], *after[:1]] if before else after[:2]
            if len(sides) < 2 or any(self._is_strong(one) for one in after if one not in sides):
                continue
            if begins_with_own and all(map(self._is_given, sides)):
                continue
            two = [self._quantity(one) for one in sides]
            if two[0] != two[1]:
                return tuple(two)
        left_open = dict.fromkeys(self._quantity(at) for at in numbers if self._is_left_open(at))
        return tuple(left_open) if len(left_open) > 1 and not any(map(self._is_strong, numbers)) else ()

    def _is_left_open(self, at: int) -> bool:
        """Whether a question mark or a condition follows the number: "7 letters if spaces count"."""
        behind = next((piece for piece in self.pieces[at + 1 : at + EDGE] if piece.kind is not Kind.WORD), None)
        return behind is not None and (behind.kind is Kind.CONDITION or "?" in behind.text)

    def _is_strong(self, at: int) -> bool:
        """Whether an equals sign or a word such as "so" leads to the number, in its sentence and with none between."""
        for piece in reversed(self.pieces[:at]):
            if piece.kind in _LEADS_TO:
                return True
            if piece.quantity is not None or piece.kind is Kind.END:
                return False
        return False

    def _is_concluded(self, at: int) -> bool:
        """Whether a word such as "so" stands shortly before the number, or before the calculation that leads to it."""
        before = [piece for piece in self.pieces[:at] if piece.kind not in _CALCULATION]
        return any(piece.kind in (Kind.RESULT, Kind.STEP) for piece in before[-2:])

    def _follows(self, at: int) -> bool:
        """Whether a word such as "so" stands behind the number before, and leads to this one and its calculation."""
        for piece in reversed(self.pieces[:at]):
            if piece.kind in (Kind.RESULT, Kind.STEP) and piece.text != "=":
                return True
            if piece.kind is Kind.NUMBER:
                return False
        return False

    def _is_explained(self, at: int) -> bool:
        """Whether the answer states the number and goes on, after a dash or a colon, with why it is that, and comes to
        no other conclusion."""
        behind = self.pieces[at + 1 :]
        if not (self._is_strong(at) or self._is_first(at)) or len(behind) < 2:
            return False
        (mark, begin), concluded = behind[:2], [place for place, one in enumerate(behind) if one.kind is Kind.RESULT]
        return (
            (mark.kind, mark.text) in _EXPLAINS
            and begin.kind in (Kind.WORD, Kind.STEP, Kind.WORKED)
            and not any(has_number(behind[place : place + EDGE]) for place in concluded)
        )

    def _is_statement(self, at: int) -> bool:
        before = [
            piece for piece in self.pieces[max(0, at - 2) : at] if len(piece.text) > 3 or piece.kind is not Kind.WORD
        ]
        return bool(before) and before[-1].kind is Kind.STATEMENT

    def _is_asserted(self, at: int) -> bool:
        """Whether the number is meant although the question states it as well: "42, …" or "it is 42"."""
        if at == 0:
            return self._leads(at) and self.pieces[1].kind in _STOPS
        before = [piece for piece in self.pieces[max(0, at - 2) : at] if not _JUST.fullmatch(piece.text)]
        return bool(before) and before[-1].kind in (Kind.COPULA, Kind.STATEMENT)

    def _leads(self, at: int) -> bool:
        """Whether the answer begins with the number, and goes on with something else."""
        if not self._is_first(at):
            return False
        behind = self.pieces[at + 1 : at + EDGE + 1]
        stop = next((place for place, piece in enumerate(behind) if piece.kind in _STOPS), None)
        if stop is None or has_number(behind[:stop]):
            return False
        next_one = at + stop + 2
        in_list = behind[stop].text in _LISTS and has_number(self.pieces[next_one : next_one + 1])
        return not in_list or self._is_counterpart(next_one)

    def _is_counterpart(self, at: int) -> bool:
        """Whether the number is what remains beside the first one: "12 are ill, 88 not"."""
        behind = self.pieces[at + 1 : at + EDGE]
        negated = next((place for place, piece in enumerate(behind) if piece.kind is Kind.NEGATION), None)
        return negated is not None and not has_number(behind[: negated + 2])

    def _is_first(self, at: int) -> bool:
        """Whether the answer begins with the number, or with a few words that state it."""
        before = self.pieces[:at]
        if has_number(before) or len(before) > EDGE or any(one.kind in (Kind.END, Kind.EQUALS) for one in before):
            return False
        return self._is_statement(at) or all(one.kind is not Kind.WORD for one in before)

    def _ends(self, at: int) -> bool:
        return sum(piece.kind not in (Kind.COMMA, Kind.END, Kind.CLOSE) for piece in self.pieces[at + 1 :]) <= EDGE

    def _is_closing(self, at: int) -> bool:
        """Whether the answer ends with the number as a sentence of its own, or as what "that is" leads to."""
        if not self._ends(at):
            return False
        before = self.pieces[at - 1] if at else None
        stands_alone = before is not None and before.kind is Kind.END and "?" not in before.text
        return stands_alone or self._is_statement(at)

    def _is_given(self, at: int) -> bool:
        value = abs(self._quantity(at).value)
        is_base = value in _BASES and at > 0 and self.pieces[at - 1].kind is Kind.SHARE
        return is_base or value in self.given or self._is_given_share(at)

    def _is_given_share(self, at: int) -> bool:
        """Whether the number is the percentage of a share that the question states, such as "6 of 100"."""
        share, of = self._quantity(at), self.pieces[at + 1 : at + 3]
        whole = of[1].quantity if len(of) > 1 and of[0].kind is Kind.SHARE else None
        return (
            whole is not None and whole.value in self.given and round(share.value * whole.value / 100, 9) in self.given
        )

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
