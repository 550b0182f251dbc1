"""Quantities: a number with its unit as people write them, and comparing it with the expected one."""

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sprout.learning.marking.units import DIMENSIONLESS, Unit, convert, is_hundredth, parse_unit, same_unit

ROUNDING_SLACK = 0.01  # of the value; so far off, an answer to an exact question may be a rounded one
FLOAT_SLACK = 1e-9  # of the value

_TEN = r"10 ?\^ ?[({{]?(?P<{name}>[-+]?\d{{1,3}})[)}}]?"
_GROUPED = r"\d{1,3}(?:[ '’]\d{3})+(?!\d)(?:[.,]\d+)?|\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)(?:\.\d+)?"
_DECIMAL = rf"{_GROUPED}|\d{{1,3}}(?:\.\d{{3}})+(?!\d)(?:,\d+)?|\d{{1,40}}(?:[.,]\d{{1,40}})?|[.,]\d{{1,40}}"
_NUMBER = re.compile(
    r"(?<!\d)(?<!\d[.,])(?P<money>[$£€¥] ?)?"
    r"(?:(?P<whole>\d{1,9}) (?P<over>\d{1,9})/(?P<under>\d{1,9})(?!\d)"
    r"|(?P<top>\d{1,15}) ?/ ?(?P<bottom>\d{1,15})(?![\d.,]*\d)"
    rf"|{_TEN.format(name='power')}"
    rf"|(?P<decimal>{_DECIMAL})(?:[eE](?P<exponent>[-+]?\d{{1,3}})(?!\d))?"
    rf"(?: ?(?:[*x×·]|\\times|\\cdot) ?{_TEN.format(name='times')})?)(?![.,]?\d)"
)
_PER = r"per|pro|je|par|por|all'|al\b|op|na"
_NAME = r"°? ?[^\W\d_]{1,24}(?:\^?-?\d(?!\d))?"
_UNIT = re.compile(
    rf" ?(?P<unit>[%‰]|° ?[CFKR]?(?!\w)|[$£€¥]|(?:1 ?/ ?)?{_NAME}"
    rf"(?:(?: ?[/·*] ?| (?:{_PER}) ?)\(?{_NAME}(?:[ ·*]{_NAME}\))?\)?){{0,3}}(?: [^\W\d_]{{1,8}}\^-\d){{0,2}})"
)
_PER_WORD = re.compile(rf" (?:{_PER})\b")
_PERCENT, _CELSIUS, _KELVIN = (
    Unit((("percent", 1),), is_short=True),
    Unit((("degree_Celsius", 1),)),
    Unit((("kelvin", 1),), is_short=True),
)
# Names of units that are far more often other words: "820 are for it", "2,7 am Tag", "27 a day".
_SELDOM_UNITS = frozenset("a am are as at da de do in is it me my so to un".split())
_DEGREES = re.compile(r" ?(?:deg(?:rees?)?|grade?|degrés?|grad[oi]s?|graus?|graden)\b", re.IGNORECASE)
# "zwanzig Millisekunden", but not "60 obviously"
_UNKNOWN_WORD = re.compile(
    r"(?!right$|maybe$|think$|guess$|sorry$|though$|total$|still$|please$|repeating$|recurring$|rounded$)(?!\w+(?:ly|ment|mente|lich)$)[^\W\d_]{5,24}"
)
_CLAUSE_END = re.compile(r"\W*$|[,;.!?]")
_LETTERS = re.compile(r"[^\W\d_]+")
_MAX_OWN_UNIT = 40
_HALVES = {(50, 50): (0.5,)}  # odds of 1, and as often a chance of one half


