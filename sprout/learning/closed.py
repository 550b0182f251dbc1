"""Questions that code alone marks: choices and numbers (A1). Words are for the grading agent."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sprout.errors import BadInput
from sprout.learning.questions import QuestionFormat, as_number, prompt_key

NO_NUMBER = "No number could be read from this answer, so it was not marked."
ROUNDING = 1e-9  # of the value: what writing a number down and reading it again may lose


@dataclass(frozen=True, slots=True)
class Closed:
    """What marking needs of a question; secret until it was answered.

    Args:
        options: id → text; the ids never change, and the order says nothing (Q1).
        tolerance: how far off a number still counts, in the unit of the answer; None is exact.
        misconceptions: what a wrong option, by its id, or a wrong number, by its words, gives away.
    """

    format: QuestionFormat
    correct_answer: str
    options: Mapping[str, str] = field(default_factory=dict)
    correct_option_id: str | None = None
    tolerance: float | None = None
    unit: str | None = None
    misconceptions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mark:
    """What code says to an answer; all None where it says nothing."""

    score: float | None = None
    correct: bool | None = None
    feedback: str | None = None


def chosen(closed: Closed, said: str | None) -> str | None:
    """The text of the option that was chosen, by its id or its text; None for none. Raises BadInput: there is no such
    option."""
    if said is None:
        return None
    if said in closed.options:
        return closed.options[said]
    for text in closed.options.values():
        if prompt_key(text) == prompt_key(said):
            return text
    raise BadInput("This is not one of the question's options.", field="selectedOption")


def marked(closed: Closed, *, text: str | None, option: str | None) -> Mark:
    """The mark of an answer; `option` is the text of one that the question has."""
    if closed.format == "mcq":
        return Mark() if option is None else _choice(closed, option)
    if closed.format == "numeric" and text is not None:
        return _number(closed, text)
    return Mark()


def _choice(closed: Closed, option: str) -> Mark:
    option_id = next(one for one, text in closed.options.items() if text == option)
    return _mark(option_id == closed.correct_option_id, closed.misconceptions.get(option_id))


def _number(closed: Closed, text: str) -> Mark:
    said, right = (as_number(one, unit=closed.unit) for one in (text, closed.correct_answer))
    if said is None or right is None:
        return Mark(feedback=NO_NUMBER)
    if _agree(said, right, closed.tolerance):
        return _mark(True, None)
    telling = (
        why
        for value, why in closed.misconceptions.items()
        if (wrong := as_number(value, unit=closed.unit)) is not None and _agree(said, wrong, closed.tolerance)
    )
    return _mark(False, next(telling, None))


def _agree(one: float, other: float, tolerance: float | None) -> bool:
    return abs(one - other) <= (tolerance or 0.0) + ROUNDING * abs(other)


def _mark(correct: bool, misconception: str | None) -> Mark:
    return Mark(1.0 if correct else 0.0, correct, None if correct else misconception)
