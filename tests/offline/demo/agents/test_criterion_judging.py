"""Criteria judged by counting words only, and the limits of that."""

import pytest

from sprout.offline.courses.lesson_format import LessonCriterion
from sprout.offline.demo.agents.criterion_judging import HALF, NOT_SURE, judge_by_overlap, judge_by_phrases

POINT = LessonCriterion(
    label="the two temperatures",
    statement="both are at room temperature",
    weight=1,
    misconception="metal is cold by nature",
    accepts=("same temperature", "both room temp*"),
    half=("room warm*",),
    rejects=("metal colder", "metal cold* nature"),
)
STATEMENT = "Yeast eats the sugar and gives off a gas"
PROMPT = "Why does bread dough rise?"


@pytest.mark.parametrize(
    ("answer", "verdict", "span", "sure"),
    [
        ("theyre both at room temp", "met", "both at room temp", True),
        ("the room is warm", "partly", "room is warm", True),
        ("the metal is colder", "missing", "metal is colder", True),
        ("something with conduction", "missing", "", False),
        ("the metal is not colder", "missing", "", False),
        ("Maybe they have the same temperature, or wood stores heat.", "partly", "same temperature", False),
        ("same temperature, but the metal is colder", "missing", "", False),
    ],
)
def test_a_clear_hit_is_met_a_clear_contradiction_is_missing_and_all_else_is_not_sure(
    answer: str, verdict: str, span: str, sure: bool
) -> None:
    judged = judge_by_phrases(POINT, answer)
    assert (judged.verdict, judged.span, judged.is_sure) == (verdict, span, sure)


def test_only_a_contradiction_names_the_misconception() -> None:
    assert judge_by_phrases(POINT, "the metal is colder").misconception == POINT.misconception
    assert judge_by_phrases(POINT, "no idea at all of that").misconception is None


@pytest.mark.parametrize(
    ("answer", "verdict", "sure"),
    [
        ("The yeast is eating sugars. It gives a gas off.", "met", True),
        ("Yeast makes a gas", "partly", True),
        ("The yeast does not eat the sugar and gives no gas, never", "partly", False),
        ("it gets bigger in the oven", "missing", False),
        ("bread", "missing", False),
        ("My brother plays football every Sunday with his friends in Berlin", "missing", False),
        ("tiny critters munch and burp in there", "missing", False),
    ],
)
def test_words_in_common_are_met_or_partly_and_too_few_are_never_a_sure_missing(
    answer: str, verdict: str, sure: bool
) -> None:
    judged = judge_by_overlap(STATEMENT, PROMPT, answer)
    assert (judged.verdict, judged.is_sure) == (verdict, sure)
    assert judged.span in answer


def test_half_of_the_words_are_half_sure() -> None:
    assert judge_by_overlap(STATEMENT, PROMPT, "Yeast makes a gas").confidence == HALF


def test_words_of_the_question_alone_are_no_evidence() -> None:
    prompt, statement = "What do yeast and sugar do in the dough?", "Yeast eats sugar and makes gas"
    assert judge_by_overlap(statement, prompt, "Yeast and sugar do it in the dough").confidence == NOT_SURE
