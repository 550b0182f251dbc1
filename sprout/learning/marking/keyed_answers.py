"""Keyed answers: choices and numbers, graded by code."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sprout.learning.marking.answer_pieces import plain_text
from sprout.learning.marking.calculations import (
    calculations,
    ends_in_parts,
    has_parts,
    has_unworked,
    leaves_the_rest,
    miscalculated,
    slipped_calculation,
    value_in_brackets,
)
from sprout.learning.marking.grades import Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.number_words import scale_of, with_digits
from sprout.learning.marking.quantities import Agreement, Quantity, agreement, iter_quantities
from sprout.learning.marking.stated_results import (
    StatedResults,
    names_several,
    names_what_is_counted,
    stated_results,
)
from sprout.learning.marking.units import parse_unit, same_unit
from sprout.learning.questions.questions import Misconception
from sprout.learning.text.normalization import one_line

NOT_WORKED_OUT = "That is a way to it. What number does it come to?"
SLIPPED = "Your way is right. Work {calculation} out once more."
ONLY_THE_SHARE = "That share is right. How much is it in percent?"
SHARE_WITH_SIGN = "As a share that is right; the % sign makes it a hundredth of that. How much is it in percent?"
ONLY_THE_ODDS = "Those odds are right. How much is that in percent?"
IN_ONE_UNIT = "How much is that in {unit}?"
SHARE_OF_HOW_MANY = "That share is right. How many is that?"
WHICH_SIDE = "That is a fraction. Which of its two numbers is asked for?"
WHICH_ONE_NUMBER = "You give several numbers. Which one number is your answer?"
NAMED_ONLY = "You say which they are. How many is that?"
LOOK_AGAIN = "Look at {calculation} once more."
FOR_OR_AGAINST = "Which side does each of the two numbers belong to?"
ONLY_A_BOUND = "That leaves many numbers open. Which one is it?"

_NO_UNITS = frozenset("x times mal fois por per of and or is in so plus minus days".split())
_MILLION = 1e6
_SLACK = 1e-9  # of the value
_ROUNDED = 0.02  # of the value
_ROUGH, _ROUNDED_OFF = 0.01, 0.06  # of the value: more than rounding on the way leaves, no more than rounding does
_MIL = re.compile(r"(?<=\d) ?mil\b", re.IGNORECASE)  # a thousand in Spanish, and a million where millions are asked for
_TWO_UNITS = re.compile(
    r"[,;(]?\s*(?P<equals>=|\b(?:or|oder|ou|o|also|so|is|ist|i\.?e\.?|thats|that['’]s|that is|which is|das sind|makes"
    r")\b)?\s*\b\d[\d.,]* ?(?!\d)(?P<unit>[^\W\d_]{3,12})(?P<second>,? (?:and |und |et |y )?\d+(?: ?[^\W\d_]{3,12})?)?"
    r"\W*?(?=\s*(?:=|\W*\Z))",
    re.IGNORECASE,
)
_ODDS = re.compile(
    r"(?<![\d.,])(\d{1,9}(?:[.,]\d{1,9})?) ?(?:to|:|zu|contre|à) ?(\d{1,9}(?:[.,]\d{1,9})?)\W*\Z", re.IGNORECASE
)
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
_RATIO = re.compile(r"\b(?:ratio|verhältnis|rapport|razón|rapporto|razão)\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approx\w*|ungefähr|etwa|rund|fast|environ|presque|casi|circa|quase)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"\b(?:to|zu|contre|a) (?:1|one|eins|un|uno) (?:against|gegen|contre|contra)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Option:
    """A choice; its id never changes, whatever letter stands before it and wherever it is shown."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class NumericQuestion:
    """A question with a number for an answer.

    Args:
        tolerance: how far off still counts, in the unit of the answer; None is exact.
        misconceptions: of the values that a wrong thought leads to.
    """

    prompt: str
    correct_answer: str
    unit: str | None = None
    tolerance: float | None = None
    misconceptions: tuple[Misconception, ...] = ()


def grade_choice(
    options: Sequence[Option], right_id: str, chosen: str, *, misconceptions: Mapping[str, str] | None = None
) -> Grade:
    """The grade of a choice, in whatever order the options stand.

    Args:
        chosen: an option's id or its text.
        misconceptions: option id → the misconception that leads to it.
    """
    if all(option.id != right_id for option in options):
        return ungraded("the right answer is not among the options", remedy=Remedy.PERSON)
    option = chosen_option(options, chosen)
    if option is None:
        return ungraded("not an option", remedy=Remedy.FOLLOW_UP)
    if option.id == right_id:
        return _right_grade()
    return _wrong_grade((misconceptions or {}).get(option.id))


