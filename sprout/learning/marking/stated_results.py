"""Stated results: which of the numbers in a learner's answer is its result.

People write "7 hundreds, 6 in each, so 42", "42, because 700 is 7 hundreds" and "40, no wait, 42". The result is what
the words come to: what stands behind an equals sign or a word such as "so", else what the answer begins or ends with.
Numbers that are calculated with, that only bound it, that the question states or that the learner takes back are none.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from sprout.learning.marking.answer_pieces import Kind, Piece, answer_pieces
from sprout.learning.marking.counted_answers import with_count, with_counted_part
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
from sprout.learning.marking.stated_numbers import EDGE, StatedNumbers, StatedResults
from sprout.learning.text.confusables import plain

MAX_ANSWER_LENGTH = 2_000
_SLASHED = re.compile(r"\s*(\d{1,15}) / (\d{1,15})[\s.]*")
_FILLERS = frozenset("the one i mean meant it is its that number result please der die das ich meine".split())
_COMPARED = "<>≤≥"
_PAUSES = (Kind.COMMA, Kind.END, Kind.REASON, Kind.ASIDE, Kind.NEGATION)
_LEAVES = (Kind.RESULT, Kind.CHOICE, Kind.CONDITION)
_OPEN_KINDS = (Kind.NEGATION, Kind.CHOICE, Kind.CONDITION, Kind.BOUND, Kind.LIMIT)


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
    said, beside = parted_remarks(after_correction(answer_pieces(with_count(answer, prompt), unit=unit)))
    if (percentage := _only_percentage(said, unit, given)) is not None:
        return StatedResults((percentage,))
    said = without_easy_shares(said, given)
    stated = without_shares(said, unit)
    pieces = stated if _asks_for_limit(asked) else without_bounds(stated)
    found = StatedNumbers(_told_apart(without_asides(pieces)), given, unit).choose()
    found = found if found.results else StatedNumbers(_told_apart(pieces), given, unit).choose()
    if found.results:
        results = tuple(with_counted_part(one, answer, prompt, given) for one in found.results)
        remarked = (piece.quantity for piece in beside if piece.quantity is not None)
        return replace(found, results=results, others=(*found.others, *_slashed(answer), *remarked))
    return replace(found, is_unworked=_is_bare_calculation(pieces), is_bound=_is_bare_bound(stated))


def _only_percentage(said: Sequence[Piece], unit: str | None, given: Container[float]) -> Quantity | None:
    """The one percentage of an answer to a question for one, where all its other numbers are the question's: "18 is 5 %
    of 360". None where anything is ruled out, bounded or left open."""
    quantities = [piece.quantity for piece in said if piece.quantity is not None]
    percentages = [one for one in quantities if one.unit == "%" and abs(one.value) not in given]
    others = [one for one in quantities if one not in percentages]
    is_plain = not any(piece.kind in _OPEN_KINDS or "?" in piece.text or piece.text in {*_COMPARED} for piece in said)
    is_one = unit == "%" and len(percentages) == 1 and len(others) > 1
    return percentages[0] if is_one and is_plain and all(abs(one.value) in given for one in others) else None


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
        begin <= EDGE
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
    return (compares and len(before) == 1) or (len(before) <= EDGE and is_bounded(pieces, places[0]))


def _told_apart(pieces: Sequence[Piece]) -> list[Piece]:
    return without_worked(without_reasons(pieces))
