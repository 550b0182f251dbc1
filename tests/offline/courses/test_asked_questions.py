"""Asked questions of the courses: found in the learner's words, and not by a word or two."""

import pytest

from sprout.offline.courses.asked_questions import asked_answer
from sprout.offline.courses.catalogue import lessons

BAYES, REVOLUTION, PYTHON = "bayesian_reasoning", "french_revolution", "python_functions_and_lists"
VOTES, TRIAL = "Active and passive: citizens without a vote", "Trying a king: protected, criminal or enemy"


@pytest.mark.parametrize("slug", [BAYES, REVOLUTION, PYTHON])
def test_each_part_answers_a_question_that_is_asked_there(slug: str) -> None:
    for lesson in lessons(slug):
        assert lesson.asked, lesson.subconcept
        asked = lesson.asked[-1]
        found = asked_answer(slug, lesson.subconcept, asked.asks[-1])
        assert found is not None
        assert found.says == asked.says, asked.asks[-1]


@pytest.mark.parametrize(
    ("slug", "part", "question", "answer"),
    [
        (REVOLUTION, VOTES, "so were women able to vote??", "No. Only men"),
        (REVOLUTION, TRIAL, "did they really kill the king?", "executed"),
        (REVOLUTION, "4 August: privileges given up under pressure", "wait who was king", "Louis XVI"),
        (BAYES, "A share of a share", "why not 10% of 800?", "of those"),
        (BAYES, "Certainty cannot be moved", "but some things really are 100% sure", "shut the door"),
        (PYTHON, "From repeated lines to one function", "why can't I just use print??", "the program does not get it"),
        (PYTHON, "Names made inside stay inside", "can range count backwards", "third input"),
        (PYTHON, "// counts whole times, % gives the remainder", "why is it 3 and not 3.8?", "whole times only"),
    ],
)
def test_asked_question_is_found_in_other_words_and_from_other_parts(
    slug: str, part: str, question: str, answer: str
) -> None:
    found = asked_answer(slug, part, question)
    assert found is not None
    assert answer in found.says


@pytest.mark.parametrize(
    ("slug", "part", "question"),
    [
        (REVOLUTION, TRIAL, "who was the king's brother"),
        (REVOLUTION, VOTES, "when did the king die"),
        (REVOLUTION, VOTES, "what do I have to do"),
        (BAYES, "A share of a share", "is 240 right?"),
        (BAYES, "A percentage is a count out of a hundred", "where do i start"),
        (PYTHON, "range stops before its end", "is java faster than python"),
    ],
)
def test_another_question_gets_none_of_the_answers(slug: str, part: str, question: str) -> None:
    assert asked_answer(slug, part, question) is None


def test_A11_a_reason_is_asked_for_and_no_yes_answers_it() -> None:
    part = "Odds compare for with against"
    found = asked_answer("bayesian_reasoning", part, "why do bookmakers use odds?")
    assert found is None or not found.says.startswith(("Yes", "No"))
    assert asked_answer("bayesian_reasoning", part, "are these the odds that bookmakers use?") is not None
