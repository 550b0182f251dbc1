"""Choices and numbers, graded by code."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.marking.choices import Option, grade_choice
from sprout.learning.marking.grades import Grade, GradeState, Remedy, visible_grade
from sprout.learning.marking.number_grading import (
    FOR_OR_AGAINST,
    IN_ONE_UNIT,
    LOOK_AGAIN,
    NAMED_ONLY,
    NOT_WORKED_OUT,
    ONLY_A_BOUND,
    SLIPPED,
    WHICH_ONE_NUMBER,
    grade_number,
    states_number,
)
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.learning.marking.other_forms import (
    ONLY_THE_ODDS,
    ONLY_THE_SHARE,
    SHARE_OF_HOW_MANY,
    SHARE_WITH_SIGN,
    WHICH_SIDE,
)
from sprout.learning.marking.stated_results import picked_result, stated_results
from sprout.learning.questions.questions import Misconception

ODDS_AS_PERCENT = (Misconception("3", "takes the ratio of the odds for a percentage"),)
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
FLAGS = NumericQuestion(
    prompt="A test is used on 5000 healthy people and flags 2 % of them. How many is that?",
    correct_answer="100",
    misconceptions=(Misconception("140", "took the false flags"), Misconception("4900", "counted the others")),
)
SHARE = NumericQuestion(
    prompt="What share of the people is ill, in percent?",
    correct_answer="4",
    unit="%",
    misconceptions=(Misconception("40", "gave the count"),),
)


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


@pytest.mark.parametrize(
    "answer", ["8.33", "8,3 m/s", "30 km/h", "30 Kilometer pro Stunde", "v = 8.33 m/s", "0.5 km/min", "about 8.3"]
)
def test_A1_a_number_is_right_within_the_tolerance_in_any_unit(answer: str) -> None:
    assert grade_number(TRAM, answer) == Grade(GradeState.GRADED, score=1.0, correct=True)


@pytest.mark.parametrize(
    ("answer", "revealed"), [("500", ("kept minutes",)), ("0.5 m/s", ("kept km and minutes",)), ("12", ())]
)
def test_A1_a_wrong_number_reveals_the_thought_that_leads_to_it(answer: str, revealed: tuple[str, ...]) -> None:
    grade = grade_number(TRAM, answer)
    assert (grade.state, grade.score, grade.misconceptions) == (GradeState.GRADED, 0.0, revealed)


@pytest.mark.parametrize("answer", ["8.3 or 9", "between 8 and 9", "30 mijl per uur", "8.33? or 9?"])
def test_A1_a_number_in_doubt_is_asked_for_again_and_not_wrong(answer: str) -> None:
    grade = grade_number(TRAM, answer)
    assert (grade.state, grade.score, grade.correct) == (GradeState.UNSURE, None, None)
    assert grade.remedy is Remedy.FOLLOW_UP


@pytest.mark.parametrize(
    ("answer", "asked"), [("either 42 or 420", "42 or 420"), ("8.3 m/s or 9", "8.3 m/s or 9"), ("I see no number", "")]
)
def test_A1_where_two_results_stand_the_learner_is_asked_for_the_one_that_counts(answer: str, asked: str) -> None:
    assert grade_number(TRAM, answer).next_step == (f"Which result counts: {asked}?" if asked else "")


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("26 - then its 361 against 360", "26"),
        ("one hundred and three - the loop gives 3 but return adds xs[0] from outside", "103"),
        ("5 + 14 => nineteen, as 5 * 3 - 1 is 14", "19"),
        ("It's thirteen: three times four is twelve, and one more on top", "13"),
        ("twelve, because 3 times 4 makes 12 and 1 is the start", "12"),
        ("fünf - die Schleife läuft 4 mal und dann noch einmal", "5"),
        ("7 - times six, so 42", "42"),
        ("10 - 4 = 6", "6"),
        ("7 - (-18) = 25", "25"),
    ],
)
def test_A1_a_result_that_is_stated_first_and_then_explained_counts(answer: str, result: str) -> None:
    assert grade_number(replace(PRIMES, correct_answer=result), answer).correct is True


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("two: 10 and 20", 2.0),
        ("two, the >= 50 and the > 49.99", 2.0),
        ("2 of them (10, 20)", 2.0),
        ("three: 10, 20 and 21", 3.0),
        ("two: 10", 10.0),
    ],
)
def test_A1_a_count_with_the_names_of_what_was_counted_is_the_count(answer: str, result: float) -> None:
    asked = "For how many of the values 9, 10, 11, 20 and 21 does no branch run?"
    assert [one.value for one in stated_results(answer, prompt=asked).results] == [result]


@pytest.mark.parametrize("answer", ["20 cooks out of 200 night staff", "720 tight pipes out of 900", "20 out of 800"])
def test_A1_of_a_share_the_part_is_the_result(answer: str) -> None:
    results = stated_results(answer, prompt="How many are there?").results
    assert [one.value for one in results] == [float(answer.split(maxsplit=1)[0])]


@pytest.mark.parametrize(
    "answer",
    [
        "oh wait, 100 more: 240 against 140",
        "100 more. 240 true, 140 false",
        "100: 240 true and 140 false",
        "100 people, 4900 not",
        "100 flagged, 4900 not",
        "100 Leute, 4900 nicht",
    ],
)
def test_A1_numbers_that_explain_the_first_one_do_not_take_its_place(answer: str) -> None:
    assert grade_number(FLAGS, answer).correct is True


@pytest.mark.parametrize("answer", ["100, 240 against 140", "100 more\n240 true\n140 false", "100 personnes, 4900 non"])
def test_A1_a_right_number_before_a_wrong_one_is_never_a_misconception(answer: str) -> None:
    grade = grade_number(FLAGS, answer)
    assert (grade.correct, grade.misconceptions) == (None, ())


def test_A1_what_is_left_over_may_be_what_is_asked_for() -> None:
    others = NumericQuestion("How many of 5000 people are not flagged?", "4900")
    assert grade_number(others, "4900 are not").correct is True
    assert grade_number(others, "100 flagged, 4900 not").correct is None


@pytest.mark.parametrize(
    "answer",
    [
        "one hundred healthy people get flagged wrongly",
        "it flags exactly one hundred of them",
        "100 out of the 5000 healthy people",
        "Of the 5000 it flags 100",
        "100 more than before",
    ],
)
def test_A1_a_hundred_in_a_sentence_is_a_result_like_any_other_number(answer: str) -> None:
    assert states_number(FLAGS.prompt, answer, unit=None)
    assert grade_number(FLAGS, answer).correct is True


def test_A1_a_hundred_out_of_which_something_is_said_to_be_is_no_result() -> None:
    assert not states_number(FLAGS.prompt, "no idea what out of 100 means", unit=None)


@pytest.mark.parametrize(
    ("answer", "results"),
    [
        ("it prints 19 because 8 is not > 8 so 8+10=18, +1", "1 or 19"),
        ("19, n=6 rounds=3", "3 or 19"),
    ],
)
def test_A1_where_the_right_number_is_not_clearly_the_result_both_are_named(answer: str, results: str) -> None:
    grade = grade_number(NumericQuestion("What does the program print?", "19"), answer)
    assert (grade.state, grade.next_step) == (GradeState.UNSURE, f"Which result counts: {results}?")


@pytest.mark.parametrize("answer", ["0.09", "54/600 = 0.09", "54 : 600 = 0.09", "9/100"])
def test_A1_a_share_where_its_percentage_is_the_point_is_neither_right_nor_wrong(answer: str) -> None:
    about_percent = NumericQuestion(
        "Of 600 phones 54 are wet. What is that in percent?",
        "9",
        "%",
        0.05,
        (Misconception("0.09", "gives the share"),),
    )
    grade = grade_number(about_percent, answer)
    assert (grade.correct, grade.next_step) == (None, ONLY_THE_SHARE)
    assert grade_number(about_percent, "9").correct is True
    assert grade_number(about_percent, "0.9").correct is False


@pytest.mark.parametrize("answer", ["5000 x 0.02", "5 000 · 2 %", "2 % of 5000", "5000*2 percent"])
def test_A1_a_share_that_is_not_worked_out_is_a_try_whose_result_is_asked_for(answer: str) -> None:
    assert states_number(FLAGS.prompt, answer, unit=None)
    assert grade_number(FLAGS, answer).next_step == NOT_WORKED_OUT


@pytest.mark.parametrize(
    "answer",
    ["40 of 1000", "40 out of 1000", "the 40 per thousand one", "40 of the 1000", "40/1000", "40 ‰", "1 in 25"],
)
def test_A1_a_number_out_of_others_is_their_percentage_where_that_is_asked_for(answer: str) -> None:
    assert grade_number(SHARE, answer).correct is True
    assert grade_number(NumericQuestion("How many of 600 people are ill?", "36"), "36 of 600").correct is True


@pytest.mark.parametrize("answer", ["40", "40 %", "40 of 100"])
def test_A1_a_count_is_not_its_percentage(answer: str) -> None:
    assert grade_number(SHARE, answer).misconceptions == ("gave the count",)


def test_A11_to_repeat_the_share_of_the_question_in_a_sentence_is_no_try() -> None:
    assert not states_number(
        "An allergy affects 1 in 250. What percentage is that?", "how do I get from 1 in 250", unit="%"
    )


@pytest.mark.parametrize(
    "answer",
    [
        "more than 100",
        "fewer than 100",
        "at most 100",
        "it is more than 100 people",
        "over 100",
        "over 100 of 5000",
        "100 or more",
        "mindestens 100",
        "plus de 100",
        "au moins 100",
        "> 100",
    ],
)
def test_A1_a_bound_is_no_result_but_a_try_whose_number_is_asked_for(answer: str) -> None:
    assert states_number(FLAGS.prompt, answer, unit=None)
    grade = grade_number(FLAGS, answer)
    assert (grade.correct, grade.remedy, grade.next_step) == (None, Remedy.FINISH, ONLY_A_BOUND)


@pytest.mark.parametrize(
    "answer", ["about 100", "roughly 100", "ca. 100", "~100", "100, which is less than 140", "100, more than I thought"]
)
def test_A1_a_number_that_is_nearly_stated_or_compared_is_a_result(answer: str) -> None:
    assert grade_number(FLAGS, answer).correct is True


def test_A1_a_bound_is_the_result_where_one_is_asked_for() -> None:
    assert grade_number(NumericQuestion("How many tests do you need at least?", "3"), "at least 3").correct is True


def test_A1_numbers_with_a_slash_between_them_may_be_two_results() -> None:
    assert grade_number(PRIMES, "8 / 9").state is GradeState.UNSURE
    assert grade_number(replace(PRIMES, correct_answer="0.5"), "4 / 8").correct is True


def test_A1_a_number_in_the_explanation_that_would_be_right_is_asked_about() -> None:
    assert grade_number(PRIMES, "3 - the loop gives 8").state is GradeState.UNSURE


@pytest.mark.parametrize(
    "answer", ["just one", "only one", "only the second one, n > 0, ends", "nur die zweite", "one"]
)
def test_A1_only_one_of_them_is_1(answer: str) -> None:
    assert grade_number(NumericQuestion("How many of the loops end?", "1"), answer).correct is True


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("a([6,6,6]) is 3, times 10 = 30, b is 1", GradeState.UNSURE), ("a gives 30 and b is 1", GradeState.UNSURE),
        ("a gives 30 and b is 2", GradeState.GRADED), ("a is 3, so 30", GradeState.GRADED),
    ],
)  # fmt: skip
def test_A1_the_two_results_that_lead_to_the_number_are_asked_for_it(answer: str, state: GradeState) -> None:
    prompt = "What does this show?\n```python\ndef a(values):\n    n = 0\nprint(a([6,6,6])*10+b([6,6,6]))\n```"
    question = NumericQuestion(prompt, "31", misconceptions=(Misconception("1", "stops at the first"),))
    grade = grade_number(question, answer)
    assert (grade.state, grade.next_step == NOT_WORKED_OUT) == (state, state is GradeState.UNSURE)


@pytest.mark.parametrize("answer", ["2 + 6", "its 2 plus 6", "2 * 4.", "10 - 2 =", "2 * (3 + 1)", "2 boxes × 4"])
def test_A1_a_calculation_that_is_not_worked_out_is_a_try_whose_result_is_asked_for(answer: str) -> None:
    assert states_number(PRIMES.prompt, answer, unit=None)
    grade = grade_number(PRIMES, answer)
    assert (grade.state, grade.remedy, grade.next_step) == (GradeState.UNSURE, Remedy.FINISH, NOT_WORKED_OUT)


@pytest.mark.parametrize("answer", ["is it 2 + 6 or do I multiply?", "n > 0", "x - y"])
def test_A1_other_words_around_a_calculation_are_no_try(answer: str) -> None:
    assert not states_number(PRIMES.prompt, answer, unit=None)


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("0.16? 0.8? they both come out depending how i add", "Which result counts: 0.16 or 0.8?"),
        ("7 if spaces dont count, 10 if they do", "Which result counts: 7 or 10?"),
        ("8 letters if spaces count, otherwise 6", "Which result counts: 8 or 6?"),
        ("8 - or 9", "Which result counts: 8 or 9?"),
        ("8 but could also be 9 if 1 counts", "Which result counts: 8 or 9?"),
    ],
)
def test_A1_results_that_are_left_open_are_asked_about(answer: str, asked: str) -> None:
    grade = grade_number(replace(PRIMES, correct_answer="7"), answer)
    assert (grade.correct, grade.next_step) == (None, asked)


def test_A1_an_arrow_leads_to_the_result() -> None:
    assert grade_number(PRIMES, "5 + 3 -> 8 primes").correct is True
    assert grade_number(PRIMES, "5 + 4 -> 9").correct is False


@pytest.mark.parametrize("answer", ["8 marbles", "8 maybe", "8 decimals"])
def test_A1_a_word_that_begins_like_a_month_makes_no_date_of_the_number(answer: str) -> None:
    assert grade_number(PRIMES, answer).correct is True


def test_A1_what_is_counted_may_stand_behind_the_number() -> None:
    assert grade_number(PRIMES, "8 primes").correct is True
    assert grade_number(PRIMES, "9 primes").correct is False
    assert grade_number(PRIMES, "8 million").correct is None
    assert grade_number(PRIMES, "9 million").correct is False


def test_A3_a_key_without_a_number_marks_nobody_wrong() -> None:
    grade = grade_number(replace(TRAM, correct_answer="several"), "8.33")
    assert (grade.state, grade.remedy) == (GradeState.UNGRADED, Remedy.PERSON)


@given(st.text())
def test_any_answer_to_a_closed_question_gets_a_score_in_range_or_none(answer: str) -> None:
    for grade in (choice(answer), grade_number(TRAM, answer), grade_number(PRIMES, answer)):
        assert (grade.score in (0.0, 1.0)) == (grade.state is GradeState.GRADED)
        assert visible_grade(grade).score == grade.score


@pytest.mark.parametrize("answer", ["60 obviously", "60 definitely", "60 right?", "evidentemente 60", "60, natürlich"])
def test_A1_an_adverb_is_no_unit(answer: str) -> None:
    sunny = NumericQuestion("The odds for a sunny day are 3 to 2. How likely is one, in percent?", "60", "%", 0.05)
    assert grade_number(sunny, answer).correct is True
    assert grade_number(sunny, answer.replace("60", "40")).correct is False


@pytest.mark.parametrize(
    "answer",
    ["50/50", "its fifty-fifty", "fifty fifty", "50:50", "95 bad ones beep and 95 good ones beep so its 50/50"],
)
def test_A1_fifty_fifty_is_one_half_and_even_odds(answer: str) -> None:
    boxes = (
        "The alarm beeps for 95 of 100 bad boxes and for 95 of 1,900 good ones. How likely is a bad one, in percent?"
    )
    assert grade_number(NumericQuestion(boxes, "50", "%"), answer).correct is True
    assert grade_number(NumericQuestion(boxes, "1"), answer).correct is True
    assert grade_number(NumericQuestion(boxes, "80", "%"), answer).correct is False


@pytest.mark.parametrize(
    "answer",
    [
        "none", "none of them", "none, it says nothing", "none of them if it says nothing", "not a single one",
        "nobody because they cant", "zero because it says nothing", "keine", "keine, weil", "niemand",
        "aucun d'entre eux",
    ],
)  # fmt: skip
def test_A1_none_is_0_where_the_question_is_how_many(answer: str) -> None:
    prompt = "How many of the 40 are red?"
    assert grade_number(NumericQuestion(prompt, "0"), answer).correct is True
    assert grade_number(NumericQuestion(prompt, "8"), answer).correct is False


@pytest.mark.parametrize("answer", ["keine Ahnung", "zero idea", "keine Lust mehr", "none of your business", "no idea"])
def test_A11_who_does_not_know_counts_none(answer: str) -> None:
    assert not states_number("How many of the 40 are red?", answer, unit=None)


def test_A1_a_count_out_of_the_given_whole_is_the_count() -> None:
    alarms = NumericQuestion("Of 80 alarms 48 were false. How many were real?", "32")
    assert grade_number(alarms, "32/80").correct is True
    assert grade_number(alarms, "48/80").correct is False
    assert grade_number(replace(alarms, correct_answer="40"), "80/2").correct is True
    flour = NumericQuestion("A cake for 8 takes 1 cup. How many cups does one for 6 take?", "0.75")
    assert grade_number(flour, "3/4").correct is True


@pytest.mark.parametrize("answer", ["95% duh it says so in the question", "95 obviously", "95, same as before"])
def test_A1_a_number_of_the_question_that_an_answer_begins_with_is_its_result(answer: str) -> None:
    forecast = NumericQuestion("A forecast is right 95 % of the time. How sure is it, in percent?", "95", "%")
    assert grade_number(forecast, answer).correct is True


@pytest.mark.parametrize(
    ("answer", "calculation"),
    [
        ("100 − 92,5 = 8,5", "100 − 92,5"), ("100-92.5=8.5 %", "100-92.5"), ("(100-92.5) = 8.5", "100-92.5"),
        ("100% - 92.5% = 8.5%", "100% - 92.5%"), ("100 minus 92.5 is 8.5", "100 minus 92.5"),
        ("300 / 40 = 0.75, so 0.75", "300 / 40"), ("15 * 2 : 4 = 8", "15 * 2 : 4"),
    ],
)  # fmt: skip
def test_A7_who_slips_in_a_right_calculation_is_told_which_one(answer: str, calculation: str) -> None:
    grade = grade_number(NumericQuestion("What is left?", "7.5", "%"), answer)
    assert grade.correct is False
    assert grade.next_step == SLIPPED.format(calculation=calculation)


@pytest.mark.parametrize(
    "answer", ["8.5", "100 - 91.5 = 8.5", "92.5 - 84 = 8.5", "2 * (3 + 0.75) = 8.5", "7.5 + 1 = 8.5"]
)
def test_A7_who_calculates_something_else_is_not_told_that_the_way_is_right(answer: str) -> None:
    assert grade_number(NumericQuestion("What is left?", "7.5", "%"), answer).next_step == ""


@pytest.mark.parametrize(
    "answer",
    [
        "b=2 a=3 a=5 => 5*2", "k is 5 and then 5*2", "n is 5, m is 2, 5*2", "you take away 80, then 10% of 100",
        "5 do, so the rest dont", "15 were there, 5 left, the rest stayed", "half of them", "all but 5",
    ],
)  # fmt: skip
def test_A1_working_without_its_last_step_is_a_try_whose_result_is_asked_for(answer: str) -> None:
    assert grade_number(NumericQuestion("How many are left?", "10"), answer).next_step == NOT_WORKED_OUT


@pytest.mark.parametrize(
    ("prompt", "right", "answer"),
    [
        ("How many of the calls give a value?", "2", "two of the four"),
        ("Out of how many books is this share taken?", "90", "60 out of 90"),
        ("Of 140 books 90 are thick. Out of how many is the share of thin ones among them taken?", "90",
         "the ninety thick ones"),
        ("What share is right?", "1/5", "28 right, 112 wrong, so every fifth"),
        ("Which share is right?", "1/5", "jeder fünfte"),
        ("Bikes are ten years old. Of those over eight years 14 % break, of others 3 %. How many percent is it?", "14",
         "14 cos its ten years old which is over eight"),
    ],
)  # fmt: skip
def test_A1_the_number_that_a_teacher_would_read_is_the_result(prompt: str, right: str, answer: str) -> None:
    assert grade_number(NumericQuestion(prompt, right), answer).correct is True


def test_A1_odds_against_are_not_taken_for_odds_on() -> None:
    bus = NumericQuestion(
        "On late days they played 44 times. The odds of play against bus are n to 1. What is n?", "11"
    )
    assert grade_number(bus, "11 to 1").correct is True
    assert grade_number(bus, "11 to 1 against play").next_step == FOR_OR_AGAINST


def test_A1_the_two_numbers_that_lead_to_the_result_are_a_try_whose_result_is_asked_for() -> None:
    votes = NumericQuestion("1,200 votes. By how many is the majority larger?", "440")
    assert grade_number(votes, "820 for and 380 against").next_step == NOT_WORKED_OUT
    assert grade_number(votes, "820 for and 480 against").correct is False


@pytest.mark.parametrize(
    ("unit", "answer", "asked"),
    [
        (None, "90 %", "The answer is asked for without %."),
        ("sous", "3 livres", "How much is that in sous?"),
        ("km", "5 miles", ""),
    ],
)
def test_A1_who_gives_another_unit_is_told_which_one_is_asked_for(unit: str | None, answer: str, asked: str) -> None:
    grade = grade_number(NumericQuestion("How much is it?", "90", unit), answer)
    assert grade.next_step == asked


def test_A1_mil_is_a_million_where_millions_are_asked_for() -> None:
    gap = NumericQuestion("How large is the gap?", "90", "million livres")
    assert grade_number(gap, "90 mil").correct is True
    assert grade_number(NumericQuestion("¿Cuántos?", "90000"), "90 mil").correct is True


@pytest.mark.parametrize("answer", ["one, bc it has no brackets", "only one, since", "one: the second"])
def test_A1_one_before_its_reason_is_1(answer: str) -> None:
    assert grade_number(NumericQuestion("How many lines does it print?", "1"), answer).correct is True


@pytest.mark.parametrize(
    "answer", ["only two of them, 50 and 499", "4, 5 and 6 so three groups", "three (50, 4 to 1, 7)"]
)
def test_A1_a_count_in_words_beside_what_was_counted_is_the_count(answer: str) -> None:
    right = "2" if "two" in answer else "3"
    assert grade_number(NumericQuestion("How many of them are there?", right), answer).correct is True


def test_A1_minus_one_is_a_number() -> None:
    assert grade_number(NumericQuestion("What is the second largest?", "-1"), "minus one").correct is True


def test_A1_a_number_of_the_question_that_is_stated_as_the_result_is_marked() -> None:
    visitors = NumericQuestion("6 % of 700 visitors came by train. How many are that?", "42")
    assert grade_number(visitors, "its just 6 visitors, says so").correct is False
    assert grade_number(visitors, "its only 42 visitors, I say").correct is True


@pytest.mark.parametrize("answer", ["2 livres 5 sous", "it is 2 livres and 5 sous"])
def test_A1_an_answer_in_two_units_is_asked_for_in_one(answer: str) -> None:
    tax = NumericQuestion("A day brings 15 sous. How many sous of tax is that?", "45", "sous")
    assert grade_number(tax, answer).next_step == IN_ONE_UNIT.format(unit="sous")
    assert grade_number(tax, "3 x 15 sous = 45 sous").correct is True


@pytest.mark.parametrize("answer", ["3 to 1", "3:1", "33 to 11", "the odds are 3 to 1."])
def test_A1_the_right_odds_where_a_percentage_is_asked_for_are_turned_into_one(answer: str) -> None:
    question = NumericQuestion("What is the chance now, in percent?", "75", "%", misconceptions=ODDS_AS_PERCENT)
    assert grade_number(question, answer).next_step == ONLY_THE_ODDS


@pytest.mark.parametrize(("answer", "correct"), [("3 to 1 so 75%", True), ("3 to 1, so 66 %", False), ("3", False)])
def test_A1_odds_before_a_percentage_are_the_way_to_it(answer: str, correct: bool) -> None:
    question = NumericQuestion("What is the chance now, in percent?", "75", "%", misconceptions=ODDS_AS_PERCENT)
    assert grade_number(question, answer).correct is correct


def test_A1_a_share_with_a_percent_sign_is_asked_for_in_percent() -> None:
    question = NumericQuestion("21 of 700 livres: what percentage is that?", "3", "%")
    assert grade_number(question, "0.03%").next_step == SHARE_WITH_SIGN
    assert grade_number(question, "0.03").correct
    assert grade_number(question, "0.3%").correct is False


def test_A1_a_slip_in_a_division_that_gives_a_percentage_is_named() -> None:
    leaks = NumericQuestion("18 old windows leak and 7 new ones. What percentage is old?", "72", "%")
    grade = grade_number(leaks, "18/(18+7) = 18/25 = 70%")
    assert (grade.correct, grade.next_step) == (False, SLIPPED.format(calculation="18/25"))


@pytest.mark.parametrize("answer", ["two, one for the 10/25 and one for the 1/6/8", "2: one for each place"])
def test_A1_a_count_with_what_each_one_is_for_is_that_count(answer: str) -> None:
    assert grade_number(NumericQuestion("How many parameters does it need?", "2"), answer).correct


WEIGHTS = NumericQuestion("How many of the six weights 49, 50, 499, 500, 999 and 1000 cost 2 euros?", "2")


@pytest.mark.parametrize("answer", ["50 and 499", "50, 499", "500 & 999"])
def test_A1_who_names_what_is_counted_is_asked_how_many_that_is(answer: str) -> None:
    assert grade_number(WEIGHTS, answer).next_step == NAMED_ONLY


@pytest.mark.parametrize("answer", ["2 (the 50 and the 499)", "50 and 499 so 2", "2"])
def test_A1_who_counts_what_they_name_is_right(answer: str) -> None:
    assert grade_number(WEIGHTS, answer).correct


def test_A1_a_rough_result_behind_an_exact_one_is_no_second_result() -> None:
    share = NumericQuestion("318 of 629: what percentage, rounded to a whole number?", "51", "%", tolerance=0.5)
    assert grade_number(share, "318/629 = 0.5056 so about half").correct
    assert grade_number(share, "50 or 51").next_step == "Which result counts: 50 or 51?"


def test_A7_a_calculation_that_does_not_come_to_what_it_says_is_named() -> None:
    camera = NumericQuestion("28 rightly and 112 wrongly. What percentage is right?", "20", "%")
    grade = grade_number(camera, "28+112=130, 28/130=21.5%")
    assert (grade.correct, grade.next_step) == (False, LOOK_AGAIN.format(calculation="28+112"))
    assert grade_number(camera, "28/112 = 25%").next_step == ""


@pytest.mark.parametrize(
    ("answer", "picked"),
    [("the second one", "35"), ("the last one", "35"), ("first, please", "34"), ("the third one", None), ("35", None)],
)
def test_A7_a_result_is_picked_by_its_place(answer: str, picked: str | None) -> None:
    assert picked_result(answer, "34 or 35") == picked


def test_A1_a_percentage_where_a_count_is_asked_for_is_turned_into_one() -> None:
    vans = NumericQuestion("A fleet has 240 vans, and 15 % of them are electric. How many are not?", "204")
    assert grade_number(vans, "85%").next_step == SHARE_OF_HOW_MANY
    assert grade_number(vans, "15%").correct is False


@pytest.mark.parametrize("answer", ["it should be 100, so 20 less", "100 is all, so it's 20 lower"])
def test_A1_a_change_without_what_it_comes_to_is_asked_for_its_result(answer: str) -> None:
    nora = NumericQuestion("Nora says 65 % yes and 55 % no. What must she make of the second, in percent?", "35", "%")
    assert grade_number(nora, answer).next_step == NOT_WORKED_OUT


def test_A1_numbers_whose_sum_is_asked_for_are_asked_for_it() -> None:
    assert (
        grade_number(NumericQuestion("What is the sum of `xs[2:5]`?", "120"), "[30, 40, 50]").next_step
        == NOT_WORKED_OUT
    )


def test_A1_a_result_before_its_reason_is_the_result_whatever_the_reason_calculates() -> None:
    shown = NumericQuestion("What does the program show?", "60")
    assert grade_number(shown, "60 because 40>50 no, 40>30 yes so 40+20 and then stop").correct
    assert grade_number(shown, "40 because 40>50 no, so 60 - 20").correct is False


@pytest.mark.parametrize("answer", ["18 x 365", "4 x 100 + 30", "75 × 92"])
def test_A1_a_calculation_that_comes_to_another_value_is_wrong_and_no_way_to_it(answer: str) -> None:
    assert grade_number(NumericQuestion("How many sous must he pay?", "54"), answer).correct is False
    assert grade_number(NumericQuestion("How many sous must he pay?", "54"), "18 x 3").next_step == NOT_WORKED_OUT


@pytest.mark.parametrize(
    ("answer", "right", "named"),
    [
        ("6 % of 5000 = 300, so 4700. 2 % of 4700 = 940", "94", "2 % of 4700"),
        ("100 leak, 900 are tight, 80 % of 900 = 270", "720", "80 % of 900"),
    ],
)
def test_A1_a_slip_in_a_percentage_of_something_is_named(answer: str, right: str, named: str) -> None:
    grade = grade_number(NumericQuestion("How many are there?", right), answer)
    assert (grade.correct, grade.next_step) == (False, SLIPPED.format(calculation=named))


@pytest.mark.parametrize("answer", ["a gives 3 and b gives 11", "14 and 15", "it shows 6, 10 and 7"])
def test_A1_several_numbers_side_by_side_are_asked_for_the_one_that_counts(answer: str) -> None:
    assert grade_number(NumericQuestion("What does the program show?", "211"), answer).next_step == WHICH_ONE_NUMBER


def test_A1_numbers_before_the_items_of_a_list_are_no_results() -> None:
    question = NumericQuestion("How many of the four are True?", "2")
    assert grade_number(question, "1. false 2. true 3. true 4. true so 3").correct is False
    assert grade_number(question, "1. false 2. true 3. false 4. true so 2").correct


def test_A1_what_a_question_for_the_difference_asks_for_is_no_change_left_open() -> None:
    question = NumericQuestion("How many more votes are for it than against?", "440")
    assert grade_number(question, "820 for, 380 against, so 440 more").correct
    assert grade_number(question, "820 for, 380 against, so 340 more").correct is False


def test_A1_a_ratio_is_read_with_both_its_sides() -> None:
    question = NumericQuestion("What is the likelihood ratio of no scratching?", "0.5")
    assert grade_number(question, "1 to 2").correct
    assert grade_number(question, "2 to 1").correct is False


HALF_OF_SEATS = NumericQuestion("A bus has 40 seats, and 15 % of them are reserved. How many are reserved?", "6")
FOR_AND_AGAINST = NumericQuestion(
    "600 of the third estate are for it, 180 of the 300 clergy and 40 of the 300 nobles. How many more are for it?",
    "440",
    misconceptions=(Misconception("820", "counts the votes for it"), Misconception("380", "counts those against")),
)
BLUE_PILL = NumericQuestion("Another 392 people took it without any reaction. What percentage reacted?", "2", "%", 0)


@pytest.mark.parametrize(
    "answer", ["6 seats, 10% is 4 and 5% is 2", "10% is 4, 5% is 2 so 6", "6 beacuse 5 % is 2", "15 % is 6"]
)
def test_A1_easy_shares_on_the_way_are_no_results(answer: str) -> None:
    assert grade_number(HALF_OF_SEATS, answer).correct


def test_A1_the_two_numbers_that_lead_to_the_result_are_asked_for_it() -> None:
    """Also where each alone would show a misconception."""
    assert grade_number(FOR_AND_AGAINST, "820 for and 380 against").next_step == NOT_WORKED_OUT
    assert grade_number(FOR_AND_AGAINST, "820").correct is False
    assert grade_number(FOR_AND_AGAINST, "600 and 180").correct is None


@pytest.mark.parametrize(("answer", "correct"), [("8/400 = 2%", True), ("8:400=0.02=2%", True), ("2 %", True)])
def test_A1_a_calculation_that_comes_to_the_number_is_right(answer: str, correct: bool) -> None:
    assert grade_number(BLUE_PILL, answer).correct is correct


def test_A1_a_calculation_that_only_rounds_to_an_exact_number_is_looked_at_again() -> None:
    grade = grade_number(BLUE_PILL, "8/392 = 2%")
    assert (grade.correct, grade.next_step) == (None, LOOK_AGAIN.format(calculation="8/392"))
    assert grade_number(replace(BLUE_PILL, tolerance=0.1), "8/392 = 2%").correct
    assert grade_number(BLUE_PILL, "8/392 is about 2 %").correct


ONE_IN = NumericQuestion("0.5 % of letters are lost. Say it as “1 in …”. Which number?", "200")
BELOW = NumericQuestion("12 of 36 keys are bent. As a fraction: which number goes below the line?", "36")
LAMPS = NumericQuestion("Of 500 lamps 35 are faulty. What percentage?", "7", "%")
MISTAKEN = NumericQuestion("How many are flagged by mistake?", "995")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (ONE_IN, "1/200"), (ONE_IN, "1 in 200"), (LAMPS, "seven lamps of each hundred"), (LAMPS, "7 of every 100"),
        (MISTAKEN, "995 kids by mistake out of 1095 flagged"), (MISTAKEN, "995 = 1095 - 100"),
        (MISTAKEN, "995 = 1000 - 5 kids"), (MISTAKEN, "i thought 1095 but now 995"),
    ],
)  # fmt: skip
def test_A1_a_result_is_read_in_the_form_that_it_is_written_in(question: NumericQuestion, answer: str) -> None:
    assert grade_number(question, answer).correct is True


def test_A1_a_fraction_with_the_right_number_on_the_other_side_is_asked_which_side_it_is() -> None:
    grade = grade_number(BELOW, "36/24")
    assert (grade.correct, grade.next_step) == (None, WHICH_SIDE)


def test_A1_a_share_that_only_lies_near_a_wrong_value_is_right() -> None:
    wrong = (Misconception("0.2", "a clue changes nothing"),)
    question = NumericQuestion("2 of 8 are left. How likely is that, in percent?", "25", "%", 0.05, wrong)
    assert grade_number(question, "2/8").correct is True
    assert grade_number(question, "0.2").misconceptions == ("a clue changes nothing",)


def test_A1_a_share_by_one_who_cannot_convert_it_is_asked_for_in_percent() -> None:
    grade = grade_number(LAMPS, "35 out of 500, i dont know how to make percent")
    assert (grade.correct, grade.next_step) == (None, ONLY_THE_SHARE)


WAGE = NumericQuestion("A day brings in 18 sous. How many sous is a tax of three days?", "54", "sous")
VOTES = NumericQuestion(
    "For a plan are 590 of 600 deputies, 100 of 300 clergy and 50 of 300 nobles. How many more are for it?",
    "280",
    "votes",
)
LOOP = NumericQuestion("n is 3 and doubles until it is 40 or more. What is n * 10 plus the number of rounds?", "484")
BRANCH = NumericQuestion("n is 8; if n > 5, n is n - 5; if n > 2, n is ten times that, else a hundred times.", "30")
MARKED = NumericQuestion("Of 75 ill plants a dog marks 60, of 300 sound ones 15. What is its sensitivity?", "80", "%")


@pytest.mark.parametrize(
    "answer",
    [
        "54 sous = 2 livres 14", "54 sous = 2 livres 14 sous", "54 sous or 2 livres 14", "54 sous = 2.7 livres",
        "54 sous, thats 2 livres and 14 sous", "2 livres 14 sous = 54 sous", "3 x 18 = 54 sous = 2 livres 14",
    ],
)  # fmt: skip
def test_A1_the_right_number_in_the_wanted_unit_is_right_whatever_else_it_is_said_to_equal(answer: str) -> None:
    assert grade_number(WAGE, answer).correct is True


@pytest.mark.parametrize("answer", ["2 livres 14", "2 livres and 14 sous"])
def test_A1_a_sum_in_two_units_alone_is_asked_for_in_one(answer: str) -> None:
    assert grade_number(WAGE, answer).next_step == "How much is that in sous?"


@pytest.mark.parametrize("answer", ["53 sous = 2 livres 13", "3 livres = 60 sous", "18 sous or 54 days of 1"])
def test_A1_another_number_in_the_wanted_unit_is_not_right(answer: str) -> None:
    assert grade_number(WAGE, answer).correct is not True


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (VOTES, "590+100+50=740 against 460"), (VOTES, "740 for and 460 against"), (LOOP, "so 48 and 4 rounds"),
        (LOOP, "3,6,12,24,48 so 48 and 4 rounds"), (MARKED, "60 / (60+15)"),
    ],
)  # fmt: skip
def test_A1_what_is_right_as_far_as_it_goes_is_a_way_and_not_wrong(question: NumericQuestion, answer: str) -> None:
    grade = grade_number(question, answer)
    assert grade.correct is None
    assert grade.next_step.startswith("That is a way to it.")


@pytest.mark.parametrize(
    ("question", "answer"),
    [(MARKED, "80 / (80+15)"), (MARKED, "15/(60+15)"), (VOTES, "740"), (LOOP, "48 and 5 rounds")],
)
def test_A1_a_way_to_something_else_is_never_called_one(question: NumericQuestion, answer: str) -> None:
    grade = grade_number(question, answer)
    assert grade.correct is not True
    assert not grade.next_step.startswith("That is a way to it.")


@pytest.mark.parametrize(
    "answer",
    [
        "8-5 = 3, 3>2 so 30. then 30 > 1 so 3000",
        "first 30 and then 3000",
        "30 so 300",
        "30 first, then it all comes to 31",
    ],
)
def test_A1_what_an_answer_goes_on_to_from_the_right_number_is_its_result(answer: str) -> None:
    assert grade_number(BRANCH, answer).correct is False


@pytest.mark.parametrize("answer", ["30 or 3000", "30, so the other 70 are not"])
def test_A1_two_results_beside_each_other_are_asked_about_or_the_first_counts(answer: str) -> None:
    assert grade_number(BRANCH, answer).correct is not False


def test_A1_a_fraction_answers_which_number_goes_below_its_line() -> None:
    asked = NumericQuestion("Of the 36 bent keys 24 are old. Which number of the fraction goes below the line?", "36")
    assert grade_number(asked, "24/36").correct is True
    assert grade_number(asked, "24/60").correct is False
    assert grade_number(asked, "36/24").correct is None


def test_A1_odds_in_words_are_read_as_odds_in_digits() -> None:
    assert {grade_number(MARKED, odds).next_step for odds in ("4:1", "four : 1", "four to 1")} == {
        "Those odds are right. How much is that in percent?"
    }


def test_A1_a_percentage_of_a_number_and_its_result_are_one_answer() -> None:
    eggs = NumericQuestion("50 of 5,000 eggs are bad. It marks 4 % of the good eggs. How many?", "198")
    assert grade_number(eggs, "4% of 5000, 200").correct is False


def test_A1_of_parts_and_their_sum_the_last_stated_result_counts() -> None:
    """Nurses are asked for; the reply to 69 says whom it counts."""
    asked = NumericQuestion(
        "Of 10 astronomers and 3,000 nurses 9 and 2 % fit. How many of the people it fits are nurses?", "60"
    )
    assert grade_number(asked, "60 nurses and 9 astronomers so 69 total").correct is False
    assert grade_number(asked, "9 astronomers, and 60 nurses").correct is not False
    assert grade_number(asked, "2 % of 3,000 so 60 nurses").correct is True


@pytest.mark.parametrize(
    ("says", "correct"),
    [
        ("18 is 5% of 360", True), ("5 % of 360 is 18", True), ("18 livres is 5 percent of 360 livres", True),
        ("18 is 20% of 360", False), ("18 is not 5% of 360", None), ("18 is 5% or 6% of 360", None),
    ],
)  # fmt: skip
def test_A1_the_one_percentage_among_the_question_s_own_numbers_is_the_result(says: str, correct: bool | None) -> None:
    asked = NumericQuestion(
        "A duty costs 18 livres, of an income of 360. What percentage of its income is that?", "5", "%"
    )
    grade = grade_number(asked, says)
    assert grade.correct is correct or (correct is None and grade.correct is not True)


def test_A1_a_product_without_spaces_is_a_calculation() -> None:
    question = NumericQuestion("How many sous are three days of 18 sous?", "54", "sous", None, ())
    assert grade_number(question, "3x18").next_step == grade_number(question, "3 x 18").next_step != ""


@pytest.mark.parametrize(
    ("answer", "right"), [("1 : 2,5", True), ("1 to 2.5", True), ("1:2.5", True), ("2 : 2.5", False), ("1:0.4", False)]
)
def test_A1_odds_with_the_side_that_is_asked_for_by_a_letter_are_right(answer: str, right: bool) -> None:
    question = NumericQuestion("The odds against are 20 to 8, for it 1 to n. What is n?", "2.5", None, 0.0, ())
    assert (grade_number(question, answer).correct is True) is right


def test_A1_a_quotient_with_its_remainder_is_asked_about() -> None:
    question = NumericQuestion("What does `140 % 25` give?", "15", None, 0.0, ())
    assert grade_number(question, "5 r 15").correct is None
    assert grade_number(question, "remainder 15").correct is True


@pytest.mark.parametrize("answer", ["u has 3, v has 2", "n is 13; m is 4"])
def test_A1_two_numbers_said_of_two_things_in_the_same_words_are_asked_about(answer: str) -> None:
    question = NumericQuestion("`u = [2, 4]`. What does the program show?", "32")
    grade = grade_number(question, answer)
    assert (grade.correct, grade.next_step) == (None, WHICH_ONE_NUMBER)


def test_A1_times_behind_a_number_counts_and_multiplies_nothing() -> None:
    question = NumericQuestion("How many times as large is the share of 12 of 240 as that of 12 of 2400?", "10")
    for answer in ("ten times, 5% vs 0.5%", "10 times", "10 mal, 5 % gegen 0,5 %"):
        assert grade_number(question, answer).correct is True
    assert grade_number(question, "5 times, 5 % vs 1 %").correct is False
    assert grade_number(question, "2 times 5").correct is not False


def test_A1_a_place_among_things_is_a_number_only_where_the_question_is_which_one() -> None:
    how_large = NumericQuestion("How large is a batch in which exactly one has the flaw?", "2")
    which = NumericQuestion("Which index is it: `xs[___]`?", "2")
    assert grade_number(how_large, "the second one").correct is None
    assert grade_number(which, "the second one").correct is True


INTEREST = NumericQuestion("€1,200 at 3 % simple interest per year: how much interest in 2 years?", "72", "€")
PERIOD = NumericQuestion("The mains have 50 Hz. How long is one period?", "0.02", "s")
SPEED = NumericQuestion("150 km in 2.5 hours: what is the average speed?", "60", "km/h")
ANGLE = NumericQuestion("How large is each interior angle of a regular hexagon?", "120", "°")
CIRCLE = NumericQuestion("The area is π · r². For r = 2 it is how many times π?", "4")
WARMER = NumericQuestion("At night −18 °C, at noon +7 °C. By how many degrees did it rise?", "25", "°C")
NOON = NumericQuestion("It was −18 °C, then 43 °C warmer. What is it now?", "25", "°C")
TOTAL = NumericQuestion("Someone writes: “210 + 45 = 255 marked.” What is the right total?", "240")


@pytest.mark.parametrize(
    ("question", "answer", "correct"),
    [
        (INTEREST, "7200 cents", True),
        (INTEREST, "72 cents", False),
        (PERIOD, "zwanzig Millisekunden", True),
        (PERIOD, "20 Sekunden", False),
        (SPEED, "sessanta chilometri all'ora", True),
        (SPEED, "60 Kilometer pro Stunde", True),
        (ANGLE, "2π/3 rad", True),
        (ANGLE, "π/3 rad", False),
        (CIRCLE, "4π", True),
        (WARMER, "from -18 to 7 → 25 K warmer", True),
        (NOON, "25 K", None),
    ],
)
def test_A1_units_are_read_in_other_languages_in_hundredths_in_parts_of_pi_and_as_differences(
    question: NumericQuestion, answer: str, correct: bool | None
) -> None:
    assert grade_number(question, answer).correct is correct


def test_A1_who_puts_a_number_in_the_place_of_a_printed_one_is_asked_what_it_comes_to() -> None:
    grade = grade_number(TOTAL, "should be 30 instead of 45")
    assert (grade.correct, grade.next_step) == (None, NOT_WORKED_OUT)
    assert grade_number(TOTAL, "240 instead of 255").correct is True
    assert grade_number(TOTAL, "250").correct is False
