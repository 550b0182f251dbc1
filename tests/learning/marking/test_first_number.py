"""A number that an answer begins with, and what follows from it or is said of others."""

import pytest

from sprout.learning.marking.first_number import denies_what_is_asked
from sprout.learning.marking.number_grading import OF_THE_OTHERS, grade_number
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.learning.questions.questions import Misconception

SHARE_OF_ODDS = (Misconception("0.9", "gives the share instead of the odds"),)
ODDS = NumericQuestion("27 were borrowed and 3 stolen. The odds are n to 1. What is n?", "9", None, None, SHARE_OF_ODDS)
COINS = NumericQuestion("With a scratch 80 of ___ are real.", "280")
EDGE = NumericQuestion("In one line, with the edge: 1 · 3 · 8 · 1/2 = ___, so that many to 6.", "12")
FOUND = NumericQuestion("46 of 50 is ___ %; the others are missed.", "92", "%")
DOG = NumericQuestion("Of 75 infected plants it marks 60, of 300 sound ones 15. What is its sensitivity?", "80", "%")
LATE = NumericQuestion("3 % of 500, that is ___, were announced as late.", "15")
PILE = NumericQuestion("Forecasts: 80 %, 4 to 1, 8 to 10, 12 to 3, 1 to 4. How many of them belong on the pile?", "3")
FALSE_FLAGS = NumericQuestion("It flags 10 % of the other 390. The false flags are ___.", "39")
POSTERS = NumericQuestion("A project needs 40 posters. 35 % are finished. How many posters are finished?", "14")
VOTES = NumericQuestion("491 were for it and 89 against. What percentage were for it, rounded?", "85", "%")
JOB = NumericQuestion("65 % yes, then 55 % no. To keep the first, what must the second be, in percent?", "35", "%")
THICK = NumericQuestion("150 are in Spanish, 90 thick, 60 both. Given thick: out of how many is the share taken?", "90")
BILLS = NumericQuestion(
    "40 % of letters are bills, and 20 % of them are paid late. What percentage are bills that are paid late?", "8", "%"
)


@pytest.mark.parametrize(
    ("question", "answer", "correct"),
    [
        (ODDS, "9, so 90% borrowed", True),
        (ODDS, "8, so 80% borrowed", False),
        (ODDS, "0.9, so 90% borrowed", False),
        (COINS, "280, so about 29%", True),
        (COINS, "its 280 so about 29%", True),
        (COINS, "280, no 29%", None),
        (COINS, "280, so 1000", None),
        (EDGE, "12, which makes the odds 2 to 1", True),
        (EDGE, "24, which makes the odds 4 to 1", False),
        (FOUND, "92%, 8% are missed", True),
        (DOG, "80 percent; false alarms would be 5 percent", True),
        (DOG, "5 percent; false alarms would be 20 percent", None),
        (LATE, "between 10 and 20, 15 i think", True),
        (LATE, "between 10 and 20", None),
        (LATE, "between 10 and 15", None),
        (PILE, "three: 80%, 4:1, 12:3", True),
        (PILE, "two: 80%, 4:1", False),
        (PILE, "three: the first, the 4/1 and the last one but 1", True),
        (POSTERS, "14 are finished so 26 are left to do", True),
        (POSTERS, "15 are finished so 25 are left to do", False),
        (POSTERS, "26 are left, so 14 others", True),
        (VOTES, "85, so the other 15 % were against", True),
        (VOTES, "15, so the other 85 % were against", None),
        (JOB, "35 then both make 100", True),
        (THICK, "out of 90, the share is 60/90", True),
        (THICK, "out of 60, the share is 60/90", False),
        (FALSE_FLAGS, "39 = 10% of 390", True),
        (FALSE_FLAGS, "40 = 10% of 400", False),
    ],
)
def test_A1_a_number_stated_first_counts_before_what_follows_from_it(
    question: NumericQuestion, answer: str, correct: bool | None
) -> None:
    assert grade_number(question, answer).correct is correct


def test_A1_a_number_of_those_that_are_not_asked_about_is_asked_back() -> None:
    assert grade_number(BILLS, "20% of 40 = 8 so 8% are NOT paid late?").next_step == OF_THE_OTHERS
    assert grade_number(BILLS, "8%, not 20%").correct is True
    assert not denies_what_is_asked("90 are not ill", "100 people, 10 of them ill. How many are healthy?")
