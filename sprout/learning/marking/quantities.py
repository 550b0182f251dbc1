"""The quantity that a learner's words state, and whether it is the one that was asked for (rule A1)."""

import math
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from sprout.learning.marking.units import MAX_UNIT, PURE, converted, same_unit, spelled, unit_named
from sprout.learning.questions.questions import as_number

MAX_STATED = 200
NEAR = 0.01  # of the value; so far off, an answer to an exact question may be a rounded one
FLOAT_SLACK = 1e-9  # of the value

_NAME = re.compile(r" ?[^\W\d_][\w']{0,15} ?(?:\( ?\w{1,10} ?\) ?)?")
_CALCULATION = re.compile(r"[\d .,+\-*/×·÷:()^%]{1,100}")
_OPENING = re.compile(
    r"(?:(?:the )?answer(?: is|:)|it is|it'?s|about|approximately|approx\.?|roughly|around|circa|ca\.?|etwa|ungefähr|~)"
    r" ?",
    re.IGNORECASE,
)
_TEN = r"10 ?\^ ?\(?(?P<{name}>[-+]?\d{{1,3}})\)?"
_STATED = re.compile(
    r"(?P<sign>[-+]?) ?"
    r"(?:(?P<whole>\d{1,9}) (?P<over>\d{1,9})/(?P<under>\d{1,9})"
    r"|(?P<fraction>\d{1,15} ?/ ?\d{1,15})"
    rf"|{_TEN.format(name='power')}"
    rf"|(?P<decimal>\d[\d.,]*|\.\d+)(?:[eE](?P<exponent>[-+]?\d{{1,3}}))?(?: ?[*x×·] ?{_TEN.format(name='times')})?)"
    r"(?![\d.,]) ?(?P<rest>.*)"
)
_WORDS = re.compile(r"[^\W\d_]+(?:[ .'’/-]+[^\W\d_]+)*\.?|[$£€¥]")  # a unit, if not one that pint knows
_DOTTED_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")


