"""An answer marked against the row of its question, as far as code can."""

from typing import Any, cast

from sprout.errors import BadInput
from sprout.learning.marking.evidence import OpenQuestion
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.marking.grading import graded_blank
from sprout.learning.marking.keyed_answers import NumericQuestion, Option, chosen_option, graded_choice, graded_number
from sprout.learning.questions.questions import Criterion, Misconception
from sprout.store import tables

NOT_SURE = "This could be read in more than one way, so it was not marked. Say it again, with one number and its unit."


def chosen_text(question: tables.Question, said: str | None) -> str | None:
    """The text of the option that was chosen, by its id or its text. Raises BadInput: the question has none like it."""
    if said is None:
        return None
    option = chosen_option(_options(question), said)
    if option is None:
        raise BadInput("This is not one of the question's options.", field="selectedOption")
    return option.text


def marked(question: tables.Question, *, text: str | None, option: str | None) -> Grade | None:
    """The grade; None where there is nothing to grade, and where only the meaning of words can tell.

    Args:
        option: the text of one that the question has.
    """
    match question.format:
        case "mcq" if option is not None:
            wrong = {one["optionId"]: one["misconception"] for one in _misconceptions(question)}
            right_id = question.correct_option_id or ""
            return graded_choice(_options(question), right_id, option, misconceptions=wrong)
        case "numeric" if text is not None:
            return graded_number(_numeric(question), text)
        case "open_ended" if text is not None:
            return graded_blank(open_question(question), text)
    return None


def feedback_on(grade: Grade) -> str | None:
    """What the learner is told about a mark of code: what may be behind a wrong answer, or why there is none."""
    if grade.state is not GradeState.GRADED:
        return NOT_SURE
    return grade.misconceptions[0] if grade.misconceptions else None


def open_question(question: tables.Question) -> OpenQuestion:
    """What an open answer to the question is graded against."""
    criteria = tuple(Criterion(**one) for one in cast(list[dict[str, Any]], question.criteria or []))
    prepared = [question.correct_answer, *cast(list[str], question.anchors or [])]
    return OpenQuestion(question.prompt, criteria, tuple(dict.fromkeys(text for text in prepared if text)))


def _options(question: tables.Question) -> list[Option]:
    return [Option(**option) for option in cast(list[dict[str, str]], question.options or [])]


def _misconceptions(question: tables.Question) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], question.misconceptions or [])


def _numeric(question: tables.Question) -> NumericQuestion:
    return NumericQuestion(
        question.prompt,
        question.correct_answer or "",
        question.unit,
        question.tolerance,
        tuple(Misconception(one["answer"], one["misconception"]) for one in _misconceptions(question)),
    )
