"""Other forms of a number: odds, shares, fractions, scale words and sums in two units."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from sprout.learning.marking.answer_pieces import plain_text
from sprout.learning.marking.grades import Grade, right_grade, unfinished_grade, unsure_grade
from sprout.learning.marking.number_words import scale_of, with_digits
from sprout.learning.marking.numeric_question import NumericQuestion, agrees, which_one
from sprout.learning.marking.quantities import Quantity, iter_quantities
from sprout.learning.marking.stated_results import stated_results
from sprout.learning.marking.units import parse_unit, same_unit

ONLY_THE_SHARE = "That share is right. How much is it in percent?"
SHARE_WITH_SIGN = "As a share that is right; the % sign makes it a hundredth of that. How much is it in percent?"
ONLY_THE_ODDS = "Those odds are right. How much is that in percent?"
SHARE_OF_HOW_MANY = "That share is right. How many is that?"
WITHOUT_SCALE = "Does “{scale}” belong to it? Write your number as the question writes its own."
WHICH_SIDE = "That is a fraction. Which of its two numbers is asked for?"
_NO_UNITS = frozenset("x times mal fois por per of and or is in so plus minus days".split())
_SLACK = 1e-9  # of the value
_TWO_UNITS = re.compile(
    r"[,;(]?\s*(?P<equals>=|\b(?:or|oder|ou|o|also|so|is|ist|i\.?e\.?|thats|that['’]s|that is|which is|das sind|makes"
    r")\b)?\s*\b\d[\d.,]* ?(?!\d)(?P<unit>[^\W\d_]{3,12})(?P<second>,? (?:and |und |et |y )?\d+(?: ?[^\W\d_]{3,12})?)?"
    r"\W*?(?=\s*(?:=|\W*\Z))",
    re.IGNORECASE,
)
_ODDS = re.compile(
    r"(?<![\d.,])(\d{1,9}(?:[.,]\d{1,9})?) ?(?:to|:|zu|contre|à) ?(\d{1,9}(?:[.,]\d{1,9})?)\W*\Z", re.IGNORECASE
)
_UNKNOWN_SIDE = re.compile(r"(?<![\d.,])(\d{1,9}) ?(?:to|:|zu) ?[a-z]\b(?![’'])")
_WITH_REMAINDER = re.compile(r"\W*(\d{1,9}) ?r ?(\d{1,9})\W*", re.IGNORECASE)
_FRACTION = re.compile(r"\W*(\d{1,9}) ?/ ?(\d{1,9})\W*")
_BELOW = re.compile(
    r"\b(?:below|under) (?:the|its) line\b|\bdenominator\b|\bunter dem Strich\b|\bNenner\b", re.IGNORECASE
)
_ABOVE = re.compile(r"\b(?:above|over) (?:the|its) line\b|\bnumerator\b|\büber dem Strich\b|\bZähler\b", re.IGNORECASE)
_SHORTENED = re.compile(r"(\d{1,9}) ?(?::|/|to|zu) ?(\d{1,9}) ?(?:=|so|is) ?(\d{1,9}) ?(?::|to|zu) ?(\d{1,9})\W*\Z")
_SCALE_WORD = re.compile(r"(\d ?)([^\W\d_]{2,12})\b")
_AMOUNT = re.compile(r"(\d[\d.,]*)(?![\d.,]* ?%) ?([^\W\d_]*)")
_WORD = re.compile(r"[^\W\d_]+")
_ONE_IN = re.compile(r"\b(?:1|one|eine?[rms]?|une?|uno) (?:in|of|out of|von|sur|de cada|su)\b", re.IGNORECASE)
_CANNOT_CONVERT = re.compile(
    r"\b(?:don['’]?t|dont|do not|no idea|not sure|can['’]?t|cannot|idk|forgot|weiß nicht|keine ahnung)\b.{0,40}"
    r"(?:per ?cent|prozent|pour ?cent|%)",
    re.IGNORECASE,
)
_PI = re.compile(
    r"(?<![\w.,])(?:(\d{1,9}(?:[.,]\d{1,9})?) ?[*·]? ?)?(?:π|\bpi\b)(?: ?/ ?(\d{1,9}))?(?![\w.,]*\d)", re.IGNORECASE
)
_DIFFERENCE = re.compile(
    r"\bby how (?:many|much)\b|\bhow (?:many|much) (?:\w+ )?(?:warmer|colder|hotter|cooler)\b|\bdifference\b"
    r"|\bum wie ?viele?\b|\bunterschied\b|\bde combien\b|\bdifférence\b|\bdiferencia\b|\bdifferenza\b|\bdiferença\b",
    re.IGNORECASE,
)
_DEGREES = ("°C", "K")
_RATIO = re.compile(r"\b(?:ratio|verhältnis|rapport|razón|rapporto|razão)\b", re.IGNORECASE)


def grade_other_form(question: NumericQuestion, key: float, results: Sequence[Quantity], answer: str) -> Grade | None:
    """The grade of a percentage that is stated as odds or as a share with a percent sign, and of a count that is stated
    as its percentage; None of any other answer."""
    if (sides := _WITH_REMAINDER.fullmatch(answer)) and key in (float(sides[1]), float(sides[2])):
        return unsure_grade(
            "the quotient and the remainder", which_one([Quantity(float(one)) for one in sides.groups()])
        )
    if any(agrees(one, key, question) for one in results):
        is_left = question.unit == "%" and "%" not in answer and _CANNOT_CONVERT.search(answer)
        return unfinished_grade("the share, and that it cannot be converted", ONLY_THE_SHARE) if is_left else None
    if question.unit != "%":
        if _RATIO.search(question.prompt) and _ratio_in(answer) == key:
            return right_grade()
        if _second_side(question.prompt, answer) == key:
            return right_grade()
        if sides := _FRACTION.fullmatch(answer):
            above, below = float(sides[1]), float(sides[2])
            if above == 1 and below == key and _ONE_IN.search(question.prompt):
                return right_grade()
            if (below == key and _BELOW.search(question.prompt)) or (above == key and _ABOVE.search(question.prompt)):
                return right_grade()
            if key in (above, below):
                return unfinished_grade("the fraction of which a side is asked for", WHICH_SIDE)
        of_prompt = [one.quantity.value for one in iter_quantities(question.prompt) if one.quantity.unit != "%"]
        shares = [one.value for one in results if one.unit == "%"]
        is_share = any(agrees(Quantity(share / 100 * whole), key, question) for share in shares for whole in of_prompt)
        return unfinished_grade("the share of what is counted", SHARE_OF_HOW_MANY) if is_share else None
    percentages = [one.value for one in results if one.unit == "%"]
    if any(agrees(Quantity(value * 100), key, question) for value in percentages):
        return unfinished_grade("the share, with a percent sign", SHARE_WITH_SIGN)
    if not percentages and _odds_come_to(answer, key):
        return unfinished_grade("the odds, where the percentage is asked for", ONLY_THE_ODDS)
    return None


def grade_shortened_odds(key: float, answer: str) -> Grade | None:
    """The grade of odds of which a side is the key, and that the answer goes on to shorten: "24:4 = 6 to 1"."""
    found = _SHORTENED.search(plain_text(answer))
    if found is None:
        return None
    a, b, c, d = (float(side) for side in found.groups())
    if key not in (a, b) or a * d != b * c:
        return None
    two = sorted((Quantity(key), Quantity(c)), key=lambda one: one.value)
    return unsure_grade("the odds and their shortest form", which_one(two))


def grade_scaled(question: NumericQuestion, key: float, answer: str) -> Grade | None:
    """The grade of the key with a scale word, "463 million": right where the question has all its amounts in
    millions, or asks "How many million", else asked about; None of any other."""
    found = [*_SCALE_WORD.finditer(answer)]
    if len(found) != 1 or scale_of(found[0][2])[0] == 1:
        return None
    without = f"{answer[: found[0].start(2)]}{answer[found[0].end(2) :]}"
    if not _states_key(question, key, without):
        return None
    power = scale_of(found[0][2])[0]
    scales = {scale for one in _WORD.findall(question.prompt) if (scale := scale_of(one)[0]) != 1}
    amounts = [scale_of(one[2])[0] for one in _AMOUNT.finditer(question.prompt)]
    is_meant = all(scale == power for scale in amounts) or amounts.count(power) < sum(
        scale_of(one)[0] == power for one in _WORD.findall(question.prompt)
    )
    if scales == {power} and is_meant:
        return right_grade()
    return unfinished_grade("the number, with a scale", WITHOUT_SCALE.format(scale=found[0][2]))


def _second_side(prompt: str, answer: str) -> float | None:
    """The second side of the odds that are the answer, where the prompt asks for it by a letter: 2.5 of "1 : 2.5" for
    "1 to n"."""
    asked, said = _UNKNOWN_SIDE.search(prompt), _ODDS.search(answer)
    is_whole = said is not None and not answer[: said.start()].strip()
    is_asked = asked is not None and is_whole and said is not None and said[1] == asked[1]
    return float(said[2].replace(",", ".")) if said is not None and is_asked else None


def _states_key(question: NumericQuestion, key: float, answer: str) -> bool:
    results = stated_results(answer, unit=question.unit, prompt=question.prompt).results
    return len(results) == 1 and agrees(results[0], key, question)


def in_wanted_unit(answer: str, unit: str | None) -> str:
    """The answer without a sum in two units that its number in the wanted unit is said to equal, as in "54 sous = 2
    livres 14"."""
    if not unit:
        return answer

    def left(found: re.Match[str]) -> str:
        word = found["unit"]
        is_other = word.lower() not in _NO_UNITS and not same_unit(word, unit) and parse_unit(word) is None
        return " " if is_other and (found["equals"] or found["second"]) else found[0]

    rest = _TWO_UNITS.sub(left, answer)
    states = re.search(rf"\d ?{re.escape(unit)}\b", rest, re.IGNORECASE)
    return rest if rest != answer and states else answer


