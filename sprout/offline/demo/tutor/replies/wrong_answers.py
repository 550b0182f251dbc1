"""Replies to wrong answers: what a course says to exactly the option, number or term that a learner gave."""

import re
from collections.abc import Iterator, Sequence

from sprout.learning.lessons.checkpoints import AskedCheckpoint, LessonCheckpoint
from sprout.learning.lessons.turn import LearnerInput, TurnKind, named_option, with_confirmed_answer, with_picked_result
from sprout.learning.marking.answer_pieces import plain_text
from sprout.learning.marking.attempts import asks_something
from sprout.learning.marking.calculations import calculations
from sprout.learning.marking.choices import Option
from sprout.learning.marking.grades import Grade
from sprout.learning.marking.number_grading import grade_number
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.learning.marking.quantities import iter_quantities
from sprout.learning.marking.terms import grade_term
from sprout.learning.questions.questions import Misconception
from sprout.offline.demo.tutor.lesson import PreparedQuestion

_GRANTS = re.compile(r"\b(?:right|correct|richtig|stimmt|stimmen)\b")


def reply_to(question: PreparedQuestion, words: str, shown: Sequence[str] = (), before: Sequence[str] = ()) -> str:
    """The prepared reply to the wrong answer that the words give; empty if there is none.

    The words are read as they are marked: a number or a term has its reply where it would have its misconception.

    Args:
        shown: the options in the order in which the learner sees them.
        before: the learner's earlier words on the question, which a "yes" or "the second one" may be about.
    """
    asked = _as_asked(question, shown, before)
    said = [one for one in before if not asks_something(one)]  # an offer stays open across a question
    given = with_confirmed_answer(asked, _as_answer(words), [*map(_as_answer, said)])
    meant = with_picked_result(asked, given).text
    if question.kind == "mcq":
        option = named_option(asked, meant)
        return question.replies.get(option.text, "") if option else ""
    wrong = tuple(Misconception(answer, reply) for answer, reply in question.replies.items())
    if question.kind == "number":
        reply = _reply_of(grade_number(_as_numeric(question, wrong), meant))
        return "" if _GRANTS.search(reply) and _went_another_way(meant, f"{question.prompt} {reply}") else reply
    return _reply_of(grade_term(question.prompt, question.accepted, wrong, meant)) if question.accepted else ""


def _went_another_way(answer: str, known: str) -> bool:
    """Whether the answer calculates with a number that the question and the reply do not have: then the reply, which
    grants that a part is right, takes another way for granted than the one that the learner has written down."""
    worked_with = (value for one in calculations(answer) for value in _values(one.text))
    return not set(_values(known)).issuperset(worked_with)


def _values(text: str) -> Iterator[float]:
    return (one.quantity.value for one in iter_quantities(plain_text(text)))


def _reply_of(grade: Grade | None) -> str:
    """The reply that stands in the place of the misconception; a slip in the right calculation is named instead."""
    return "" if grade is None or grade.next_step else next(iter(grade.misconceptions), "")


def _as_numeric(question: PreparedQuestion, wrong: tuple[Misconception, ...]) -> NumericQuestion:
    """The question with the smallest wrong number first: 0.2 may be meant as 20 %, and 20 is never 0.2."""
    smallest_first = tuple(sorted(wrong, key=lambda one: abs(float(one.option))))
    return NumericQuestion(question.prompt, question.answer, question.unit or None, question.tolerance, smallest_first)


def _as_asked(question: PreparedQuestion, shown: Sequence[str], before: Sequence[str]) -> AskedCheckpoint:
    options = tuple(Option(text, text) for text in shown or question.options)
    checkpoint = LessonCheckpoint(question.draft(), "mcq" if question.kind == "mcq" else "text")
    last = before[-1] if before else ""
    return AskedCheckpoint("", checkpoint, options, last_attempt_text=last, unmarked=True)


def _as_answer(words: str) -> LearnerInput:
    return LearnerInput(TurnKind.ANSWER, words)
