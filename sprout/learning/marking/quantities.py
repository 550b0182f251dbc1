"""Quantities: parsing the quantity that an answer states, and comparing it with the expected one."""

import math
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from sprout.learning.marking.units import DIMENSIONLESS, MAX_UNIT, convert, normalize_spelling, parse_unit, same_unit
from sprout.learning.questions.questions import parse_number

MAX_ANSWER_LENGTH = 200
ROUNDING_SLACK = 0.01  # of the value; so far off, an answer to an exact question may be a rounded one
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

    `alternative_value` is what the number is where a dot parts thousands: 1.500 is one and a half, or more.
    """

    value: float
    unit: str | None = None
    alternative_value: float | None = None


def parse_quantity(text: str, *, unit: str | None = None) -> Quantity | None:
    """The one quantity that the text states; None where it states none, several, or none beyond doubt ("1,500").

    Reads 8.33, 8,33, 1/4, 3 1/4, ½, 1.5e3, 2 × 10³ and −2, with or without a unit, behind "about", "x =" or the
    calculation that leads to it. `unit` is the question's: it is taken as it stands, whatever it is.
    """
    if len(text) > MAX_ANSWER_LENGTH:
        return None
    last = _after_equals(normalize_spelling(text).rstrip(".; "))
    if last is None:
        return None
    opening = _OPENING.match(last)
    plain = last[opening.end() :] if opening else last
    return _parse_in_own_unit(plain, unit) or _parse_in_any_unit(plain)


def agreement(stated: Quantity, expected: float, *, unit: str | None, tolerance: float | None) -> Agreement:
    """Whether the quantity is the expected one, in the question's unit, within the tolerance (None is exact).

    A missing unit is taken as the question's, unless the unit is what is asked for. What may be
    right in some reading is unclear, not different: an unknown unit, the number of the answer with a unit of
    another kind, a fraction where per cent were asked for, a rounded value where an exact one was.
    """
    if stated.unit is None or (unit and same_unit(stated.unit, unit)):
        return _compare_in_own_unit(stated, expected, unit, tolerance)
    given, asked = parse_unit(stated.unit), parse_unit(unit) if unit else DIMENSIONLESS
    if given is None or asked is None:
        return Agreement.UNCLEAR
    value = convert(stated.value, given, asked)
    same_number = _close(stated.value, expected, tolerance)
    if value is None:
        return Agreement.UNCLEAR if same_number or given.is_short or not unit else Agreement.DIFFERENT
    there = convert(expected, asked, given)  # 32 °F is a hair beside 0 °C, where no share of the value is small enough
    if _close(value, expected, tolerance) or _is_close_to(there, stated.value, None):
        return Agreement.EQUAL
    other = convert(stated.alternative_value, given, asked) if stated.alternative_value is not None else None
    unclear = (same_number and not unit) or _rounded(value, expected, tolerance)
    return Agreement.UNCLEAR if unclear or _is_close_to(other, expected, tolerance) else Agreement.DIFFERENT


def _compare_in_own_unit(stated: Quantity, expected: float, unit: str | None, tolerance: float | None) -> Agreement:
    if _close(stated.value, expected, tolerance):
        return Agreement.EQUAL
    others = [stated.alternative_value]
    if stated.unit is None and unit and (asked := parse_unit(unit)):
        others.append(convert(stated.value, DIMENSIONLESS, asked))
    if any(_is_close_to(value, expected, tolerance) for value in others):
        return Agreement.UNCLEAR
    whole = float(expected).is_integer()
    return Agreement.UNCLEAR if not whole and _rounded(stated.value, expected, tolerance) else Agreement.DIFFERENT


def _close(value: float, expected: float, tolerance: float | None) -> bool:
    allowed = tolerance if tolerance is not None and math.isfinite(tolerance) else 0.0
    return abs(value - expected) <= max(allowed, 0.0) + FLOAT_SLACK * max(abs(value), abs(expected))


def _is_close_to(value: float | None, expected: float, tolerance: float | None) -> bool:
    return value is not None and _close(value, expected, tolerance)


def _rounded(value: float, expected: float, tolerance: float | None) -> bool:
    return tolerance is None and _close(value, expected, ROUNDING_SLACK * abs(expected))


def _after_equals(plain: str) -> str | None:
    """Text after the last sign of equality; all of it if there is no sign.

    None if anything but names and calculations stands before that sign.
    """
    *before, last = re.split("[=≈]", plain)
    sides = before[1:] if before and not before[0].strip() else before
    return last.strip() if all(_NAME.fullmatch(side) or _CALCULATION.fullmatch(side) for side in sides) else None


def _parse_in_own_unit(plain: str, unit: str | None) -> Quantity | None:
    """The quantity where the text ends in the question's unit, which need not be one that pint knows."""
    own = normalize_spelling(unit) if unit else ""
    if not own or own[0].isdigit() or own[0] in ".,^" or not same_unit(plain[-len(own) :], own):
        return None
    number = _number_and_rest(plain[: -len(own)].rstrip())
    return Quantity(number[0].value, unit, number[0].alternative_value) if number and not number[1] else None


def _parse_in_any_unit(plain: str) -> Quantity | None:
    sign, bare = (plain[0], plain[1:].lstrip()) if plain[:1] in ("-", "+") else ("", plain)
    money = bare[:1] if unicodedata.category(bare[:1] or " ") == "Sc" else ""
    read = _number_and_rest(sign + bare.removeprefix(money).lstrip())
    if read is None or (money and read[1]):
        return None
    number, rest = read
    if rest and (len(rest) > MAX_UNIT or not (_WORDS.fullmatch(rest) or parse_unit(rest))):
        return None
    return Quantity(number.value, money or rest or None, number.alternative_value)


def _number_and_rest(plain: str) -> tuple[Quantity, str] | None:
    found = _STATED.fullmatch(plain)
    value = _value(found) if found else None
    if found is None or value is None or not math.isfinite(value):
        return None
    sign = -1.0 if found["sign"] == "-" else 1.0
    thousands = found["decimal"] and not found["times"] and _DOTTED_THOUSANDS.fullmatch(found["decimal"])
    return Quantity(sign * value, None, sign * value * 1000 if thousands else None), found["rest"]


def _value(found: re.Match[str]) -> float | None:
    """The number without its sign, its pieces read as `parse_number` reads them."""
    if found["whole"]:
        part = parse_number(f"{found['over']}/{found['under']}")
        return float(found["whole"]) + part if part is not None and part < 1 else None
    if found["fraction"]:
        return parse_number(found["fraction"])
    number = 1.0 if found["power"] else parse_number(found["decimal"])
    power = sum(int(found[name] or 0) for name in ("power", "exponent", "times"))
    return None if number is None else number * float(f"1e{power}")
