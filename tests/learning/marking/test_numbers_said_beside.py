"""Numbers said beside a result: asides, places in a row, scale words and shortened odds."""

import pytest

from sprout.learning.marking.number_grading import grade_number
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.learning.marking.stated_results import picked_result

NURSES = NumericQuestion("It fits 9 of the astronomers and 2 % of the nurses. How many whom it fits are nurses?", "60")
SCREENS = NumericQuestion("0.8 % of screens have a dead pixel: 1 in … Which number belongs there?", "125")
DEBT = NumericQuestion("In millions: debt at the start 430. The deficit is 33, so the debt at the end is ___.", "463")
OWED = NumericQuestion("A state owes 100 million and borrows 30 million in each of 4 years. How many million?", "220")
LINES = NumericQuestion("The numbers say in which order the lines work: 1, 3 and 5, 2, 4, ___.", "6")
POOL = NumericQuestion("Sources: ratio 6 and ratio 4. Odds: 6 · 4 = ___, so that many to 4.", "24")
WHOLE = NumericQuestion("Odds 18 to 7. The whole is 18 + 7 = ___, and 18 divided by it is 0.72.", "25")


@pytest.mark.parametrize(
    ("question", "answer", "correct"),
    [
        (NURSES, "60, i also worked out the 87% sorry", True),
        (NURSES, "60 and I also got 87 %", True),
        (NURSES, "60. Also wrote 60/69 = 87%", True),
        (NURSES, "87, i also had 60", None),
        (NURSES, "87, i also had 50", None),
        (NURSES, "20, i also took the 40, that makes 60", True),
        (NURSES, "the 40 i also counted are 60", True),
        (NURSES, "40 und 20, also 60", True),
        (SCREENS, "125, i also wrote it as 8 in 1000 first", True),
        (SCREENS, "8 in 1000, also 125", True),
    ],
)
def test_A1_the_number_before_what_one_also_did_counts(
    question: NumericQuestion, answer: str, correct: bool | None
) -> None:
    assert grade_number(question, answer).correct is correct


@pytest.mark.parametrize(
    ("answer", "picked"),
    [
        ("60, i also worked out the 87% sorry", "60"),
        ("87 %, I think", "87 %"),
        ("60 because it asks for people", "60"),
        ("60? no 87", None),
        ("60 or 87", None),
        ("60, so 87", None),
        ("60 of 69 = 87%", None),
        ("61, I think", None),
    ],
)
def test_A7_a_reply_that_begins_with_one_of_two_results_means_that_one(answer: str, picked: str | None) -> None:
    assert picked_result(answer, "60 of 69 = 87%", prompt=NURSES.prompt) == picked


@pytest.mark.parametrize(
    ("question", "answer", "correct"),
    [
        (OWED, "220 million", True),
        (OWED, "the 100 too, so two hundred twenty", True),
        (OWED, "22 million", False),
        (OWED, "220 thousand", None),
        (DEBT, "463 million", True),
        (LINES, "6 million", None),
        (DEBT, "33 million", False),
    ],
)
def test_A1_a_scale_that_the_question_speaks_in_changes_no_number(
    question: NumericQuestion, answer: str, correct: bool | None
) -> None:
    assert grade_number(question, answer).correct is correct


@pytest.mark.parametrize(
    ("answer", "correct"),
    [
        ("after 5 so its 6th", True),
        ("6th", True),
        ("the sixth", True),
        ("it is the 6th one", True),
        ("its the 5th", False),
        ("the 3rd and 5th", None),
    ],
)
def test_A1_a_place_in_a_row_is_read_as_its_number(answer: str, correct: bool | None) -> None:
    assert grade_number(LINES, answer).correct is correct


@pytest.mark.parametrize("answer", ["24:4 = 6 to 1", "24 to 4 so 6 to 1"])
def test_A1_odds_that_are_shortened_are_asked_which_number_is_meant(answer: str) -> None:
    grade = grade_number(POOL, answer)
    assert (grade.correct, grade.next_step) == (None, "Which result counts: 6 or 24?")


@pytest.mark.parametrize("answer", ["6 to 1", "12:2 = 6 to 1", "24:4 = 5 to 1"])
def test_A1_other_odds_are_wrong(answer: str) -> None:
    assert grade_number(POOL, answer).correct is False


@pytest.mark.parametrize(
    ("answer", "correct"),
    [("25, and 18/25 = 0.72", True), ("24, and 18/24 = 0.72", False), ("18/25 = 0.72", False), ("0.72", False)],
)
def test_A1_a_printed_number_that_the_right_one_leads_on_to_is_no_second_result(answer: str, correct: bool) -> None:
    assert grade_number(WHOLE, answer).correct is correct