def grade_number(question: NumericQuestion, answer: str) -> Grade:
    """The grade of an answer whose result is a number with or without a unit.

    Unsure where two results stand in it, where another number than the result is the right one, and where some reading
    of the result may be right.
    """
    factor, unit = scale_of(question.unit or "")
    if factor == _MILLION:
        answer = _MIL.sub(" million", answer)
    question = replace(question, unit=unit or None)
    key = _value_in(question.correct_answer, question.unit)
    if key is None:
        return ungraded("the prepared answer states no number", remedy=Remedy.PERSON)
    answer = _in_wanted_unit(answer, question.unit)
    stated = stated_results(answer, unit=question.unit, prompt=question.prompt)
    if names_what_is_counted(answer, question.prompt):
        return _unsure_grade("the answer is what was to be counted", NAMED_ONLY)
    if (other_form := _grade_other_form(question, key, stated.results, answer)) is not None:
        return other_form
    if len(stated.results) != 1:
        return _grade_unworked(question, key, stated, answer)
    (result,) = (_scaled(result, factor) for result in stated.results)
    return _grade_result(question, key, result, stated, answer, factor=factor)


def _grade_unworked(question: NumericQuestion, key: float, stated: StatedResults, answer: str) -> Grade:
    """The grade of an answer with no result or several: wrong if it is a calculation of something else."""
    value = _bare_value(question, answer) if stated.is_unworked else None
    if value and not _agrees(value, key, question):
        return _wrong_grade(_misconception_of(question, value))
    is_unworked = stated.is_unworked or has_unworked(answer, key, unit=question.unit)
    return _grade_without_result(replace(stated, is_unworked=is_unworked))


def _grade_result(
    question: NumericQuestion, key: float, result: Quantity, stated: StatedResults, answer: str, *, factor: float
) -> Grade:
    """The grade of an answer with one result, which is scaled by the question's factor already."""
    others = [_scaled(other, factor) for other in stated.others]
    verdict = agreement(result, key, unit=question.unit, tolerance=question.tolerance)
    misconception = _misconception_of(question, replace(result, alternatives=()))
    if verdict is Agreement.EQUAL and (grade := _grade_equal(question, key, result, misconception, answer)) is not None:
        return grade
    if (unfinished := _grade_unfinished(question, key, answer)) is not None:
        return unfinished
    if right := [one for one in others if _agrees(one, key, question)]:
        return _grade_beside(right[0], result, answer, question, concluded=stated.concluded)
    if not stated.sure:
        return _unsure_grade("the answer says nothing of its number")
    wrong = _grade_wrong(question, key, misconception, answer)
    if verdict is Agreement.UNCLEAR and wrong == _wrong_grade(None):
        return _unsure_grade("the number or its unit can be read in more than one way", _which_unit(question, result))
    return wrong


def _bare_value(question: NumericQuestion, answer: str) -> Quantity | None:
    """The value of an answer that is a plain calculation and nothing else; None with percentages, whose value may be
    meant in more than one way."""
    if (value := value_in_brackets(answer)) is not None:
        return Quantity(value)
    if "(" in answer or any(one.quantity.unit == "%" for one in iter_quantities(plain_text(answer), unit="%")):
        return None
    found = [*calculations(answer, unit=question.unit)]
    return Quantity(found[0].value) if len(found) == 1 and math.isfinite(found[0].value) else None


def _grade_wrong(question: NumericQuestion, key: float, misconception: str | None, answer: str) -> Grade:
    """The grade of a result that is not the key: wrong, unless another form of it or the numbers that lead to it."""
    if other := _grade_shortened_odds(key, answer) or _grade_scaled(question, key, answer):
        return other
    if slipped := slipped_calculation(answer, key, unit=question.unit):
        return replace(_wrong_grade(misconception), next_step=SLIPPED.format(calculation=slipped))
    is_own = misconception is None or _states_several_of_its_own(question, answer)
    if (is_own and has_parts(answer, key, unit=question.unit)) or ends_in_parts(
        answer, key, question.prompt, unit=question.unit
    ):
        return _unsure_grade("the answer is the two numbers that lead to the result", NOT_WORKED_OUT)
    if names_several(answer, question.prompt):
        return _unsure_grade("the answer is several numbers", WHICH_ONE_NUMBER)
    if misconception is None and (faulty := miscalculated(answer, unit=question.unit)):
        return replace(_wrong_grade(None), next_step=LOOK_AGAIN.format(calculation=faulty))
    return _wrong_grade(misconception)