def with_pi_worked_out(answer: str, prompt: str) -> str:
    """The answer with what it states in parts of π as a decimal number, unless the question speaks of π itself."""

    def value(found: re.Match[str]) -> str:
        many, below = float((found[1] or "1").replace(",", ".")), float(found[2] or 1)
        is_part = found[1] is not None or found[2] is not None
        return repr(many * math.pi / below) if is_part and below else found[0]

    return answer if _PI.search(prompt) else _PI.sub(value, answer)


def as_difference(result: Quantity, unit: str | None, prompt: str) -> Quantity:
    """The result in the question's unit, where a difference of temperatures is asked for: one of 25 K is one of
    25 °C."""
    is_other = unit in _DEGREES and result.unit in _DEGREES and result.unit != unit
    return replace(result, unit=unit) if is_other and _DIFFERENCE.search(prompt) else result


def in_two_units(answer: str, unit: str) -> bool:
    """Whether the answer is in two units, of which the smaller one is the question's: "2 livres 5 (sous)"."""
    last = rf"(?: ?{re.escape(unit)}\b|(?=\W*\Z))"
    both = re.search(rf"\A[^\d]*\d+ ?([^\W\d_]{{1,12}}) (?:and |und |et |y )?\d+{last}", answer, re.IGNORECASE)
    return both is not None and both[1].lower() not in _NO_UNITS and not same_unit(both[1], unit)


def _sides_in(answer: str) -> tuple[float, float]:
    """Both sides of what the answer ends with, such as "3 to 1"; zeros without any."""
    found = _ODDS.search(with_digits(answer))
    one, other = (float(side.replace(",", ".")) for side in found.groups()) if found else (0.0, 0.0)
    return one, other


def _ratio_in(answer: str) -> float | None:
    """The number of a ratio that is written with both sides: "1 to 2" is 0.5."""
    one, other = _sides_in(answer)
    return one / other if other else None


def _odds_come_to(answer: str, percentage: float) -> bool:
    """Whether the answer ends with odds of this chance: "3 to 1" is 75 %."""
    one, other = _sides_in(answer)
    return one + other > 0 and abs(100 * one / (one + other) - percentage) <= _SLACK * percentage
