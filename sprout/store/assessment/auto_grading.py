"""Automatic grading: an answer marked against its question's row, as far as code can."""

from dataclasses import replace
from typing import Any, cast

from sprout.errors import BadInput
from sprout.learning.marking.attempts import asks_something, is_genuine_attempt
from sprout.learning.marking.choices import Option, chosen_option, grade_choice
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.marking.grading import is_blank
from sprout.learning.marking.number_grading import grade_number, states_number
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.marking.terms import grade_term
from sprout.learning.questions.questions import Criterion
from sprout.store.schema import tables
from sprout.store.schema.marking_columns import accepted_of, misconceptions_of, program_tests_of

AMBIGUOUS = "We could read this in more than one way, so it was not marked. Write only the result that counts."


def chosen_text(question: tables.Question, selected: str | None) -> str | None:
    """The text of the chosen option, by its id or its text. Raises BadInput: the question has no such option."""
    if selected is None:
        return None
    option = chosen_option(_options(question), selected)
    if option is None:
        raise BadInput("This is not one of the question's options.", field="selectedOption", code="option_unknown")
    return option.text


def auto_grade(question: tables.Question, *, text: str | None, option: str | None) -> Grade | None:
    """The grade; None if there is nothing to grade, or only the meaning of words can tell.

    Args:
        option: the text of one of the question's options.
    """
    match question.format:
        case "mcq" if option is not None:
            wrong = {one["optionId"]: one["misconception"] for one in _misconceptions(question)}
            right_id = question.correct_option_id or ""
            return _set_slip_apart(grade_choice(_options(question), right_id, option, misconceptions=wrong), question)
        case "numeric" if text is not None:
            return _set_slip_apart(grade_number(_numeric(question), text), question)
        case "open_ended" if text is not None and (accepted := accepted_of(question)):
            grade = grade_term(question.prompt, accepted, misconceptions_of(question), text)
            return None if grade is None else _set_slip_apart(grade, question)
    return None


def is_attempt(question: tables.Question, text: str) -> bool:
    """Whether the words try to answer: "I don't know", a complaint and a question of the learner's own do not, nor what
    has no number where one is asked for."""
    if question.format == "numeric":
        return states_number(question.prompt, text, unit=question.unit)
    asked = open_question(question)
    if is_blank(asked, text) or asks_something(text, answers=asked.anchors):
        return False
    return is_genuine_attempt(text, prompt=question.prompt, answers=asked.anchors)


def feedback_for(grade: Grade) -> str | None:
    """Feedback on an automatic grade: the misconception or the slip behind a wrong answer, or why there is no grade."""
    if grade.state is not GradeState.GRADED:
        return grade.next_step or AMBIGUOUS
    return next(iter(grade.misconceptions), grade.slip or None)


def open_question(question: tables.Question) -> OpenQuestion:
    """The question as open answers are graded against it."""
    criteria = tuple(Criterion(**one) for one in cast(list[dict[str, Any]], question.criteria or []))
    prepared = [question.correct_answer, *cast(list[str], question.anchors or [])]
    anchors = tuple(dict.fromkeys(text for text in prepared if text))
    return OpenQuestion(question.prompt, criteria, anchors, program_tests_of(question))


def _options(question: tables.Question) -> list[Option]:
    return [Option(**option) for option in cast(list[dict[str, str]], question.options or [])]


def _set_slip_apart(grade: Grade, question: tables.Question) -> Grade:
    """The grade with a slip behind the answer as such, and not among the beliefs."""
    slips = {one.misconception for one in misconceptions_of(question) if one.slip}
    slip = next((one for one in grade.misconceptions if one in slips), "")
    beliefs = tuple(one for one in grade.misconceptions if one not in slips)
    return replace(grade, misconceptions=beliefs, slip=slip) if slip else grade


def _misconceptions(question: tables.Question) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], question.misconceptions or [])


def _numeric(question: tables.Question) -> NumericQuestion:
    return NumericQuestion(
        question.prompt,
        question.correct_answer or "",
        question.unit,
        question.tolerance,
        misconceptions_of(question),
    )