class Agreement(StrEnum):
    EQUAL = "equal"
    DIFFERENT = "different"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its unit as written, None where there was none.

    `alternatives` are what else the number may be: 1.500 is one and a half, or more where a dot parts thousands.
    """

    value: float
    unit: str | None = None
    alternatives: tuple[float, ...] = ()

    @property
    def readings(self) -> tuple[float, ...]:
        return (self.value, *self.alternatives)


@dataclass(frozen=True, slots=True)
class PlacedQuantity:
    """A quantity, and where it stands in its text, its unit included."""

    quantity: Quantity
    start: int
    end: int


def iter_quantities(text: str, *, unit: str | None = None) -> Iterator[PlacedQuantity]:
    """The quantities of a text whose spelling is normalized, in their order, without their signs.

    Reads 8.33, 8,33, 1/4, 3 1/4, 1.5e3, 2 × 10^3, 1'500 and $5. `unit` is the question's, which is taken as it stands,
    whatever it is; of other words behind a number only those that are units.
    """
    at = 0
    while found := _NUMBER.search(text, at):
        at = max(found.end(), found.start() + 1)
        readings = _readings(found)
        if not readings or _is_part_of_word(text, found):
            continue
        stated_unit, end = ((found["money"] or "").strip(), found.end()) if found["money"] else _unit_at(text, at, unit)
        quantity = Quantity(readings[0], stated_unit or None, tuple(readings[1:]))
        yield PlacedQuantity(quantity, found.start(), end)
        at = end


def agreement(stated: Quantity, expected: float, *, unit: str | None, tolerance: float | None) -> Agreement:
    """Whether the quantity is the expected one, in the question's unit, within the tolerance (None is exact).

    A missing unit is taken as the question's, and so is one in words that are not known ("chilometri all'ora"), if the
    number agrees. What may be right in some reading is unclear, not different: another number in a unit that is not
    known, a unit where the question has none, a rounded value where an exact one was asked for.
    """
    verdicts = [_agreement(value, stated.unit, expected, unit, tolerance) for value in stated.readings]
    return Agreement.EQUAL if Agreement.EQUAL in verdicts else verdicts[0]


def _agreement(
    value: float, stated_unit: str | None, expected: float, unit: str | None, tolerance: float | None
) -> Agreement:
    if stated_unit is None or (unit and same_unit(stated_unit, unit)):
        return _compare_in_own_unit(value, stated_unit, expected, unit, tolerance)
    if unit and is_hundredth(stated_unit, unit):
        return _compare_in_own_unit(value / 100, unit, expected, unit, tolerance)
    same_number = _close(value, expected, tolerance)
    asked = parse_unit(unit) if unit else DIMENSIONLESS
    given = _unit_of_kind(stated_unit, asked)
    if given is None or asked is None:
        if not unit:
            return _compare_in_own_unit(value, None, expected, None, tolerance)
        is_money = unicodedata.category(stated_unit[0]) == "Sc"
        is_other = is_money or asked == _PERCENT
        return Agreement.EQUAL if same_number and not is_other else Agreement.UNCLEAR
    converted = convert(value, given, asked)
    if converted is None:
        return Agreement.UNCLEAR if given.is_short or not unit else Agreement.DIFFERENT
    if same_number and (given, asked) == (_KELVIN, _CELSIUS):
        return Agreement.UNCLEAR  # a difference of 25 °C is one of 25 K
    there = convert(expected, asked, given)  # 32 °F is a hair beside 0 °C, where no share of the value is small enough
    if _close(converted, expected, tolerance) or (there is not None and _close(there, value, None)):
        return Agreement.EQUAL
    unclear = (same_number and not unit) or _rounded(converted, expected, tolerance)
    return Agreement.UNCLEAR if unclear else Agreement.DIFFERENT


def _unit_of_kind(text: str, asked: Unit | None) -> Unit | None:
    """The unit that the text names; where it is of another kind than what was asked for, a product of two letters."""
    given = parse_unit(text)
    if given is None or asked is None or len(text) != 2 or convert(1.0, given, asked) is not None:
        return given
    product = parse_unit(" ".join(text))  # Nm and As, which pint takes for nanometres and attoseconds
    return product if product is not None and convert(1.0, product, asked) is not None else given


def _compare_in_own_unit(
    value: float, stated_unit: str | None, expected: float, unit: str | None, tolerance: float | None
) -> Agreement:
    if _close(value, expected, tolerance):
        return Agreement.EQUAL
    if stated_unit is None and unit and (asked := parse_unit(unit)):
        pure = convert(value, DIMENSIONLESS, asked)  # 0.06 for 6 %
        if pure is not None and _close(pure, expected, tolerance):
            return Agreement.EQUAL
    whole = float(expected).is_integer()
    return Agreement.UNCLEAR if not whole and _rounded(value, expected, tolerance) else Agreement.DIFFERENT


def _close(value: float, expected: float, tolerance: float | None) -> bool:
    allowed = tolerance if tolerance is not None and math.isfinite(tolerance) else 0.0
    return abs(value - expected) <= max(allowed, 0.0) + FLOAT_SLACK * max(abs(value), abs(expected))


def _rounded(value: float, expected: float, tolerance: float | None) -> bool:
    return tolerance is None and _close(value, expected, ROUNDING_SLACK * abs(expected))


def _is_part_of_word(text: str, found: re.Match[str]) -> bool:
    """Whether the number is part of a name (H2, x_1) or an ordinal (3rd)."""
    before = text[: found.start()][-1:]
    behind = _LETTERS.match(text, found.end())
    return (
        unicodedata.category(before or " ") in ("Lu", "Ll")
        or before == "_"
        or (behind is not None and behind[0].lower() in _ORDINAL_ENDINGS)
    )


_ORDINAL_ENDINGS = frozenset("st nd rd th er ère ème ième º ª ter te".split())


def _unit_at(text: str, at: int, own: str | None) -> tuple[str | None, int]:
    """The unit that begins there, and where it ends; None where no unit does."""
    if own and (end := _end_of_own_unit(text, at, own)):
        return own, end
    if own and own.startswith("°") and (degrees := _DEGREES.match(text, at)):
        return own, degrees.end()
    found = _UNIT.match(text, at)
    while found:
        known = found["unit"].lower() not in _SELDOM_UNITS and parse_unit(found["unit"]) is not None
        if known and (own or not found["unit"].isalpha()):
            return found["unit"], found.end()
        if unicodedata.category(found["unit"][0]) == "Sc" or (own and _PER_WORD.search(found["unit"])):
            return found["unit"], found.end()
        if own and _UNKNOWN_WORD.fullmatch(found["unit"]) and _CLAUSE_END.match(text, found.end()):
            return found["unit"], found.end()
        shorter = max((found["unit"].rfind(sign) for sign in "/·* "), default=-1)
        found = _UNIT.match(text[: found.start("unit") + shorter], at) if shorter > 0 else None
    return None, at


def _end_of_own_unit(text: str, at: int, own: str) -> int | None:
    """End of the question's own unit that begins there, which need not be a known one; None where it does not."""
    begin = at + (text[at : at + 1] == " ")
    for end in range(min(len(text), begin + _MAX_OWN_UNIT), begin, -1):
        behind = text[end : end + 2]
        goes_on = (text[end - 1].isalnum() and behind[:1].isalnum()) or (behind[:1] == "/" and behind[1:].isalpha())
        stated = text[begin:end]
        if not goes_on and (same_unit(stated, own) or (len(own) > 2 and stated.casefold() == own.casefold())):
            return end
    return None