class Agreement(StrEnum):
    EQUAL = "equal"
    DIFFERENT = "different"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its unit as written, None where there was none.

    `or_value` is what the number is where a dot parts thousands: 1.500 is one and a half, or more.
    """

    value: float
    unit: str | None = None
    or_value: float | None = None


def stated_quantity(text: str, *, unit: str | None = None) -> Quantity | None:
    """The one quantity that the text states; None where it states none, several, or none beyond doubt ("1,500").

    Reads 8.33, 8,33, 1/4, 3 1/4, ½, 1.5e3, 2 × 10³ and −2, with or without a unit, behind "about", "x =" or the
    calculation that leads to it. `unit` is the question's: it is taken as it stands, whatever it is.
    """
    if len(text) > MAX_STATED:
        return None
    last = _last_side(spelled(text).rstrip(".; "))
    if last is None:
        return None
    opening = _OPENING.match(last)
    plain = last[opening.end() :] if opening else last
    return _in_own_unit(plain, unit) or _in_any_unit(plain)


def agreement(stated: Quantity, expected: float, *, unit: str | None, tolerance: float | None) -> Agreement:
    """Whether the quantity is the expected one, in the question's unit, within the tolerance (None is exact).

    A missing unit is taken as the question's: A1 is about the number, unless the unit is what is asked for. What may be
    right in some reading is unclear, not different: a unit that nobody knows, the number of the answer with a unit of
    another kind, a fraction where per cent were asked for, a rounded value where an exact one was.
    """
    if stated.unit is None or (unit and same_unit(stated.unit, unit)):
        return _as_it_stands(stated, expected, unit, tolerance)
    given, asked = unit_named(stated.unit), unit_named(unit) if unit else PURE
    if given is None or asked is None:
        return Agreement.UNCLEAR
    value = converted(stated.value, given, asked)
    same_number = _close(stated.value, expected, tolerance)
    if value is None:
        return Agreement.UNCLEAR if same_number or given.is_short or not unit else Agreement.DIFFERENT
    there = converted(
        expected, asked, given
    )  # 32 °F is a hair beside 0 °C, where no share of the value is small enough
    if _close(value, expected, tolerance) or _is(there, stated.value, None):
        return Agreement.EQUAL
    other = converted(stated.or_value, given, asked) if stated.or_value is not None else None
    unclear = (same_number and not unit) or _rounded(value, expected, tolerance)
    return Agreement.UNCLEAR if unclear or _is(other, expected, tolerance) else Agreement.DIFFERENT


def _as_it_stands(stated: Quantity, expected: float, unit: str | None, tolerance: float | None) -> Agreement:
    if _close(stated.value, expected, tolerance):
        return Agreement.EQUAL
    others = [stated.or_value]
    if stated.unit is None and unit and (asked := unit_named(unit)):
        others.append(converted(stated.value, PURE, asked))
    if any(_is(value, expected, tolerance) for value in others):
        return Agreement.UNCLEAR
    whole = float(expected).is_integer()
    return Agreement.UNCLEAR if not whole and _rounded(stated.value, expected, tolerance) else Agreement.DIFFERENT


def _close(value: float, expected: float, tolerance: float | None) -> bool:
    allowed = tolerance if tolerance is not None and math.isfinite(tolerance) else 0.0
    return abs(value - expected) <= max(allowed, 0.0) + FLOAT_SLACK * max(abs(value), abs(expected))


def _is(value: float | None, expected: float, tolerance: float | None) -> bool:
    return value is not None and _close(value, expected, tolerance)


def _rounded(value: float, expected: float, tolerance: float | None) -> bool:
    return tolerance is None and _close(value, expected, NEAR * abs(expected))


def _last_side(plain: str) -> str | None:
    """What stands after the last sign of equality, where only names and calculations stand before it."""
    *before, last = re.split("[=≈]", plain)
    sides = before[1:] if before and not before[0].strip() else before
    return last.strip() if all(_NAME.fullmatch(side) or _CALCULATION.fullmatch(side) for side in sides) else None


def _in_own_unit(plain: str, unit: str | None) -> Quantity | None:
    """The quantity where the text ends in the question's unit, which need not be one that pint knows."""
    own = spelled(unit) if unit else ""
    if not own or own[0].isdigit() or own[0] in ".,^" or not same_unit(plain[-len(own) :], own):
        return None
    number = _number_and_rest(plain[: -len(own)].rstrip())
    return Quantity(number[0].value, unit, number[0].or_value) if number and not number[1] else None


def _in_any_unit(plain: str) -> Quantity | None:
    sign, bare = (plain[0], plain[1:].lstrip()) if plain[:1] in ("-", "+") else ("", plain)
    money = bare[:1] if unicodedata.category(bare[:1] or " ") == "Sc" else ""
    read = _number_and_rest(sign + bare.removeprefix(money).lstrip())
    if read is None or (money and read[1]):
        return None
    number, rest = read
    if rest and (len(rest) > MAX_UNIT or not (_WORDS.fullmatch(rest) or unit_named(rest))):
        return None
    return Quantity(number.value, money or rest or None, number.or_value)


def _number_and_rest(plain: str) -> tuple[Quantity, str] | None:
    found = _STATED.fullmatch(plain)
    value = _value(found) if found else None
    if found is None or value is None or not math.isfinite(value):
        return None
    sign = -1.0 if found["sign"] == "-" else 1.0
    thousands = found["decimal"] and not found["times"] and _DOTTED_THOUSANDS.fullmatch(found["decimal"])
    return Quantity(sign * value, None, sign * value * 1000 if thousands else None), found["rest"]


def _value(found: re.Match[str]) -> float | None:
    """The number without its sign, its pieces read as `as_number` reads them."""
    if found["whole"]:
        part = as_number(f"{found['over']}/{found['under']}")
        return float(found["whole"]) + part if part is not None and part < 1 else None
    if found["fraction"]:
        return as_number(found["fraction"])
    number = 1.0 if found["power"] else as_number(found["decimal"])
    power = sum(int(found[name] or 0) for name in ("power", "exponent", "times"))
    return None if number is None else number * float(f"1e{power}")
