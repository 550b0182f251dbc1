"""Stated results: which of the numbers in a learner's answer is its result.

People write "7 hundreds, 6 in each, so 42", "42, because 700 is 7 hundreds" and "40, no wait, 42". The result is what
the words come to: what stands behind an equals sign or a word such as "so", else what the answer begins or ends with.
Numbers that are calculated with, that only bound it, that the question states or that the learner takes back are none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sprout.learning.marking.answer_pieces import Kind, Piece, answer_pieces
from sprout.learning.marking.number_words import ONLY, count_of, with_digits
from sprout.learning.marking.numbers_set_aside import (
    after_correction,
    has_number,
    is_bounded,
    parted_remarks,
    without_asides,
    without_bounds,
    without_easy_shares,
    without_reasons,
    without_shares,
    without_worked,
)
from sprout.learning.marking.ordinals import ordinals
from sprout.learning.marking.quantities import Quantity
from sprout.learning.marking.units import convert, parse_unit
from sprout.learning.text.confusables import plain

MAX_ANSWER_LENGTH = 2_000
_EDGE = 4  # words that may stand before the number an answer begins with, or behind the one it ends with
_CHAT = 5  # words from which an answer may be about something else
_BASES = frozenset((1.0, 100.0, 1000.0))  # as in "6 for every 100"
_CALCULATION = (Kind.WORKED, Kind.OPERATOR, Kind.EQUALS, Kind.OPEN, Kind.CLOSE)
_NAMING = (Kind.NUMBER, Kind.WORD, Kind.COMMA, Kind.END, Kind.NEGATION, Kind.CLOSE)
_STOPS = (Kind.COMMA, Kind.END, Kind.OPEN)
_HOW_MANY = re.compile(
    r"\b(?:how many|wie ?viele?|combien|cuánt[oa]s|quant[ei]|quant[oa]s|hoeveel|ile|kaç|сколько)\b", re.IGNORECASE
)
_ONLY_THAT = re.compile(rf"\W*{ONLY} (?:the|der|die|das|le|la|el|il|o|a|de|het) (\w+)(?: one)?\b", re.IGNORECASE)
_COUNT_AND_NAMES = re.compile(
    rf"\W*(?:{ONLY} )?(\w{{1,6}})(?: of (?:them|these|those))? ?([:,(–—])\s*(.+)", re.DOTALL | re.IGNORECASE
)
_FIRST_BECAUSE = re.compile(
    r"(\W*\d[\d.,]*(?: ?[^\W\d_%]{1,12}| ?%)?)[,;:]? "
    r"(?:because|be[acu]{1,3}se|becasue|becaus|becouse|becose|bc|cuz|cos|cause|since|weil|denn|parce que|porque|perché"
    r") ",
    re.IGNORECASE,
)
_COUNT_AND_EACH = re.compile(
    r"\W*(\w{1,6}) ?[,:;–—-] ?(?:one|eine[nrs]?|une?|un[oa]) (?:for|of|is|with|per|each|für|pour|para|por)\b",
    re.IGNORECASE,
)
_JUST = re.compile(ONLY, re.IGNORECASE)
_TELLS_APART = (Kind.RESULT, Kind.OPERATOR, Kind.CHOICE, Kind.SHARE)
_LEADS_TO = (Kind.EQUALS, Kind.RESULT, Kind.STEP)
_EVEN_CHANCE = re.compile(r"\b(?:fifty|50) ?[-:/ ] ?(?:fifty|50)\b|\bhalbe[- ]halbe\b", re.IGNORECASE)
_OUT_OF_HOW_MANY = re.compile(r"\bout of how many\b|\bvon wie vielen\b", re.IGNORECASE)
_OF_WHOLE = re.compile(
    r"\W*(\w+) (?:out of|of|von|de|des|di|van) (?:the |den |der |les |los |las |all )?(\w+)\b(?! ?[%=])", re.IGNORECASE
)
_OUT_OF = re.compile(r"[^\d=]*?(\d{1,9}) ?/ ?(\d{1,9})[^\d=]*")
_PLACE = re.compile(
    r"(?:\A|\b(?:so|then|its|it['’]s|it is|be|comes|that['’]?s) )(?:the )?(\d{1,4})(?:st|nd|rd|th)(?: one)?\W*\Z",
    re.IGNORECASE,
)
_ZERO = re.compile(
    r"\A\W*(?:zero|null|zéro|cero)\b(?! (?:clue|ideas?|ahnung|idee|plan|bock|lust|interest)\b)", re.IGNORECASE
)
_NO_ONE = re.compile(
    r"\W*(?:none|nobody|no one|not (?:a single )?one|keine[rs]?|niemand|aucune?|personne|ningun[oa]?|nadie|nessun[oa]?"
    r"|nenhuma?|ninguém|niemand|geen|żaden|żadna|никто)\b"
    r"(?: of (?:them|these|those)\b| von ihnen\b| d['’]entre (?:eux|elles)\b| de ell[oa]s\b)?"
    r"(?=\W*$|[,.;:!(–—-]| (?:because|since|if|as|when|weil|wenn|denn|da|parce|car|si|porque|pues|perché|se)\b)",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"(?:\A|(?<=\s))(\d{1,2})[.)]\s+(?=[^\W\d])")
_SLASHED = re.compile(r"\s*(\d{1,15}) / (\d{1,15})[\s.]*")
_RESULT_FIRST = re.compile(r"\s*(\d[\d.,]*) ?= ?([(\d][\d.,() ]*(?:[-+*/x×·:][\d.,() ]+)+)(?: ?[^\W\d_]{1,12})?[\s.!]*")
_AND = re.compile(r"[,;&.]*|and|und|et|y|e|en|i|и", re.IGNORECASE)
_FILLERS = frozenset("the one i mean meant it is its that number result please der die das ich meine".split())
_LISTS = (",", "(")
_COMPARED = "<>≤≥"
_PAUSES = (Kind.COMMA, Kind.END, Kind.REASON, Kind.ASIDE, Kind.NEGATION)
_LEAVES = (Kind.RESULT, Kind.CHOICE, Kind.CONDITION)
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


def stated_results(answer: str, *, unit: str | None = None, prompt: str = "") -> StatedResults:
    """The results that the answer states.

    Args:
        unit: the question's.
        prompt: the question, whose own numbers are more often repeated than meant as a result.
    """
    if len(answer) > MAX_ANSWER_LENGTH:
        return StatedResults()
    asked = answer_pieces(prompt, unit=unit)
    given = frozenset(abs(piece.quantity.value) for piece in asked if piece.quantity is not None)
    said, beside = parted_remarks(after_correction(answer_pieces(_counted(answer, prompt), unit=unit)))
    said = without_easy_shares(said, given)
    stated = without_shares(said, unit)
    pieces = stated if _asks_for_limit(asked) else without_bounds(stated)
    found = _StatedNumbers(_told_apart(without_asides(pieces)), given, unit).choose()
    found = found if found.results else _StatedNumbers(_told_apart(pieces), given, unit).choose()
    if found.results:
        results = tuple(_with_counted_part(one, answer, prompt, given) for one in found.results)
        remarked = (piece.quantity for piece in beside if piece.quantity is not None)
        return replace(found, results=results, others=(*found.others, *_slashed(answer), *remarked))
    return replace(found, is_unworked=_is_bare_calculation(pieces), is_bound=_is_bare_bound(stated))


def names_what_is_counted(answer: str, prompt: str) -> bool:
    """Whether the answer to how many of some numbers there are is which they are, and nothing else: "50 and 499"."""
    pieces = answer_pieces(answer)
    values = [abs(piece.quantity.value) for piece in pieces if piece.quantity is not None]
    joined = all(
        piece.quantity is not None or _AND.fullmatch(piece.text.strip()) or _JUST.fullmatch(piece.text.strip())
        for piece in pieces
    )
    listed = {abs(piece.quantity.value) for piece in answer_pieces(prompt) if piece.quantity is not None}
    return bool(_HOW_MANY.search(prompt)) and len(values) > 1 and joined and set(values) <= listed


def names_several(answer: str, prompt: str) -> bool:
    """Whether the answer ends with numbers side by side, none of them called its result: "a gives 2 and b gives 11"."""
    pieces = answer_pieces(answer)
    places = [at for at, piece in enumerate(pieces) if piece.quantity is not None]
    if len(places) < 2 or any(piece.kind in _TELLS_APART or piece.text == "=" for piece in pieces):
        return False
    if sum(piece.kind is Kind.STEP for piece in pieces) not in (0, len(places)):
        return False  # one of them is what the others come to
    listed = {abs(piece.quantity.value) for piece in answer_pieces(prompt) if piece.quantity is not None}
    is_last = all(piece.kind in (Kind.END, Kind.CLOSE) for piece in pieces[places[-1] + 1 :])
    joint = [piece.text.strip() for piece in pieces[places[-2] + 1 : places[-1]]]
    last = pieces[places[-1]].quantity
    is_own = last is not None and abs(last.value) not in listed
    return is_last and is_own and any(text and _AND.fullmatch(text) for text in joint)


def picked_result(answer: str, before: str, *, unit: str | None = None, prompt: str = "") -> str | None:
    """The result of an earlier answer, with several, that this one names by its place ("the second one") or begins with
    ("60, the other is the share"); else None."""
    stated = stated_results(before, unit=unit, prompt=prompt)
    results = stated.results
    offered = {one.value for one in (*results, *stated.others)}
    if plain(answer) != plain(before) and (first := _begun_with(answer, unit)) is not None and first.value in offered:
        return f"{first.value:.12g} {first.unit or ''}".strip()
    words = [word for word in plain(answer).split() if word not in _FILLERS]
    place = ordinals().get(words[0]) if len(words) == 1 else None
    if place is None or len(results) < 2 or not -1 <= place < len(results):
        return None
    return f"{results[place].value:.12g} {results[place].unit or ''}".strip()


def _begun_with(answer: str, unit: str | None) -> Quantity | None:
    """The number that the answer begins with as a clause of its own, with more behind it that does not take it back."""
    pieces = answer_pieces(answer, unit=unit)
    first, behind = (pieces[0].quantity, pieces[1:]) if pieces else (None, [])
    goes_on = not behind or behind[0].kind not in _PAUSES or "?" in behind[0].text
    is_left = any(piece.kind in _LEAVES for piece in behind)
    return None if goes_on or is_left or len(after_correction(pieces)) < len(pieces) else first


def _counted(answer: str, prompt: str) -> str:
    """The answer with 0 for "zero" at its begin, 50/50 for "fifty-fifty", 60 for "60 because …" and for "60 = 15 + 45",
    6 for "so it's the 6th".

    Where the question is how many there are, with 0 for "none of them", 1 for "only the second one" and 2 for "two: 10
    and 20" and "two, one for each".
    """
    answer = _EVEN_CHANCE.sub("50/50", _ZERO.sub("0", _without_numbering(answer)))
    if place := _PLACE.search(with_digits(answer)):
        return place[1]
    if first := _FIRST_BECAUSE.match(answer):
        return first[1]
    if first := _RESULT_FIRST.fullmatch(answer):
        return f"{first[2]} = {first[1]}"
    if not _HOW_MANY.search(prompt):
        return answer
    of_whole = _OF_WHOLE.match(answer)
    if of_whole and not any(map(str.isdigit, answer[of_whole.end() :])):
        number = count_of(of_whole[2] if _OUT_OF_HOW_MANY.search(prompt) else of_whole[1])
        answer = answer if number is None else f"{number}{answer[of_whole.end() :]}"
    if (nothing := _NO_ONE.match(answer)) and not any(map(str.isdigit, answer)):
        return f"0{answer[nothing.end() :]}"
    if (each := _COUNT_AND_EACH.match(answer)) and (number := count_of(each[1])) is not None:
        return f"{number}"
    only, counted = _ONLY_THAT.match(answer), _COUNT_AND_NAMES.fullmatch(answer)
    if only and plain(only[1]) in ordinals():
        return f"1{answer[only.end() :]}"
    return counted[1] if counted and _names_as_many(*counted.groups()) else answer


def _without_numbering(answer: str) -> str:
    """The answer without the numbers before its lines or items: "1. false 2. true so 1"."""
    numbering = [int(found[1]) for found in _NUMBERING.finditer(answer)]
    return (
        _NUMBERING.sub(" ", answer) if numbering == [*range(1, len(numbering) + 1)] and len(numbering) > 1 else answer
    )


def _with_counted_part(result: Quantity, answer: str, prompt: str, given: frozenset[float]) -> Quantity:
    """The result, which may be 32 as well where the question is how many of its 80 there are and the answer 32/80."""
    found = _OUT_OF.fullmatch(answer) if _HOW_MANY.search(prompt) else None
    if found is None or float(found[2]) not in given or int(found[1]) > int(found[2]):
        return result
    return replace(result, alternatives=(*result.alternatives, float(found[1])))


def _names_as_many(count: str, mark: str, names: str) -> bool:
    """Whether as many numbers are named behind a count as it says; "2, 4 and 6" may be a list of its own."""
    pieces = answer_pieces(names)
    numbers = [piece for piece in pieces if piece.quantity is not None]
    if mark == "(" and not count.isdecimal() and count_of(count):
        return True
    return (
        all(piece.kind in _NAMING for piece in pieces)
        and len(numbers) == count_of(count)
        and not (mark == "," and count.isdecimal())
    )


def _slashed(answer: str) -> Iterator[Quantity]:
    """Both numbers of an answer such as "24 / 26", which may be a fraction, or two results."""
    sides = _SLASHED.fullmatch(answer)
    return (Quantity(float(side)) for side in (sides.groups() if sides else ()))


def _is_bare_calculation(pieces: Sequence[Piece]) -> bool:
    """Whether the pieces are numbers with an operator between each two, and a few words that lead to them."""
    bare = [piece for piece in pieces if piece.kind not in (Kind.OPEN, Kind.CLOSE)]
    while bare and bare[-1].kind in (Kind.END, Kind.EQUALS) and "?" not in bare[-1].text:
        bare.pop()
    begin = next((at for at, piece in enumerate(bare) if piece.quantity is not None), 0)
    numbers, signs = bare[begin::2], bare[begin + 1 :: 2]
    return (
        begin <= _EDGE
        and 0 < len(signs) < len(numbers)
        and all(piece.quantity is not None for piece in numbers)
        and all(piece.kind in (Kind.OPERATOR, Kind.SHARE) for piece in signs)
    )


def _asks_for_limit(asked: Sequence[Piece]) -> bool:
    """Whether the question asks how many it is at least or at most; "at least 3" is just one of its numbers."""
    limits = [at for at, piece in enumerate(asked) if piece.kind is Kind.LIMIT]
    return any(not has_number([*asked[max(0, at - 1) : at], *asked[at + 1 : at + 2]]) for at in limits)


def _is_bare_bound(pieces: Sequence[Piece]) -> bool:
    """Whether the pieces are one number that they bound, and a few words that lead to it: "it is more than 40"."""
    places = [at for at, piece in enumerate(pieces) if piece.kind is Kind.NUMBER]
    if len(places) != 1 or any("?" in piece.text for piece in pieces):
        return False
    before = pieces[: places[0]]
    compares = bool(before) and before[-1].text in _COMPARED
    return (compares and len(before) == 1) or (len(before) <= _EDGE and is_bounded(pieces, places[0]))


def _told_apart(pieces: Sequence[Piece]) -> list[Piece]:
    return without_worked(without_reasons(pieces))


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
        left_open = dict.fromkeys(self._quantity(at) for at in numbers if self._is_left_open(at))
        return tuple(left_open) if len(left_open) > 1 and not any(map(self._is_strong, numbers)) else ()

    def _is_left_open(self, at: int) -> bool:
        """Whether a question mark or a condition follows the number: "7 letters if spaces count"."""
        behind = next((piece for piece in self.pieces[at + 1 : at + _EDGE] if piece.kind is not Kind.WORD), None)
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
            and not any(has_number(behind[place : place + _EDGE]) for place in concluded)
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
        behind = self.pieces[at + 1 : at + _EDGE + 1]
        stop = next((place for place, piece in enumerate(behind) if piece.kind in _STOPS), None)
        if stop is None or has_number(behind[:stop]):
            return False
        next_one = at + stop + 2
        in_list = behind[stop].text in _LISTS and has_number(self.pieces[next_one : next_one + 1])
        return not in_list or self._is_counterpart(next_one)

    def _is_counterpart(self, at: int) -> bool:
        """Whether the number is what remains beside the first one: "12 are ill, 88 not"."""
        behind = self.pieces[at + 1 : at + _EDGE]
        negated = next((place for place, piece in enumerate(behind) if piece.kind is Kind.NEGATION), None)
        return negated is not None and not has_number(behind[: negated + 2])

    def _is_first(self, at: int) -> bool:
        """Whether the answer begins with the number, or with a few words that state it."""
        before = self.pieces[:at]
        if has_number(before) or len(before) > _EDGE or any(one.kind in (Kind.END, Kind.EQUALS) for one in before):
            return False
        return self._is_statement(at) or all(one.kind is not Kind.WORD for one in before)

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
