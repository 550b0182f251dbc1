"""Replies to wrong answers: found by the reading that marks them, and said once."""

import pytest

from sprout.offline.demo.tutor.lesson import PreparedQuestion
from sprout.offline.demo.tutor.replies.wrong_answers import reply_to

PERCENT = PreparedQuestion(
    "Of 600 books 450 are lent. What percentage is that?",
    "number",
    "75",
    "say it in percent",
    unit="%",
    replies={"25": "These are the others.", "450": "That counts books."},
)
CHOICE = PreparedQuestion(
    "Where did it fall?",
    "mcq",
    "Paris",
    "say where",
    wrong=(("Rome", "a"), ("Berlin", "b"), ("Madrid", "c")),
    replies={"Rome": "That lies on the Tiber.", "Berlin": "That lies on the Spree.", "Madrid": "That is in Spain."},
)
TERM = PreparedQuestion(
    "Which prison fell?",
    "text",
    "the Bastille",
    "name it",
    accepted=("Bastille",),
    replies={"Temple": "The king sat there later."},
)
SHOWN = ("Madrid", "Paris", "Rome", "Berlin")


@pytest.mark.parametrize("words", ["25", "it's 25 %, I think", "150/600 so 25 %", "25,0", "a quarter: 1/4"])
def test_a_wrong_number_is_read_as_it_is_marked(words: str) -> None:
    assert reply_to(PERCENT, words) == PERCENT.replies["25"]


@pytest.mark.parametrize("words", ["75", "25 or 450?", "33", "450/600 = 74", "no idea", ""])
def test_what_is_right_unclear_slipped_or_not_prepared_for_has_no_reply(words: str) -> None:
    assert reply_to(PERCENT, words) == ""


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("Rome", "Rome"),
        ("C", "Rome"),
        ("the third one", "Rome"),
        ("I'd say berlin, because", "Berlin"),
        ("A", "Madrid"),
    ],
)
def test_a_wrong_option_is_named_by_its_letter_its_place_or_its_words(words: str, option: str) -> None:
    assert reply_to(CHOICE, words, SHOWN) == CHOICE.replies[option]


@pytest.mark.parametrize("words", ["B", "Paris", "Rome or Berlin", "somewhere"])
def test_the_right_option_and_none_or_two_have_no_reply(words: str) -> None:
    assert reply_to(CHOICE, words, SHOWN) == ""


def test_a_wrong_term_is_read_as_it_is_marked() -> None:
    assert reply_to(TERM, "it was the temple") == TERM.replies["Temple"]
    assert reply_to(TERM, "Bastille") == reply_to(TERM, "some palace or other") == ""
