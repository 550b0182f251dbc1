"""Number grading: an answer whose result is a number, graded by code."""

import math
import re
from dataclasses import replace

from sprout.learning.marking.answer_pieces import plain_text
from sprout.learning.marking.calculations import (
    calculations,
    ends_in_parts,
    has_parts,
    has_unworked,
    is_unrounded,
    leaves_the_rest,
    miscalculated,
    slipped_calculation,
    spans,
    value_in_brackets,
)
from sprout.learning.marking.counted_answers import names_several, names_what_is_counted
from sprout.learning.marking.first_number import denies_what_is_asked, first_number
from sprout.learning.marking.gap_answers import without_words_around_gap
from sprout.learning.marking.grades import (
    Grade,
    Remedy,
    right_grade,
    unfinished_grade,
    ungraded,
    unsure_grade,
    wrong_grade,
)
from sprout.learning.marking.number_words import scale_of
from sprout.learning.marking.numeric_question import (
    NumericQuestion,
    agrees,
    is_the_very_number,
    misconception_of,
    value_in,
    which_one,
)
from sprout.learning.marking.other_forms import (
    ONLY_THE_SHARE,
    as_difference,
    grade_other_form,
    grade_scaled,
    grade_shortened_odds,
    in_two_units,
    in_wanted_unit,
    with_pi_worked_out,
)
from sprout.learning.marking.quantities import Agreement, Quantity, agreement, iter_quantities
from sprout.learning.marking.quoted_numbers import may_be_text
from sprout.learning.marking.stated_numbers import StatedResults
from sprout.learning.marking.stated_results import stated_results
from sprout.learning.marking.units import parse_unit, same_unit

NOT_WORKED_OUT = "That is a way to it. What number does it come to?"
SLIPPED = "Your way is right. Work {calculation} out once more."
IN_ONE_UNIT = "How much is that in {unit}?"
WHICH_ONE_NUMBER = "You give several numbers. Which one number is your answer?"
NAMED_ONLY = "You say which they are. How many is that?"
LOOK_AGAIN = "Look at {calculation} once more."
FOR_OR_AGAINST = "Which side does each of the two numbers belong to?"
WITH_QUOTES = "With or without the quotation marks? Write it as it should stand."
OF_THE_OTHERS = "You say “not”. Does your number count those that are asked about, or the others?"
ONLY_A_BOUND = "That leaves many numbers open. Which one is it?"
_MILLION = 1e6
_SLACK = 1e-9  # of the value
_ROUNDED = 0.02  # of the value
_ROUGH, _ROUNDED_OFF = 0.01, 0.06  # of the value: more than rounding on the way leaves, no more than rounding does
_MIL = re.compile(r"(?<=\d) ?mil\b", re.IGNORECASE)  # a thousand in Spanish, and a million where millions are asked for
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approx\w*|ungefähr|etwa|rund|fast|environ|presque|casi|circa|quase)\b",
    re.IGNORECASE,
)
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|rather than|statt|anstatt|anstelle von|au lieu de|en vez de|en lugar de|invece di|em vez de)"
    r"\b\D{0,12}(\d[\d.,]*\d|\d)",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"\b(?:to|zu|contre|a) (?:1|one|eins|un|uno) (?:against|gegen|contre|contra)\b", re.IGNORECASE)


def grade_number(question: NumericQuestion, answer: str) -> Grade:
    """The grade of an answer whose result is a number with or without a unit.

    Unsure where two results stand in it, where another number than the result is the right one, and where some reading
    of the result may be right. A calculation that the grade names stands there as it was typed.
    """
    grade = _grade_as_read(question, answer)
    forms = (SLIPPED, LOOK_AGAIN)
    for span in spans(answer) if grade.next_step else ():
        reads = [plain_text(one).strip() for one in (span, _MIL.sub(" million", span))]
        named = next((form for form in forms for read in reads if form.format(calculation=read) == grade.next_step), "")
        if named:
            return replace(grade, next_step=named.format(calculation=span))
    return grade


def _grade_as_read(question: NumericQuestion, answer: str) -> Grade:
    factor, unit = scale_of(question.unit or "")
    if factor == _MILLION:
        answer = _MIL.sub(" million", answer)
    question = replace(question, unit=unit or None)
    key = value_in(question.correct_answer, question.unit)
    if key is None:
        return ungraded("the prepared answer states no number", remedy=Remedy.PERSON)
    answer = in_wanted_unit(without_words_around_gap(answer, question.prompt), question.unit)
    answer = with_pi_worked_out(answer, question.prompt)
    stated = stated_results(answer, unit=question.unit, prompt=question.prompt)
    if names_what_is_counted(answer, question.prompt):
        return unsure_grade("the answer is what was to be counted", NAMED_ONLY)
    if (other_form := grade_other_form(question, key, stated.results, answer)) is not None:
        return other_form
    if len(stated.results) != 1:
        return _grade_unworked(question, key, stated, answer)
    (result,) = (_scaled(result, factor) for result in stated.results)
    return _grade_result(question, key, result, stated, answer, factor=factor)