def _states_several_of_its_own(question: NumericQuestion, answer: str) -> bool:
    """Whether the answer is several numbers, none of which the question gives: "820 for and 380 against"."""
    given = {one.quantity.value for one in iter_quantities(plain_text(question.prompt))}
    stated = {one.quantity.value for one in iter_quantities(plain_text(answer))}
    return len(stated) > 1 and stated.isdisjoint(given)


def _grade_beside(
    right: Quantity, result: Quantity, answer: str, question: NumericQuestion, *, concluded: bool
) -> Grade:
    """The grade of an answer in which another number than its result is the right one.

    Right if the result only rounds it ("0.5056, so about half"), or is it in another unit than the one that is asked
    for. Wrong if the answer goes on from it to the result ("so 30, then 3000"): to ask which of the two counts would
    give the right one away.
    """
    if _ABOUT.search(answer) and abs(result.value - right.value) <= _ROUNDED * abs(right.value):
        return _right_grade()
    is_wanted = [bool(one.unit and question.unit and same_unit(one.unit, question.unit)) for one in (right, result)]
    if is_wanted == [True, False] and result.unit:
        return _right_grade()
    if _is_worked_from(right, result, answer, question):
        return _right_grade()
    if concluded and not _is_beside(right, result, question.prompt):
        return _wrong_grade(_misconception_of(question, replace(result, alternatives=())))
    two = sorted((right, result), key=lambda one: one.value)
    return _unsure_grade("another number of the answer is the right one", _which_one(two))


def _is_worked_from(right: Quantity, result: Quantity, answer: str, question: NumericQuestion) -> bool:
    """Whether the answer begins with the right number, and then only uses it to come to one that the question prints:
    "25, and 18/25 = 0.72"."""
    first, *rest = iter_quantities(plain_text(answer), unit=question.unit)
    printed = {one.quantity.value for one in iter_quantities(plain_text(question.prompt))}
    used = re.compile(rf"(?<![\d.,]){right.value:g}(?![\d.,]*\d)")
    uses = any(one.stated == result.value and used.search(one.text) for one in calculations(answer, unit=question.unit))
    return bool(rest) and first.quantity.value == right.value and result.value in printed and uses


def _is_beside(right: Quantity, result: Quantity, prompt: str) -> bool:
    """Whether the result may be said beside the right one: a number of the question, or what is left of one or of 100:
    "14 are finished, so 26 are left"."""
    given = {100.0, *(one.quantity.value for one in iter_quantities(plain_text(prompt)))}
    return result.value in given or any(abs(right.value + result.value - one) <= _SLACK * one for one in given)


def _grade_shortened_odds(key: float, answer: str) -> Grade | None:
    """The grade of odds of which a side is the key, and that the answer goes on to shorten: "24:4 = 6 to 1"."""
    found = _SHORTENED.search(plain_text(answer))
    if found is None:
        return None
    a, b, c, d = (float(side) for side in found.groups())
    if key not in (a, b) or a * d != b * c:
        return None
    two = sorted((Quantity(key), Quantity(c)), key=lambda one: one.value)
    return _unsure_grade("the odds and their shortest form", _which_one(two))


def _grade_scaled(question: NumericQuestion, key: float, answer: str) -> Grade | None:
    """The grade of the key with a scale word, "463 million": right where the question has all its amounts in
    millions, or asks "How many million"; None of any other."""
    found = [*_SCALE_WORD.finditer(answer)]
    if len(found) != 1 or scale_of(found[0][2])[0] == 1:
        return None
    without = f"{answer[: found[0].start(2)]}{answer[found[0].end(2) :]}"
    if not _states_key(question, key, without):
        return None
    power = scale_of(found[0][2])[0]
    scales = {scale for one in _WORD.findall(question.prompt) if (scale := scale_of(one)[0]) != 1}
    if scales - {power}:
        return None
    amounts = [scale_of(one[2])[0] for one in _AMOUNT.finditer(question.prompt)]
    is_meant = all(scale == power for scale in amounts) or amounts.count(power) < sum(
        scale_of(one)[0] == power for one in _WORD.findall(question.prompt)
    )
    return _right_grade() if scales and is_meant else None


