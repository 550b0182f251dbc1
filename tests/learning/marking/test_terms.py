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