def states_number(prompt: str, answer: str, *, unit: str | None) -> bool:
    """Whether the answer is a try at a number, right or wrong: one without any is not marked, and not wrong."""
    answer = without_words_around_gap(answer, prompt)
    stated = stated_results(answer, unit=scale_of(unit or "")[1] or None, prompt=prompt)
    return bool(stated.results) or stated.is_unworked or stated.is_bound


def _grade_unworked(question: NumericQuestion, key: float, stated: StatedResults, answer: str) -> Grade:
    """The grade of an answer with no result or several: wrong if it is a calculation of something else."""
    value = _bare_value(question, answer) if stated.is_unworked else None
    if value and not agrees(value, key, question):
        return wrong_grade(misconception_of(question, value))
    if any(agrees(one, key, question) and _is_first(one, question, answer) for one in stated.results):
        return right_grade()
    is_unworked = stated.is_unworked or has_unworked(answer, key, unit=question.unit)
    return _grade_without_result(replace(stated, is_unworked=is_unworked))


def _grade_result(
    question: NumericQuestion, key: float, result: Quantity, stated: StatedResults, answer: str, *, factor: float
) -> Grade:
    """The grade of an answer with one result, which is scaled by the question's factor already."""
    others = [_scaled(other, factor) for other in stated.others]
    result = as_difference(result, question.unit, question.prompt)
    verdict = agreement(result, key, unit=question.unit, tolerance=question.tolerance)
    misconception = misconception_of(question, replace(result, alternatives=()))
    if verdict is Agreement.EQUAL and (grade := _grade_equal(question, key, result, misconception, answer)) is not None:
        return grade
    if (unfinished := _grade_unfinished(question, key, answer)) is not None:
        return unfinished
    if right := [one for one in others if agrees(one, key, question)]:
        return _grade_beside(right[0], result, answer, question, concluded=stated.concluded)
    if not stated.sure:
        return unsure_grade("the answer says nothing of its number")
    wrong = _grade_wrong(question, key, misconception, answer)
    if verdict is Agreement.UNCLEAR and wrong == wrong_grade(None) and not _counts_other_things(question, key, result):
        return unsure_grade("the number or its unit can be read in more than one way", _which_unit(question, result))
    return wrong


