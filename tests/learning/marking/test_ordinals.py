"""Places in a row, and options that are a series of them."""

import pytest

from sprout.learning.marking.ordinals import in_series, place_of


@pytest.mark.parametrize(
    ("texts", "series"),
    [
        (["the third", "the fourth", "the second"], ["the second", "the third", "the fourth"]),
        (["40 %", "9 %", "-3"], ["-3", "9 %", "40 %"]),
        (["`12`", "`2`"], ["`2`", "`12`"]),
        (["second order", "no order"], None),
        (["`12`", "`None`"], None),
        ([], None),
    ],
)
def test_Q1_options_that_are_places_or_numbers_are_a_series(texts: list[str], series: list[str] | None) -> None:
    assert in_series(texts) == series


def test_A1_a_place_is_said_in_any_form() -> None:
    assert {place_of(word) for word in ("third", "3rd", "three", "3")} == {2}
    assert [place_of(word) for word in ("a", "bread")] == [None, None]
