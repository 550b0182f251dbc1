"""Matching of an author's phrases in an answer, with the matched words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.offline.demo.agents.phrase_matching import LONGEST_ANSWER, contains_negation, match_phrase


@pytest.mark.parametrize(
    ("phrase", "answer", "span"),
    [
        ("same temperature", "They have the same temperature.", "same temperature"),
        ("temperature same", "They have the same temperature.", "same temperature"),
        ("same/equal temperature*", "their temperatures are equal, both 20 °C", "temperatures are equal"),
        (
            "metal faster heat",
            "Metal takes heat from the hand faster than wood.",
            "Metal takes heat from the hand faster",
        ),
        ("faster heat", "Faster. The heat goes.", None),
        ("temp", "the temperature", None),
        ("temp*", "the TEMPERATURE", "TEMPERATURE"),
        ("it's cold", "It’s very cold in there", "It’s very cold"),
        ("dont know", "I don't really know", "don't really know"),
        ("0.5", "it is 0,5 in all", "0,5"),
        ("2/two pupils", "So 2 pupils.", "2 pupils"),
        ("5", "it is 0.5", None),
        ("= 2", "x = 2", "= 2"),
        ("one/=", "a single = sign", "="),
        ("café/cafe", "the cafe, or Café", "cafe"),
        ("fifty-five", "about fifty five", "fifty five"),
        ("Wärme schneller", "Metall leitet WÄRME viel schneller weg", "WÄRME viel schneller"),
        ("heat heat", "heat", "heat"),
        ("", "anything", None),
        ("heat", "", None),
    ],
)
def test_every_word_must_stand_in_one_sentence_in_any_order(phrase: str, answer: str, span: str | None) -> None:
    assert match_phrase(phrase, answer) == span


def test_the_shortest_place_is_quoted() -> None:
    answer = "Heat is one thing and the hand another, but heat leaves the hand."
    assert match_phrase("heat hand", answer) == "heat leaves the hand"


@pytest.mark.parametrize(
    ("phrase", "answer"),
    [
        ("same temperature", "They are not at the same temperature."),
        ("same temperature", "They never have the same temperature."),
        ("metal colder", "The metal isn't colder."),
        ("metal faster", "Metal does not carry heat faster."),
        ("gleiche Temperatur", "Sie haben keine gleiche Temperatur."),
        ("même température", "Ils n'ont pas la même température."),
    ],
)
def test_what_the_answer_denies_does_not_hit(phrase: str, answer: str) -> None:
    assert match_phrase(phrase, answer) is None


@pytest.mark.parametrize(
    ("phrase", "answer"),
    [
        ("not colder", "It is not colder."),
        ("same temperature", "It is not magic: they have the same temperature."),
        ("same temperature", "Not colder, but the same temperature."),
        ("metal faster", "Metal, not wood, carries heat faster."),
        ("neither clergy nobles", "They were neither clergy nor nobles."),
    ],
)
def test_a_denial_of_something_else_or_one_that_is_asked_for_changes_nothing(phrase: str, answer: str) -> None:
    assert match_phrase(phrase, answer) is not None


def test_a_sentence_that_denies_it_does_not_hide_one_that_says_it() -> None:
    assert match_phrase("same temperature", "Not the same temperature? No. The same temperature!") == "same temperature"


@pytest.mark.parametrize(
    ("phrase", "answer", "span"),
    [
        (r"/xs\s*=\s*\[\]/", "def f(xs=[]):\n  pass", "xs=[]"),
        (r"/(?s)66.*12/", "66\n\n12", "66\n\n12"),
        (r"/(?=.*a)(?=.*b)/", " b a ", "b a"),
        (r"/Print/", "print(1)", None),
    ],
)
def test_a_phrase_between_slashes_is_a_pattern_for_the_whole_answer(phrase: str, answer: str, span: str | None) -> None:
    assert match_phrase(phrase, answer) == span


def test_a_pattern_that_is_none_is_an_error_of_its_author() -> None:
    with pytest.raises(re.error):
        match_phrase("/(/", "anything")


@given(st.text(max_size=60), st.text(max_size=300))
def test_what_is_quoted_stands_in_the_answer(phrase: str, answer: str) -> None:
    if phrase.startswith("/"):
        return
    span = match_phrase(phrase, answer)
    assert span is None or (span and span in answer)


def test_a_long_answer_is_read_within_bounds() -> None:
    assert match_phrase("heat hand", "heat " * 20_000 + "hand") is None
    assert match_phrase("heat", "x " * LONGEST_ANSWER + "heat") is None


def test_a_text_denies_by_an_odd_number_of_words_that_deny() -> None:
    assert contains_negation("It does not move.")
    assert not contains_negation("It moves.")
    assert not contains_negation("It is not without heat.")