def _counts_other_things(question: NumericQuestion, key: float, result: Quantity) -> bool:
    """Whether a percentage is asked for, and the number is of things and none that leads to it: "42 visitors", where
    "35 lamps" of the question's 500 is a way to 7 %."""
    is_of_things = result.unit is not None and not same_unit(result.unit, "%") and parse_unit(result.unit) is None
    if question.unit != "%" or not is_of_things:
        return False
    wholes = [one.quantity.value for one in iter_quantities(plain_text(question.prompt)) if one.quantity.value]
    shares = (100 * result.value / whole for whole in wholes)
    forms = (result.value, 100 * result.value, *shares)
    return not any(agrees(Quantity(one), key, question) for one in forms)


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
    if other := grade_shortened_odds(key, answer) or grade_scaled(question, key, answer):
        return other
    if slipped := slipped_calculation(answer, key, unit=question.unit):
        return replace(wrong_grade(misconception), next_step=SLIPPED.format(calculation=slipped))
    is_own = misconception is None or _states_several_of_its_own(question, answer)
    if (is_own and has_parts(answer, key, unit=question.unit)) or ends_in_parts(
        answer, key, question.prompt, unit=question.unit
    ):
        return unsure_grade("the answer is the two numbers that lead to the result", NOT_WORKED_OUT)
    if names_several(answer, question.prompt):
        return unsure_grade("the answer is several numbers", WHICH_ONE_NUMBER)
    if misconception is None and (faulty := miscalculated(answer, unit=question.unit)):
        return replace(wrong_grade(None), next_step=LOOK_AGAIN.format(calculation=faulty))
    return wrong_grade(misconception)


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
    for, and where it is stated first and the result only follows from it or is said beside it ("9, so 90 %"). Wrong if
    the answer goes on from it to the result ("so 30, then 3000"), unless it is a clause of its own: to ask which of the
    two counts would give the right one away.
    """
    if _is_first(right, question, answer):
        return right_grade()
    if _ABOUT.search(answer) and abs(result.value - right.value) <= _ROUNDED * abs(right.value):
        return right_grade()
    is_wanted = [bool(one.unit and question.unit and same_unit(one.unit, question.unit)) for one in (right, result)]
    if is_wanted == [True, False] and result.unit:
        return right_grade()
    if _is_worked_from(right, result, answer, question):
        return right_grade()
    first = first_number(answer, unit=question.unit)
    is_own_clause = first is not None and first.is_paused_after and first.quantity.value == right.value
    if concluded and not is_own_clause and not _is_beside(right, result, question.prompt):
        return wrong_grade(misconception_of(question, replace(result, alternatives=())))
    two = sorted((right, result), key=lambda one: one.value)
    return unsure_grade("another number of the answer is the right one", which_one(two))


def _is_first(right: Quantity, question: NumericQuestion, answer: str) -> bool:
    """Whether the answer states the right number first, and the others are what follows from it, or of others."""
    first = first_number(answer, unit=question.unit)
    if first is None or first.quantity.value != right.value:
        return False
    return first.leads_to_other_kind(question.unit) or first.is_beside_others(question.prompt, question.unit)


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


def _grade_without_result(stated: StatedResults) -> Grade:
    if stated.is_bound:
        return unfinished_grade("the answer only bounds the number", ONLY_A_BOUND)
    if stated.is_unworked:
        return unfinished_grade("the answer is a calculation without its result", NOT_WORKED_OUT)
    return unsure_grade("the answer states no single number beyond doubt", which_one(stated.results))


def _grade_unfinished(question: NumericQuestion, key: float, answer: str) -> Grade | None:
    """The grade of an answer that stops short of its result, or has it in two units; None of any other."""
    if question.unit and in_two_units(answer, question.unit):
        return unfinished_grade("the answer is in two units", IN_ONE_UNIT.format(unit=question.unit))
    is_way = has_unworked(answer, key, unit=question.unit) or leaves_the_rest(answer, question.prompt)
    if is_way or _corrects_number(answer, question.prompt):
        return unfinished_grade("the answer is a calculation without its result", NOT_WORKED_OUT)
    return None


def _corrects_number(answer: str, prompt: str) -> bool:
    """Whether the answer puts a number in the place of one that the question prints: "30 instead of 45"."""
    found = _INSTEAD_OF.search(answer)
    return found is not None and re.search(rf"(?<![\d.,]){re.escape(found[1])}(?![\d.,]*\d)", prompt) is not None


def _grade_equal(
    question: NumericQuestion, key: float, result: Quantity, misconception: str | None, answer: str
) -> Grade | None:
    """The grade of a result that agrees with the key; None if it is as likely one that a wrong thought leads to."""
    if _AGAINST.search(answer) and not _AGAINST.search(question.prompt):
        return unsure_grade("odds against may be the right ones the other way round", FOR_OR_AGAINST)
    first = first_number(answer, unit=question.unit)
    if first and first.quantity.value != result.value and first.leaves_unasked_rest(question.prompt, question.unit):
        two = sorted((first.quantity, result), key=lambda one: one.value)
        return unsure_grade("the number may be of the rest", which_one(two))
    if denies_what_is_asked(answer, question.prompt, unit=question.unit):
        return unsure_grade("the number may be of those that are not asked about", OF_THE_OTHERS)
    if may_be_text(answer, question.prompt):
        return unfinished_grade("the right number, as a text", WITH_QUOTES)
    if is_unrounded(answer, key, tolerance=question.tolerance or 0.0, unit=question.unit):
        return unfinished_grade("the answer is a calculation without its result", NOT_WORKED_OUT)
    if rounded := _only_rounds_to(question, key, answer):
        return unsure_grade("the calculation comes to another number", LOOK_AGAIN.format(calculation=rounded))
    if misconception is None or is_the_very_number(result, key, question):
        return right_grade()
    if misconception_of(replace(question, tolerance=None), replace(result, alternatives=())) is None:
        return right_grade()  # only near a wrong thought's value: 2/8, where the thought leads to 0.2
    if question.unit == "%":
        return unfinished_grade("the share, where the question is about turning it into a percentage", ONLY_THE_SHARE)
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


def _which_unit(question: NumericQuestion, result: Quantity) -> str:
    """The question to a learner whose number has another unit than what is asked for."""
    if result.unit is None or (question.unit and same_unit(result.unit, question.unit)):
        return ""
    return (
        f"How much is that in {question.unit}?" if question.unit else f"The answer is asked for without {result.unit}."
    )
