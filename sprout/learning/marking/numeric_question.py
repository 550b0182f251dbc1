"""Numeric question: what it asks for, and whether a number is its key or what a wrong thought leads to."""

from collections.abc import Sequence
from dataclasses import dataclass

from sprout.learning.marking.quantities import Agreement, Quantity, agreement
from sprout.learning.marking.stated_results import stated_results
from sprout.learning.marking.units import same_unit
from sprout.learning.questions.questions import Misconception


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


def value_in(text: str, unit: str | None) -> float | None:
    """The value that a prepared text states, in the question's unit."""
    stated = stated_results(text, unit=unit).results
    if len(stated) != 1 or not (stated[0].unit is None or (unit and same_unit(stated[0].unit, unit))):
        return None
    return stated[0].value


def misconception_of(question: NumericQuestion, stated: Quantity) -> str | None:
    """The misconception behind the first diagnostic value that the quantity agrees with."""
    for one in question.misconceptions:
        value = value_in(one.option, question.unit)
        if value is not None and agrees(stated, value, question):
            return one.misconception
    return None


def agrees(stated: Quantity, value: float, question: NumericQuestion) -> bool:
    return agreement(stated, value, unit=question.unit, tolerance=question.tolerance) is Agreement.EQUAL


def is_the_very_number(stated: Quantity, value: float, question: NumericQuestion) -> bool:
    """Whether the numbers agree as they are written, not just in another reading: 0.004 may be meant as 0.4 %."""
    return agreement(Quantity(stated.value), value, unit=None, tolerance=question.tolerance) is Agreement.EQUAL


def which_one(results: Sequence[Quantity]) -> str:
    """The question to a learner who states several results."""
    named = dict.fromkeys(f"{one.value:.12g} {one.unit or ''}".strip() for one in results)
    return f"Which result counts: {' or '.join(named)}?" if len(named) > 1 else ""
