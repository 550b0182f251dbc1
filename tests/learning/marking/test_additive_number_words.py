"""Number words that are the sum of their parts, in Polish, Russian and Turkish."""

import pytest

from sprout.learning.marking.number_words import with_digits


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("czterdzieści dwa", "42"),
        ("to sto dwadzieścia pięć, chyba", "to 125, chyba"),
        ("dwa tysiące trzysta zł", "2300 zł"),
        ("сорок два", "42"),
        ("Это двести пятьдесят штук", "Это 250 штук"),
        ("8 тысяч", "8e3"),
        ("шесть процентов", "6 %"),
        ("kırk iki", "42"),
        ("bin dokuz yüz on dört", "1914"),
        ("yüzde altı", "6%"),
        ("üç milyon", "3e6"),
        ("две", "2"),
    ],
)
def test_A1_a_sum_of_words_is_a_number(text: str, digits: str) -> None:
    assert with_digits(text).replace(" e", "e") == digits


@pytest.mark.parametrize(
    "text", ["based on luck", "ich bin mir sicher", "sto pensando", "два из трёх", "bir elma", "kırk kırk", "on on"]
)
def test_A1_common_words_and_what_is_no_sum_stay_words(text: str) -> None:
    assert with_digits(text) == text