def _readings(found: re.Match[str]) -> list[float]:
    """Values that the number may have, the likeliest first, without its sign."""
    if found["whole"]:
        is_mixed = int(found["over"]) < int(found["under"])
        return [int(found["whole"]) + int(found["over"]) / int(found["under"])] if is_mixed else []
    if found["top"]:
        top, bottom = int(found["top"]), int(found["bottom"])
        return [top / bottom, *_HALVES.get((top, bottom), ())] if bottom else []
    powers = sum(int(found[name] or 0) for name in ("power", "exponent", "times"))
    bases = [1.0] if found["power"] else _decimal_readings(found["decimal"])
    values = [base * float(f"1e{powers}") for base in bases]
    return [value for value in values if math.isfinite(value)]


def _decimal_readings(digits: str) -> list[float]:
    """The digits' possible values, a comma or a dot being for decimals or for thousands."""
    plain = re.sub("[ '’]", "", digits)
    marks = [letter for letter in plain if letter in ".,"]
    if not marks:
        return [float(plain)]
    whole, _, decimals = plain.rpartition(marks[-1])
    joined = re.sub("[.,]", "", whole)
    as_decimals = float(f"{joined or '0'}.{decimals}")
    if len(marks) > 1:
        return [as_decimals] if marks[-1] not in marks[:-1] else [float(joined + decimals)]
    if len(decimals) != 3 or len(whole) > 3 or not whole.strip("0"):
        return [as_decimals]
    as_thousands = float(whole + decimals)
    return [as_thousands, as_decimals] if marks == [","] else [as_decimals, as_thousands]