def _states_key(question: NumericQuestion, key: float, answer: str) -> bool:
    results = stated_results(answer, unit=question.unit, prompt=question.prompt).results
    return len(results) == 1 and _agrees(results[0], key, question)


def _in_wanted_unit(answer: str, unit: str | None) -> str:
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


def _grade_without_result(stated: StatedResults) -> Grade:
    if stated.is_bound:
        return _unsure_grade("the answer only bounds the number", ONLY_A_BOUND)
    if stated.is_unworked:
        return _unsure_grade("the answer is a calculation without its result", NOT_WORKED_OUT)
    return _unsure_grade("the answer states no single number beyond doubt", _which_one(stated.results))


def _grade_unfinished(question: NumericQuestion, key: float, answer: str) -> Grade | None:
    """The grade of an answer that stops short of its result, or has it in two units; None of any other."""
    if question.unit and _in_two_units(answer, question.unit):
        return _unsure_grade("the answer is in two units", IN_ONE_UNIT.format(unit=question.unit))
    if has_unworked(answer, key, unit=question.unit) or leaves_the_rest(answer, question.prompt):
        return _unsure_grade("the answer is a calculation without its result", NOT_WORKED_OUT)
    return None


def _grade_equal(
    question: NumericQuestion, key: float, result: Quantity, misconception: str | None, answer: str
) -> Grade | None:
    """The grade of a result that agrees with the key; None if it is as likely one that a wrong thought leads to."""
    if _AGAINST.search(answer) and not _AGAINST.search(question.prompt):
        return _unsure_grade("odds against may be the right ones the other way round", FOR_OR_AGAINST)
    if rounded := _only_rounds_to(question, key, answer):
        return _unsure_grade("the calculation comes to another number", LOOK_AGAIN.format(calculation=rounded))
    if misconception is None or _is_the_very_number(result, key, question):
        return _right_grade()
    if _misconception_of(replace(question, tolerance=None), replace(result, alternatives=())) is None:
        return _right_grade()  # only near a wrong thought's value: 2/8, where the thought leads to 0.2
    if question.unit == "%":
        return _unsure_grade("the share, where the question is about turning it into a percentage", ONLY_THE_SHARE)
    return None


def _only_rounds_to(question: NumericQuestion, key: float, answer: str) -> str | None:
    """The answer's one calculation, where it comes to an exact key only by much rounding: "8/392 = 2 %"."""
    found = [*calculations(answer, unit=question.unit)]
    if (
        question.tolerance
        or len(found) != 1
        or found[0].stated is None
        or not key
        or _ABOUT.search(answer)
        or "(" in answer
    ):
        return None
    values = (found[0].value, 100 * found[0].value) if question.unit == "%" else (found[0].value,)
    miss = min((abs(value - key) / abs(key) for value in values if math.isfinite(value)), default=0.0)
    return found[0].text if _ROUGH < miss <= _ROUNDED_OFF else None


def _scaled(quantity: Quantity, factor: float) -> Quantity:
    """The quantity as a number of millions, where these are asked for: 126 is 126, and so is 126,000,000."""
    if factor == 1:
        return quantity
    written_out = tuple(value / factor for value in quantity.readings if abs(value) >= factor)
    return replace(quantity, value=(*written_out, quantity.value)[0], alternatives=(*quantity.readings, *written_out))


def states_number(prompt: str, answer: str, *, unit: str | None) -> bool:
    """Whether the answer is a try at a number, right or wrong: one without any is not marked, and not wrong."""
    stated = stated_results(answer, unit=scale_of(unit or "")[1] or None, prompt=prompt)
    return bool(stated.results) or stated.is_unworked or stated.is_bound


def chosen_option(options: Sequence[Option], chosen: str) -> Option | None:
    """The option that was chosen: by id, else by text; but for capitals and spaces only where that leaves one."""
    for option in options:
        if option.id == chosen:
            return option
    same = [option for option in options if option.text == chosen]
    alike = same or [one for one in options if one_line(one.text).casefold() == one_line(chosen).casefold()]
    return alike[0] if len(alike) == 1 else None


def _value_in(text: str, unit: str | None) -> float | None:
    """The value that a prepared text states, in the question's unit."""
    stated = stated_results(text, unit=unit).results
    if len(stated) != 1 or not (stated[0].unit is None or (unit and same_unit(stated[0].unit, unit))):
        return None
    return stated[0].value


