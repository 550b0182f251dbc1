"""Answers in another form than asked for: words before a gap, quotes, unrounded calculations, other things (A1)."""

import pytest

from sprout.learning.marking.gap_answers import without_words_around_gap
from sprout.learning.marking.number_grading import NOT_WORKED_OUT, WITH_QUOTES, grade_number, states_number
from sprout.learning.marking.numeric_question import NumericQuestion

ODDS = NumericQuestion("1. Sunny against not sunny: 72 to 56.\n2. Both can be divided by 8: 9 to ___.", "7")
NIGHTS = NumericQuestion('`nights` is the number 3, `typed` the text "3". `nights * 40` is ___, a number.', "120")
COINS = NumericQuestion(
    "Of 220 coins 140 are fake. What percentage is that, rounded to a whole number?", "64", "%", 0.5
)
VOTES = NumericQuestion("A section grows from 20 to 80 members. How many votes does it cast?", "1")
LAMPS = NumericQuestion("Of 500 lamps 35 are faulty. What percentage is faulty?", "7", "%")


@pytest.mark.parametrize("answer", ["9 to 7", "9:7", "to 7", "8: 9 to 7", "7"])
def test_A1_the_words_before_a_gap_may_be_said_with_what_belongs_in_it(answer: str) -> None:
    assert grade_number(ODDS, answer).correct is True


@pytest.mark.parametrize("answer", ["9 to 8", "9", "72 to 56", "9 to 6"])
def test_A1_with_the_words_before_a_gap_a_wrong_number_stays_wrong(answer: str) -> None:
    assert grade_number(ODDS, answer).correct is not True


@pytest.mark.parametrize(
    ("answer", "prompt"), [("-4", "5 - ___ = 1"), ("9 to 7", "72 to 56 is what?"), ("9 to", "9 to ___"), ("9", "9 ___")]
)
def test_A1_a_sign_alone_and_the_words_alone_are_kept(answer: str, prompt: str) -> None:
    assert without_words_around_gap(answer, prompt) == answer


@pytest.mark.parametrize("answer", ['"120"', "'120'", "“120”."])
def test_A1_a_number_in_quotes_is_asked_about_where_the_question_tells_texts_from_numbers(answer: str) -> None:
    grade = grade_number(NIGHTS, answer)
    assert (grade.correct, grade.next_step) == (None, WITH_QUOTES)


def test_A1_quotes_change_nothing_where_no_text_is_spoken_of_nor_at_a_wrong_number() -> None:
    assert grade_number(ODDS, '"7"').correct is True
    assert grade_number(NIGHTS, '"80"').correct is False


@pytest.mark.parametrize("answer", ["140/220", "140 ÷ 220", "100 * 140/220"])
def test_A1_a_calculation_that_still_has_to_be_rounded_is_a_way_and_no_result(answer: str) -> None:
    grade = grade_number(COINS, answer)
    assert (grade.correct, grade.next_step) == (None, NOT_WORKED_OUT)


@pytest.mark.parametrize("answer", ["7/11", "63.6", "140/220 = 64", "140/220 = 63.6 %", "140/220, about 64"])
def test_A1_a_fraction_in_lowest_terms_and_a_result_are_numbers(answer: str) -> None:
    assert grade_number(COINS, answer).correct is True


def test_A1_a_number_of_other_things_is_wrong_for_a_percentage_and_one_that_leads_to_it_is_asked_about() -> None:
    assert grade_number(LAMPS, "42 visitors").correct is False
    assert [grade_number(LAMPS, answer).correct for answer in ("35 lamps", "7 lamps")] == [None, None]


def test_A1_two_numbers_of_the_question_beside_an_or_are_no_choice_where_there_is_a_result() -> None:
    assert grade_number(VOTES, "Just 1 vote — a section is a section, whether 20 or 80").correct is True
    assert grade_number(VOTES, "2, whether 20 or 80").correct is False
    assert [grade_number(VOTES, answer).correct for answer in ("20 or 80", "1 or 2")] == [None, None]


@pytest.mark.parametrize(
    ("unit", "answer", "quoted"),
    [
        ("million", "5*40 mil = 300m", "5*40 mil"),
        (None, "5 × 40 = 300", "5 × 40"),
        (None, "five times 40 = 300", "five times 40"),
    ],
)
def test_A1_a_calculation_is_quoted_as_it_was_typed(unit: str | None, answer: str, quoted: str) -> None:
    grade = grade_number(NumericQuestion("How many are there?", "220", unit), answer)
    assert grade.next_step == f"Look at {quoted} once more."


BRANCH_GAP = NumericQuestion("```python\nif copies <= 10:\n    each = 5\nelif copies <= ___:\n    each = 4\n```", "50")
LISTS = NumericQuestion("The appends write into the first list, so `len(a)` is ___.\n4. c still sees [7].", "3")


@pytest.mark.parametrize(
    ("question", "answer", "correct"),
    [
        (BRANCH_GAP, "elif copies <= 50:", True),
        (BRANCH_GAP, "copies <= 50", True),
        (BRANCH_GAP, "<= 50", True),
        (BRANCH_GAP, "50:", True),
        (BRANCH_GAP, "elif copies <= 10:", False),
        (BRANCH_GAP, "< 51", None),
        (LISTS, "3 for a, 1 for c", True),
        (LISTS, "1 for a, 3 for c", False),
        (LISTS, "3 for x, 1 for c", None),
    ],
)
def test_A1_the_code_around_a_gap_may_be_said_with_its_number(
    question: NumericQuestion, answer: str, correct: bool | None
) -> None:
    assert grade_number(question, answer).correct is correct
    assert states_number(question.prompt, answer, unit=None)
