"""Calculations that a learner has set up right: worked out wrong as in "100 - 92.5 = 8.5", or not at all."""

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from sprout.learning.marking.answer_pieces import plain_text
from sprout.learning.marking.quantities import PlacedQuantity, iter_quantities

_SIGNS = {
    "+": "+", "-": "-", "−": "-", "*": "*", "×": "*", "·": "*", "x": "*", "/": "/", ":": "/", "÷": "/",
    "plus": "+", "minus": "-", "times": "*", "mal": "*", "durch": "/", "moins": "-", "fois": "*", "menos": "-",
}  # fmt: skip
_COMES_TO = frozenset(("=", "is", "ist", "est", "es", "è"))
_SHARE = re.compile(r"(?:of|von|de|des|di|van)(?: (?:the|all|all the|those|these|den|der|allen|la|le|les|los|las))?")
_REST = re.compile(
    r"\b(?:the rest|der rest|le reste|el resto|half of (?:them|these|those))\b[^\d]*\Z"
    r"|\b(?:all|alle|tous|todos) (?:except|but|außer|sauf|menos) \w+\W*\Z",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\bso (?:it['’]?s |its |that['’]?s )?\d[\d.,]* ?%? (?:less|more|fewer|lower|higher)\W*\Z", re.IGNORECASE
)
_ASKS_CHANGE = re.compile(r"\bhow (?:many|much) (?:\w+ )?(?:less|more|fewer|lower|higher)\b", re.IGNORECASE)
_NAMED_RESULT = re.compile(
    r"(?:=|\b(?:is|gives?|makes?|hands? back|ist|gibt|macht|ergibt|est|fait|es|da))\s*\Z", re.IGNORECASE
)
_AS_TYPED = str.maketrans("×·x÷:−", "***//-")
_FRACTION = re.compile(r"(\d+) ?/ ?(\d+)")
_TWO = 2
_WORD = re.compile(r"[^\s=]+|=")
_MOST_WORDS = 20  # of an answer that are looked through for what was typed
_LONGEST = 100  # characters of a calculation with brackets
_PLAIN_CALCULATION = re.compile(r"[\d.()+*/ -]+")
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
_SLACK = 1e-9  # of the value
_ROUNDED = 0.06  # of the value: 2/3 = 0.7


@dataclass(frozen=True, slots=True)
class Calculation:
    """A calculation as it was written, what it comes to, and what the answer says that it does; None without a word.

    A fraction is one too.
    """

    text: str
    value: float
    stated: float | None


def slipped_calculation(answer: str, right: float, *, unit: str | None = None) -> str | None:
    """The calculation that comes to the right value where the answer says another; else None.

    Args:
        right: in the question's unit.
        unit: the question's.
    """
    rights = (right, right / 100) if unit == "%" else (right,)
    found = (one for one in calculations(answer, unit=unit) if one.stated is not None and one.stated not in rights)
    return next((one.text for one in found if any(_same(one.value, value) for value in rights)), None)


def miscalculated(answer: str, *, unit: str | None = None) -> str | None:
    """A calculation of the answer that does not come to what the answer says, but for rounding; None without one."""
    if "(" in answer:
        return None  # what a bracket belongs to is not read here
    per_one = 100.0 if unit == "%" else 1.0
    found = (one for one in calculations(answer, unit=unit) if one.stated is not None and math.isfinite(one.value))
    return next(
        (
            one.text
            for one in found
            if not any(_nearly(one.stated or 0.0, value) for value in (one.value, one.value * per_one))
        ),
        None,
    )


def has_unworked(answer: str, right: float, *, unit: str | None = None) -> bool:
    """Whether the answer ends with a calculation that comes to the right value, and does not say what it comes to."""
    found = [*calculations(answer, unit=unit)]
    return bool(found) and found[-1].stated is None and _same(found[-1].value, right)


def is_unrounded(answer: str, right: float, *, tolerance: float, unit: str | None = None) -> bool:
    """Whether the answer is one calculation without its result, which comes to the right value only by rounding. A
    fraction in lowest terms is a number: 4/7, but not 140/220."""
    found = [*calculations(answer, unit=unit)]
    if len(found) != 1 or found[0].stated is not None or not math.isfinite(found[0].value):
        return False
    (only,) = found
    numbers, operands = ([*iter_quantities(plain_text(text), unit=unit)] for text in (answer, only.text))
    if len(numbers) != len(operands) or not _PLAIN_CALCULATION.fullmatch(only.text.translate(_AS_TYPED)):
        return False
    sides = _FRACTION.fullmatch(only.text)
    is_number = sides is not None and math.gcd(int(sides[1]), int(sides[2])) == 1
    off = min(abs(value - right) for value in (only.value, 100 * only.value))
    return not is_number and _SLACK * abs(right) < off <= tolerance


def has_parts(answer: str, right: float, *, unit: str | None = None) -> bool:
    """Whether the answer is numbers with the right value as sum, or two with that difference: "820 for, 380 no"."""
    values = [one.quantity.value for one in iter_quantities(plain_text(answer), unit=unit)]
    sums = [sum(values), *([abs(values[0] - values[1])] if len(values) == _TWO else [])]
    return len(values) >= _TWO and any(_same(one, right) for one in sums)


