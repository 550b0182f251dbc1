"""Choices and numbers, graded by code."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.marking.grades import Grade, GradeState, Remedy, visible_grade
from sprout.learning.marking.keyed_answers import NumericQuestion, Option, grade_choice, grade_number, states_number
from sprout.learning.questions.questions import Misconception

OPTIONS = (
    Option("id-1", "minerals in the soil"),
    Option("id-2", "carbon dioxide in the air"),
    Option("id-3", "water from the roots"),
    Option("id-4", "sunlight turned into matter"),
)
WRONG = {"id-1": "plants eat soil", "id-3": "only water is taken in"}
TRAM = NumericQuestion(
    prompt="A tram covers 1.5 km in 3 minutes at steady speed. What is its speed in m/s, to two places?",
    correct_answer="8.33",
    unit="m/s",
    tolerance=0.08,
    misconceptions=(Misconception("0.5", "kept km and minutes"), Misconception("500", "kept minutes")),
)
PRIMES = NumericQuestion(prompt="How many primes lie below 20?", correct_answer="8")


def choice(chosen: str) -> Grade:
    return grade_choice(OPTIONS, "id-2", chosen, misconceptions=WRONG)


@pytest.mark.parametrize("chosen", ["id-2", "carbon dioxide in the air", " Carbon dioxide  in the air"])
def test_A1_the_right_choice_is_right_by_its_id_or_its_text(chosen: str) -> None:
    assert choice(chosen) == Grade(GradeState.GRADED, score=1.0, correct=True)


def test_C1_a_wrong_choice_reveals_the_thought_behind_it() -> None:
    grade = choice("minerals in the soil")
    assert (grade.score, grade.correct, grade.misconceptions) == (0.0, False, ("plants eat soil",))
    assert choice("id-4").misconceptions == ()


def test_A3_what_is_no_option_is_not_wrong() -> None:
    for stray in ("B", "moonlight", "carbon"):
        grade = choice(stray)
        assert (grade.state, grade.score, grade.remedy) == (GradeState.UNGRADED, None, Remedy.FOLLOW_UP)
    damaged = grade_choice(OPTIONS, "id-9", "id-1")
    assert (damaged.state, damaged.remedy) == (GradeState.UNGRADED, Remedy.PERSON)


def test_options_that_differ_by_capitals_are_distinguished() -> None:
    watts = (Option("a", "mW"), Option("b", "MW"))
    assert grade_choice(watts, "b", "MW").correct is True
    assert grade_choice(watts, "b", "mW").correct is False
    assert grade_choice(watts, "b", "Mw").state is GradeState.UNGRADED


@pytest.mark.parametrize("answer", ["", "I don't know", "idk", "is a tram faster than a bus?"])
def test_A11_an_answer_without_a_number_is_no_try_and_not_wrong(answer: str) -> None:
    assert not states_number(TRAM.prompt, answer, unit=TRAM.unit)
    assert grade_number(TRAM, answer).correct is None


@given(st.permutations(OPTIONS), st.sampled_from(OPTIONS), st.sampled_from(["id", "text"]))
def test_Q1_the_order_of_the_options_never_changes_a_grade(order: list[Option], picked: Option, field: str) -> None:
    chosen = picked.id if field == "id" else picked.text
    assert grade_choice(order, "id-2", chosen, misconceptions=WRONG) == choice(chosen)
    assert choice(chosen).correct is (picked.id == "id-2")


@pytest.mark.parametrize("answer", ["8.33", "8,3 m/s", "30 km/h", "v = 8.33 m/s", "0.5 km/min", "about 8.3"])
def test_A1_a_number_is_right_within_the_tolerance_in_any_unit(answer: str) -> None:
    assert grade_number(TRAM, answer) == Grade(GradeState.GRADED, score=1.0, correct=True)


@pytest.mark.parametrize(
    ("answer", "revealed"), [("500", ("kept minutes",)), ("0.5 m/s", ("kept km and minutes",)), ("12", ())]
)
def test_A1_a_wrong_number_reveals_the_thought_that_leads_to_it(answer: str, revealed: tuple[str, ...]) -> None:
    grade = grade_number(TRAM, answer)
    assert (grade.state, grade.score, grade.misconceptions) == (GradeState.GRADED, 0.0, revealed)


@pytest.mark.parametrize("answer", ["8.3 or 9", "between 8 and 9", "30 Kilometer pro Stunde", "8.33? or 9?"])
def test_A1_a_number_in_doubt_is_asked_for_again_and_not_wrong(answer: str) -> None:
    grade = grade_number(TRAM, answer)
    assert (grade.state, grade.score, grade.correct) == (GradeState.UNSURE, None, None)
    assert grade.remedy is Remedy.FOLLOW_UP


@pytest.mark.parametrize(
    ("answer", "asked"), [("either 42 or 420", "42 or 420"), ("8.3 m/s or 9", "8.3 m/s or 9"), ("I see no number", "")]
)
def test_A1_where_two_results_stand_the_learner_is_asked_for_the_one_that_counts(answer: str, asked: str) -> None:
    assert grade_number(TRAM, answer).next_step == (f"Which result counts: {asked}?" if asked else "")


def test_A1_what_is_counted_may_stand_behind_the_number() -> None:
    assert grade_number(PRIMES, "8 primes").correct is True
    assert grade_number(PRIMES, "9 primes").correct is False
    assert grade_number(PRIMES, "8 million").correct is False


def test_A3_a_key_without_a_number_marks_nobody_wrong() -> None:
    grade = grade_number(replace(TRAM, correct_answer="several"), "8.33")
    assert (grade.state, grade.remedy) == (GradeState.UNGRADED, Remedy.PERSON)


@given(st.text())
def test_any_answer_to_a_closed_question_gets_a_score_in_range_or_none(answer: str) -> None:
    for grade in (choice(answer), grade_number(TRAM, answer), grade_number(PRIMES, answer)):
        assert (grade.score in (0.0, 1.0)) == (grade.state is GradeState.GRADED)
        assert visible_grade(grade).score == grade.score