def _misconception_of(question: NumericQuestion, stated: Quantity) -> str | None:
    """The misconception behind the first diagnostic value that the quantity agrees with."""
    for one in question.misconceptions:
        value = _value_in(one.option, question.unit)
        if value is not None and _agrees(stated, value, question):
            return one.misconception
    return None


def _agrees(stated: Quantity, value: float, question: NumericQuestion) -> bool:
    return agreement(stated, value, unit=question.unit, tolerance=question.tolerance) is Agreement.EQUAL


def _is_the_very_number(stated: Quantity, value: float, question: NumericQuestion) -> bool:
    """Whether the numbers agree as they are written, not just in another reading: 0.004 may be meant as 0.4 %."""
    return agreement(Quantity(stated.value), value, unit=None, tolerance=question.tolerance) is Agreement.EQUAL


def _right_grade() -> Grade:
    return Grade(GradeState.GRADED, score=1.0, correct=True)


def _wrong_grade(misconception: str | None) -> Grade:
    return Grade(GradeState.GRADED, score=0.0, correct=False, misconceptions=(misconception,) if misconception else ())


def _unsure_grade(doubt: str, next_step: str = "") -> Grade:
    return Grade(GradeState.UNSURE, remedy=Remedy.FOLLOW_UP, doubts=(doubt,), next_step=next_step)


def _in_two_units(answer: str, unit: str) -> bool:
    """Whether the answer is in two units, of which the smaller one is the question's: "2 livres 5 (sous)"."""
    last = rf"(?: ?{re.escape(unit)}\b|(?=\W*\Z))"
    both = re.search(rf"\A[^\d]*\d+ ?([^\W\d_]{{1,12}}) (?:and |und |et |y )?\d+{last}", answer, re.IGNORECASE)
    return both is not None and both[1].lower() not in _NO_UNITS and not same_unit(both[1], unit)


def _grade_other_form(question: NumericQuestion, key: float, results: Sequence[Quantity], answer: str) -> Grade | None:
    """The grade of a percentage that is stated as odds or as a share with a percent sign, and of a count that is stated
    as its percentage; None of any other answer."""
    if any(_agrees(one, key, question) for one in results):
        is_left = question.unit == "%" and "%" not in answer and _CANNOT_CONVERT.search(answer)
        return _unsure_grade("the share, and that it cannot be converted", ONLY_THE_SHARE) if is_left else None
    if question.unit != "%":
        if _RATIO.search(question.prompt) and _ratio_in(answer) == key:
            return _right_grade()
        if sides := _FRACTION.fullmatch(answer):
            above, below = float(sides[1]), float(sides[2])
            if above == 1 and below == key and _ONE_IN.search(question.prompt):
                return _right_grade()
            if (below == key and _BELOW.search(question.prompt)) or (above == key and _ABOVE.search(question.prompt)):
                return _right_grade()
            if key in (above, below):
                return _unsure_grade("the fraction of which a side is asked for", WHICH_SIDE)
        of_prompt = [one.quantity.value for one in iter_quantities(question.prompt) if one.quantity.unit != "%"]
        shares = [one.value for one in results if one.unit == "%"]
        is_share = any(_agrees(Quantity(share / 100 * whole), key, question) for share in shares for whole in of_prompt)
        return _unsure_grade("the share of what is counted", SHARE_OF_HOW_MANY) if is_share else None
    percentages = [one.value for one in results if one.unit == "%"]
    if any(_agrees(Quantity(value * 100), key, question) for value in percentages):
        return _unsure_grade("the share, with a percent sign", SHARE_WITH_SIGN)
    if not percentages and _odds_come_to(answer, key):
        return _unsure_grade("the odds, where the percentage is asked for", ONLY_THE_ODDS)
    return None


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


def _which_unit(question: NumericQuestion, result: Quantity) -> str:
    """The question to a learner whose number has another unit than what is asked for."""
    if result.unit is None or (question.unit and same_unit(result.unit, question.unit)):
        return ""
    return (
        f"How much is that in {question.unit}?" if question.unit else f"The answer is asked for without {result.unit}."
    )


def _which_one(results: Sequence[Quantity]) -> str:
    """The question to a learner who states several results."""
    named = dict.fromkeys(f"{one.value:.12g} {one.unit or ''}".strip() for one in results)
    return f"Which result counts: {' or '.join(named)}?" if len(named) > 1 else ""
