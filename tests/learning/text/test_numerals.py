"""Numbers are read however they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.text.numerals import normalize_numerals, number_words, numerals


def values(text: str) -> set[float]:
    return {round(value, 6) for numeral in numerals(normalize_numerals(text)) for value in numeral.values}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8.33 m/s", 8.33), ("8,33", 8.33), ("８.３３", 8.33), ("$8{,}33$", 8.33), ("8.33m/s", 8.33),
        ("25/3", 8.333333), (r"\frac{25}{3}", 8.333333), ("25 divided by 3", 8.333333), ("25 durch 3", 8.333333),
        ("8 ⅓", 8.333333),
        ("½", 0.5), ("eight point three three", 8.33), ("acht Komma drei drei", 8.33), ("8 point 33", 8.33),
        ("fifty-one", 51), ("einundfünfzig", 51), ("einundfuenfzig", 51), ("two hundred and five", 205),
        ("zweihundertfünf", 205), ("one hundred twenty-three thousand", 123_000), ("three quarters", 0.75),
        ("a half", 0.5), ("drei Viertel", 0.75), ("50 %", 0.5), (r"50\,\%", 0.5), ("50 percent", 0.5), ("1,500", 1500),
        ("1,500", 1.5), ("1.500,75", 1500.75), ("1e3", 1000), ("833 × 10^-2", 8.33), ("−2", -2), ("x² = 9", 9),
    ],
)  # fmt: skip
def test_H2_a_number_is_read(text: str, value: float) -> None:
    assert value in values(text)


@pytest.mark.parametrize("text", ["", "x2", "someone", "often", "the second part", "weight", "eine Frage", "H2O"])
def test_H2_a_word_is_not_a_number(text: str) -> None:
    assert not values(text)


@given(st.integers(0, 999))
def test_H2_numbers_in_words_are_read_back(value: int) -> None:
    english, german = number_words(value)
    assert values(english) == values(german) == {float(value)}


@given(st.text(max_size=200))
def test_H2_any_text_has_numbers_or_none(text: str) -> None:
    read = normalize_numerals(text)
    assert all(0 <= numeral.start < numeral.end <= len(read) for numeral in numerals(read))
