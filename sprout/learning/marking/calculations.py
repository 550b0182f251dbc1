"""Calculations that a learner has set up right and worked out wrong: "100 - 92.5 = 8.5"."""

import math
from collections.abc import Sequence
from itertools import pairwise

from sprout.learning.marking.answer_pieces import plain_text
from sprout.learning.marking.quantities import iter_quantities

_SIGNS = {
    "+": "+", "-": "-", "−": "-", "*": "*", "×": "*", "·": "*", "x": "*", "/": "/", ":": "/", "÷": "/",
    "plus": "+", "minus": "-", "times": "*", "mal": "*", "durch": "/", "moins": "-", "fois": "*", "menos": "-",
}  # fmt: skip
_COMES_TO = frozenset(("=", "is", "ist", "est", "es", "è"))
_SLACK = 1e-9  # of the value


def slipped_calculation(answer: str, right: float, *, unit: str | None = None) -> str | None:
    """The calculation, as it was written, that comes to the right value where the answer says another; else None.

    Args:
        right: in the question's unit.
        unit: the question's.
    """
    text = plain_text(answer)
    placed = [*iter_quantities(text, unit=unit)]
    between = [text[one.end : after.start].strip().lower() for one, after in pairwise(placed)]
    for at, gap in enumerate(between):
        begin = at
        while begin and between[begin - 1] in _SIGNS:
            begin -= 1
        calculation = text[placed[begin].start : placed[at].end].strip()
        is_fraction = "/" in calculation  # a quantity by itself
        if gap.removeprefix(")").lstrip() not in _COMES_TO or (begin == at and not is_fraction):
            continue
        values = [one.quantity.value for one in placed[begin : at + 1]]
        result = _worked_out(values, [_SIGNS[sign] for sign in between[begin:at]])
        if _same(result, right) and not _same(placed[at + 1].quantity.value, right):
            return calculation
    return None


def _worked_out(values: Sequence[float], signs: Sequence[str]) -> float:
    """What the values come to, products before sums; not a number where one is divided by 0."""
    terms = [values[0]]
    for sign, value in zip(signs, values[1:], strict=True):
        match sign:
            case "*":
                terms[-1] *= value
            case "/":
                terms[-1] = terms[-1] / value if value else math.nan
            case _:
                terms.append(value if sign == "+" else -value)
    return sum(terms)


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= _SLACK * max(abs(one), abs(other))
