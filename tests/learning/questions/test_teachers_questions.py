"""Questions that a person adds (rule Q5): what is taken, and what is refused with a word on how to mend it."""

from typing import Any

import pytest

from sprout.errors import BadInput
from sprout.learning.questions.teachers_questions import DEFAULT_CRITERION_LABEL, build_teachers_question

CHOICE: dict[str, Any] = {
    "prompt": "Which of these does a leaf need to make sugar?",
    "format": "mcq",
    "options": ["Soil", "Light", "Sound"],
    "correct_answer": "light",
}
OPEN: dict[str, Any] = {
    "prompt": "Why do plants look the way they do to us?",
    "format": "open_ended",
    "correct_answer": "Chlorophyll throws green light back.",
}


def test_a_choice_of_any_number_of_options_names_the_right_one_as_it_is_written() -> None:
    question = build_teachers_question(**CHOICE)
    assert (question.correct_answer, question.options) == ("Light", ("Soil", "Light", "Sound"))


def test_an_open_question_is_marked_by_its_rubric_or_else_by_its_answer() -> None:
    (only,) = build_teachers_question(**OPEN).criteria
    assert (only.label, only.statement, only.weight) == (DEFAULT_CRITERION_LABEL, OPEN["correct_answer"], 1.0)
    message = build_teachers_question(
        **OPEN, rubric=["names chlorophyll", {"statement": "green is thrown back", "weight": 3}]
    )
    assert [one.statement for one in message.criteria] == ["names chlorophyll", "green is thrown back"]
    assert sum(one.weight for one in message.criteria) == pytest.approx(1)
    assert build_teachers_question(**OPEN, rubric="says that green is not taken in").criteria[0].weight == 1.0


@pytest.mark.parametrize(
    ("question", "changes", "field"),
    [
        (CHOICE, {"correct_answer": "Water"}, "correctAnswer"),
        (CHOICE, {"correct_answer": None}, "correctAnswer"),
        (CHOICE, {"options": ["Light", " light", "Soil"]}, "options"),
        (CHOICE, {"options": ["Light"]}, "options"),
        (CHOICE, {"options": ["Light", ""]}, "options"),
        (CHOICE, {"options": [f"option {n}" for n in range(11)]}, "options"),
        (CHOICE, {"prompt": "A leaf needs light. What does it need?"}, "prompt"),
        (CHOICE, {"prompt": "\u200b"}, "prompt"),
        (OPEN, {"correct_answer": None}, "gradingRubric"),
        (OPEN, {"rubric": ["only one point"]}, "gradingRubric"),
        (OPEN, {"rubric": ["the same", "the same"]}, "gradingRubric"),
        (OPEN, {"rubric": ["a point", {"weight": 1}]}, "gradingRubric"),
        (OPEN, {"rubric": ["a point", {"statement": "b", "weight": -1}]}, "gradingRubric"),
        (OPEN, {"rubric": 7}, "gradingRubric"),
        (OPEN, {"options": ["a", "b"]}, "options"),
        (OPEN, {"format": "numeric"}, "correctAnswer"),
    ],
)
def test_Q5_what_cannot_be_marked_is_refused_with_what_to_mend_and_without_the_answer(
    question: dict[str, Any], changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        build_teachers_question(**{**question, **changes})
    assert refused.value.field == field
    assert str(refused.value).startswith(f"{field}: ")
    assert "Chlorophyll" not in str(refused.value)


def test_Q5_a_prompt_may_name_the_candidates() -> None:
    asked = {**CHOICE, "prompt": "Does a leaf make sugar from light or from sound?"}
    assert build_teachers_question(**{**asked, "options": ["light", "sound"]}).correct_answer == "light"