def ends_in_parts(answer: str, right: float, prompt: str, *, unit: str | None = None) -> bool:
    """Whether the last two results of the answer lead to the right value: "a is 30, b is 1" for their sum.

    They may be named ("a is", "="), or its last numbers: "590 + 100 + 50 = 740 against 460", and "48 and 4" where the
    question has a 10 and asks for 484. No number of a calculation is one.
    """
    text = plain_text(answer)
    placed = [*iter_quantities(text, unit=unit)]
    named = [one.quantity.value for one in placed if _NAMED_RESULT.search(text[: one.start])]
    given = {one.quantity.value for one in iter_quantities(plain_text(prompt))}
    stated = [one for one in placed if not _is_operand(text, one)]
    last = [one.quantity.value for one in stated[-_TWO:]]
    are_own = given.isdisjoint(last) and stated[-1:] == placed[-1:]
    return _lead_to(named[-_TWO:], right, frozenset()) or (are_own and _lead_to(last, right, given))


def _lead_to(two: Sequence[float], right: float, factors: Set[float]) -> bool:
    """Whether two values have the right one as sum or difference, or with one of them taken that many times."""
    if len(two) != _TWO:
        return False
    one, other = two
    together = (one + other, abs(one - other), *(one * factor + other for factor in factors))
    return any(_same(value, right) for value in together)


def _is_operand(text: str, placed: PlacedQuantity) -> bool:
    """Whether a sign of a calculation stands before or behind the number."""
    before, behind = text[: placed.start].rstrip()[-1:], text[placed.end :].lstrip()[:1]
    return any(sign and sign in _SIGNS for sign in (before, behind))


def value_in_brackets(answer: str) -> float | None:
    """The value of an answer that is a calculation with brackets and nothing else: "80 / (80 + 15)"; else None."""
    written = answer.strip().rstrip("=? ")
    for sign in ("×", "·", "x"):
        written = written.replace(sign, "*")
    written = written.replace("÷", "/").replace("−", "-")
    if len(written) > _LONGEST or "(" not in written or not _PLAIN_CALCULATION.fullmatch(written):
        return None
    try:
        return _value_of(ast.parse(written, mode="eval").body)
    except (SyntaxError, ZeroDivisionError, OverflowError):
        return None


def _value_of(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(int() | float() as value):
            return float(value)
        case ast.BinOp(left, sign, right) if type(sign) in _OPERATIONS:
            one, other = _value_of(left), _value_of(right)
            return None if one is None or other is None else _OPERATIONS[type(sign)](one, other)
        case _:
            return None


def leaves_the_rest(answer: str, prompt: str) -> bool:
    """Whether the answer ends with a part, or a change that is not asked for: "70 do, so the rest don't"."""
    is_change = _CHANGE.search(answer) is not None and _ASKS_CHANGE.search(prompt) is None
    return is_change or _REST.search(answer) is not None


def calculations(answer: str, *, unit: str | None = None) -> Iterator[Calculation]:
    """The calculations of an answer in their order; `unit` is the question's."""
    text = plain_text(answer)
    placed = [*iter_quantities(text, unit=unit)]
    between = [text[one.end : after.start].strip().lower() for one, after in pairwise(placed)]
    begin = 0
    for at, gap in enumerate([*between, ""]):
        if gap in _SIGNS:
            continue
        values = [one.quantity.value for one in placed[begin : at + 1]]
        signs = [_SIGNS[sign] for sign in between[begin:at]]
        written = text[placed[begin].start : placed[at].end].strip() if placed else ""
        share = _SHARE.fullmatch(gap) if at < len(between) and begin == at else None
        if share and placed[at].quantity.unit == "%":
            whole, after = placed[at + 1], at + 2
            stated = placed[after].quantity.value if between[at + 1 : after] in [[one] for one in _COMES_TO] else None
            written = text[placed[at].start : whole.end].strip()
            yield Calculation(written, values[0] / 100 * whole.quantity.value, stated)
        elif signs or "/" in written:
            stated = placed[at + 1].quantity.value if gap.removeprefix(")").lstrip() in _COMES_TO else None
            yield Calculation(written, _worked_out(values, signs), stated)
        begin = at + 1


def spans(answer: str) -> Iterator[str]:
    """Each stretch of words of the answer as it was typed, the shortest first; "=" is a word."""
    words = [*_WORD.finditer(answer)][:_MOST_WORDS]
    for many in range(1, len(words) + 1):
        for first, last in zip(words, words[many - 1 :], strict=False):
            yield answer[first.start() : last.end()]


def _worked_out(values: Sequence[float], signs: Sequence[str]) -> float:
    """Result of the values, products before sums; not a number where one is divided by 0."""
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


def _nearly(one: float, other: float) -> bool:
    return abs(one - other) <= _ROUNDED * max(abs(one), abs(other))


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= _SLACK * max(abs(one), abs(other))
