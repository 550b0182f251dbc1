"""Keyed answers: choices and numbers, graded by code."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.grades import Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.quantities import Agreement, Quantity, agreement, parse_quantity
from sprout.learning.marking.units import same_unit
from sprout.learning.questions.questions import Misconception
from sprout.learning.text.normalization import folded, occurs_in, one_line

_ONE_WORD = re.compile(r"[^\W\d_]+")


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
        return _blank_grade() if says_nothing(chosen) else ungraded("not an option", remedy=Remedy.FOLLOW_UP)
    if option.id == right_id:
        return _right_grade()
    return _wrong_grade((misconceptions or {}).get(option.id))


def grade_number(question: NumericQuestion, answer: str) -> Grade:
    """The grade of a number with or without a unit; unsure wherever some reading of the answer may be right."""
    key = _value_in(question.correct_answer, question.unit)
    if key is None:
        return ungraded("the prepared answer states no number", remedy=Remedy.PERSON)
    stated = parse_quantity(answer, unit=question.unit)
    if stated is None:
        return (
            _blank_grade() if says_nothing(answer) else _unsure_grade("the answer states no single number beyond doubt")
        )
    meant = _without_counted_noun(stated, question)
    match agreement(meant, key, unit=question.unit, tolerance=question.tolerance):
        case Agreement.EQUAL:
            return _right_grade()
        case Agreement.UNCLEAR:
            return _unsure_grade("the number or its unit can be read in more than one way")
        case Agreement.DIFFERENT:
            return _wrong_grade(_misconception_of(question, meant))


def chosen_option(options: Sequence[Option], chosen: str) -> Option | None:
    """The option that was chosen: by id, else by text; but for capitals and spaces only where that leaves one."""
    for option in options:
        if option.id == chosen:
            return option
    same = [option for option in options if option.text == chosen]
    alike = same or [one for one in options if one_line(one.text).casefold() == one_line(chosen).casefold()]
    return alike[0] if len(alike) == 1 else None


def _value_in(text: str, unit: str | None) -> float | None:
    stated = parse_quantity(text, unit=unit)
    if stated is None or not (stated.unit is None or (unit and same_unit(stated.unit, unit))):
        return None
    return stated.value


def _without_counted_noun(stated: Quantity, question: NumericQuestion) -> Quantity:
    """The quantity without its unit, if the question has none and the unit is a word of its prompt: "8 primes"."""
    if question.unit or not stated.unit or not _ONE_WORD.fullmatch(stated.unit):
        return stated
    return replace(stated, unit=None) if occurs_in(folded(stated.unit), folded(question.prompt)) else stated


def _misconception_of(question: NumericQuestion, stated: Quantity) -> str | None:
    """The misconception behind the first diagnostic value that the quantity agrees with."""
    for one in question.misconceptions:
        value = _value_in(one.option, question.unit)
        if value is not None and _agrees(stated, value, question):
            return one.misconception
    return None


def _agrees(stated: Quantity, value: float, question: NumericQuestion) -> bool:
    return agreement(stated, value, unit=question.unit, tolerance=question.tolerance) is Agreement.EQUAL


def _right_grade() -> Grade:
    return Grade(GradeState.GRADED, score=1.0, correct=True)


def _wrong_grade(misconception: str | None) -> Grade:
    return Grade(GradeState.GRADED, score=0.0, correct=False, misconceptions=(misconception,) if misconception else ())


def _blank_grade() -> Grade:
    """No answer, or "I don't know": nothing right, and nothing wrong believed."""
    return Grade(GradeState.GRADED, score=0.0, correct=False)


def _unsure_grade(doubt: str) -> Grade:
    return Grade(GradeState.UNSURE, remedy=Remedy.FOLLOW_UP, doubts=(doubt,))
