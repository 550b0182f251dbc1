"""Marking of short terms by the terms that an author lists (A11)."""

import pytest

from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.marking.terms import grade_term
from sprout.learning.questions.questions import Misconception

PRISON = "Which prison in Paris did the crowd storm on 14 July 1789?"
BASTILLE = ("the Bastille", "Bastille Saint-Antoine")
PLACES = [Misconception("the Temple", "where the king was held"), Misconception("Bastia", "takes the town for it")]
ESTATE = ("Third Estate", "tiers état", "third order")
ESTATES = [Misconception("First Estate", "the first is the clergy"), Misconception("Estates-General", "all three")]


def prison(answer: str) -> Grade | None:
    return grade_term(PRISON, BASTILLE, PLACES, answer)


def estate(answer: str) -> Grade | None:
    return grade_term("What was the name of all who were neither nobles nor clergy?", ESTATE, ESTATES, answer)


@pytest.mark.parametrize(
    "answer",
    [
        "the Bastille",
        "bastille",
        "BASTILLE!",
        "la Bastille",
        "it was the Bastille I think",
        "Bastile",
        "the crowd, at the Basitlle",
        "the bastille saint antoine",
        "The prison was called the Bastille.",
        "war das die Bastille",
    ],
)
def test_A11_a_listed_term_is_right_as_people_write_it(answer: str) -> None:
    assert prison(answer) == Grade(GradeState.GRADED, score=1.0, correct=True)


@pytest.mark.parametrize(
    "answer", "third estate,the Third Estates,thirdestate,Tiers-État,tiers etat,third orders".split(",")
)
def test_A11_accents_hyphens_and_plurals_make_no_difference(answer: str) -> None:
    grade = estate(answer)
    assert grade is not None
    assert grade.correct


@pytest.mark.parametrize(
    ("answer", "right"),
    [("shes noble so 2nd", True), ("2nd", True), ("the 2nd order", True), ("1st", None), ("2", None)],
)
def test_A11_an_ordinal_may_be_a_number_with_its_ending(answer: str, right: bool | None) -> None:
    grade = grade_term("To which order does she belong?", ("second order", "second", "noble"), (), answer)
    assert (grade.correct if grade is not None else None) is right


@pytest.mark.parametrize("answer", ["July 14, 1789", "14 july 1789", "it was on July 14th, 1789", "14. Juli 1789"])
def test_A11_a_date_may_stand_in_any_order(answer: str) -> None:
    grade = grade_term("When did it fall?", ("14 July 1789", "14 Juli 1789"), (), answer)
    assert grade is not None
    assert grade.correct


@pytest.mark.parametrize(
    ("answer", "belief"),
    [("the Temple", "where the king was held"), ("I think Bastia", "takes the town for it")],
)
def test_A11_a_listed_wrong_term_is_wrong_with_its_belief(answer: str, belief: str) -> None:
    assert prison(answer) == Grade(GradeState.GRADED, score=0.0, correct=False, misconceptions=(belief,))


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Versailles",
        "the big one in the east",
        "not the Bastille",
        "the Bastille or the Temple",
        "the Bastille, the Temple",
        "Bastille or Versailles",
        "it happened after the Bastille fell",
        "Tempel",
        "the Bastille " * 30,
    ],
)
def test_A11_what_is_no_single_listed_term_is_left_to_a_reader_and_never_wrong(answer: str) -> None:
    assert prison(answer) is None


def test_A11_a_slip_is_a_slip_only_in_longer_words_and_never_in_numbers() -> None:
    assert grade_term("Which tax?", ("tithe",), (), "tithe") is not None
    assert grade_term("Which tax?", ("tithe",), (), "tithr") is not None
    assert grade_term("Which tax?", ("salt",), (), "sald") is None
    assert grade_term("Which year?", ("1789",), (), "1788") is None
    assert grade_term("Which number?", ("17890",), (), "17891") is None
    assert grade_term("Who?", ("Robespierre",), (), "Robespiere") is not None
    assert grade_term("Who?", ("Robespierre",), (), "Robspiere") is not None
    assert grade_term("Who?", ("Robespierre",), (), "Robspier") is None


def test_A11_a_slip_that_is_as_near_to_a_wrong_term_is_not_marked() -> None:
    wrong = [Misconception("Danten", "mixes them up")]
    assert grade_term("Who?", ("Danton",), wrong, "Dantin") is None
    grade = grade_term("Who?", ("Danton",), wrong, "Danten")
    assert grade is not None
    assert not grade.correct


def test_A11_the_longer_term_counts_where_one_lies_in_the_other() -> None:
    wrong = [Misconception("National Convention", "the later one")]
    grade = grade_term("Which body?", ("Convention",), wrong, "the National Convention")
    assert grade is not None
    assert not grade.correct


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("July 14th, when they stormed it", True),
        ("14 July (the crowd came)", True),
        ("14 July, or later", None),
        ("14 July, not 4 August", True),
        ("4 August, since they voted then", None),
        ("the day after 14 July, when it rained", None),
    ],
)
def test_A11_a_right_term_may_stand_before_its_reason(answer: str, right: bool | None) -> None:
    grade = grade_term("On which day?", ("14 July",), [Misconception("4 August", "takes the vote for it")], answer)
    assert (None if grade is None else grade.correct) is right


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("not a republic, a constitution", True),
        ("a constitution and not a republic", True),
        ("not a republic but a constitution", True),
        ("not a constitution, a republic", None),
        ("not a constitution", None),
        ("not only a constitution", None),
        ("not a new king, a republic", False),
    ],
)
def test_A11_what_is_ruled_out_before_or_behind_a_term_does_not_count(answer: str, right: bool | None) -> None:
    wrong = [Misconception(option, "takes one for the other") for option in ("republic", "new king")]
    grade = grade_term("What was it?", ("constitution",), wrong, answer)
    assert (None if grade is None else grade.correct) is right


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("14.7.", True),
        ("14.07.1789", True),
        ("July 14th", True),
        ("le 14 juillet 1789", True),
        ("14 de julio", True),
        ("14 lipca", True),
        ("7/14", True),
        ("14 June", None),
        ("7 April", None),
        ("the 14th", None),
        ("17.6.", False),
        ("17. Juni", False),
    ],
)
def test_A11_a_date_may_be_written_in_numbers_and_in_other_languages(answer: str, right: bool | None) -> None:
    wrong = [Misconception("17 June", "takes the oath for it")]
    grade = grade_term("On which day?", ("14 July", "14 July 1789"), wrong, answer)
    assert (None if grade is None else grade.correct) is right


def test_A11_a_month_in_words_is_never_the_day_of_another() -> None:
    assert grade_term("On which day?", ("4 July",), (), "7 April") is None
