"""Quantity in an answer: parsed, compared with the expected one, in bounded time for any text."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.marking.quantities import Agreement, Quantity, agreement
from sprout.learning.marking.stated_numbers import StatedResults
from sprout.learning.marking.stated_results import MAX_ANSWER_LENGTH, stated_results
from sprout.learning.marking.units import MAX_UNIT, Unit, convert, parse_unit, same_unit


def the_result(text: str, *, unit: str | None = None) -> Quantity | None:
    results = stated_results(text, unit=unit).results
    return results[0] if len(results) == 1 else None


def verdict(
    answer: str, expected: float, *, unit: str | None = None, tolerance: float | None = None
) -> Agreement | None:
    stated = the_result(answer, unit=unit)
    return agreement(stated, expected, unit=unit, tolerance=tolerance) if stated else None


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("8.33 m/s", 8.33, "m/s"),
        ("8,33m/s.", 8.33, "m/s"),
        ("1/4", 0.25, None),
        ("- 1 / 4", -0.25, None),
        ("3 1/4", 3.25, None),
        ("−3½ m", -3.5, "m"),
        ("½", 0.5, None),
        ("1.5e3", 1500.0, None),
        ("2 x 10^3", 2000.0, None),
        ("2×10⁻³ m", 0.002, "m"),
        ("10³", 1000.0, None),
        ("−2", -2.0, None),
        ("–2", -2.0, None),
        ("about 8", 8.0, None),
        ("≈8", 8.0, None),
        ("x = 9", 9.0, None),
        ("f(3) = 9", 9.0, None),
        ("v = 1500/180 ≈ 8.33 m/s", 8.33, "m/s"),
        ("The answer is 9", 9.0, None),
        ("its 9", 9.0, None),
        ("£51", 51.0, "£"),
        ("-£51", -51.0, "£"),
        ("51 pounds", 51.0, "pounds"),
        ("25%", 25.0, "%"),
        ("5 1/s", 5.0, "1/s"),
        ("forty-two", 42.0, None),
        ("quarante-deux", 42.0, None),
        ("three quarters", 0.75, None),
        ("seven eighths", 0.875, None),
        ("elf Zwölftel", 11 / 12, None),
        ("sept dixièmes", 0.7, None),
        ("eigth lines", 8, None),
        ("zehnmal so groß", 10, None),
        ("54 prosent", 54, "%"),
        ("6 per cent", 6.0, "%"),
        ("1'500", 1500.0, None),
        ("1,500,000", 1_500_000.0, None),
        ("8 million", 8_000_000.0, None),
        ("13 below zero", -13.0, None),
        ("٣", 3.0, None),
        ("8", 8.0, None),
    ],
)
def test_A1_a_quantity_is_read_as_people_write_it(text: str, value: float, unit: str | None) -> None:
    stated = the_result(text, unit=unit)
    assert stated is not None
    assert math.isclose(stated.value, value)
    assert stated.unit == unit


@pytest.mark.parametrize(
    "text",
    [
        "8 or 9",
        "x = 9 or x = 3",
        "y ≠ 9",
        "x > 9",
        "5-7",
        "8.3.3",
        "3 5/4",
        "1/0",
        "1e999",
        "2^5",
        "not 8",
        "",
        "=",
        "m/s",
        "9" * 201,
        "s^9^9^9^9",
        "2 s^9^9^9^9",
    ],
)
def test_A1_what_is_not_one_number_beyond_doubt_is_not_read(text: str) -> None:
    assert the_result(text, unit="m") is None


@pytest.mark.parametrize(
    ("answer", "expected", "unit", "tolerance"),
    [
        ("30 km/h", 8.33, "m/s", 0.08),
        ("8.33", 8.33, "m/s", 0.08),
        ("8.333333", 8.33, "m/s", 0.08),
        ("500 m/min", 8.33, "m/s", 0.08),
        ("20 °C", 293.15, "K", None),
        ("68 °F", 20.0, "°C", 0.01),
        ("20 ℃", 20.0, "°C", None),
        ("32 °F", 0.0, "°C", None),
        ("25 %", 0.25, None, None),
        ("25 %", 25.0, "%", None),
        ("25", 25.0, "%", None),
        ("0.25", 0.25, None, None),
        ("180°", math.pi, "rad", 0.001),
        ("£51", 51.0, "pounds", None),
        ("51 pounds", 51.0, "£", None),
        ("51 pound", 51.0, "pounds", None),
        ("51 £", 51.0, "pounds", None),
        ("7 pieces of cake", 7.0, "pieces of cake", None),
        ("9.81 m/s²", 9.81, "m s^-2", None),
        ("9,81 m*s**-2", 9.81, "m/s2", None),
        ("4.18 J/(g °C)", 4180.0, "J/(kg K)", None),
        ("12 Newton", 12.0, "N", None),
        ("9 meters per second", 9.0, "m/s", None),
        ("1.500", 1.5, None, None),
        ("1.500", 1500.0, None, None),
        ("1,500", 1500.0, None, None),
        ("1,500", 1.5, None, None),
        ("1.500 m", 1.5, "km", None),
        ("0.25", 25.0, "%", None),
        ("8,33 Meter pro Sekunde", 8.33, "m/s", None),
        ("12 Nm", 12.0, "J", None),
        ("0.1", 0.1, None, None),
    ],
)
def test_A1_an_equal_quantity_in_any_unit_of_its_kind_agrees(
    answer: str, expected: float, unit: str | None, tolerance: float | None
) -> None:
    assert verdict(answer, expected, unit=unit, tolerance=tolerance) is Agreement.EQUAL


@pytest.mark.parametrize(
    ("answer", "expected", "unit"),
    [
        ("500", 8.33, "m/s"),
        ("30 m/s", 8.33, "m/s"),
        ("30 kg", 8.33, "m/s"),
        ("8.33 kg", 8.33, "m/s"),
        ("20 °C", 20.0, "K"),
        ("5 MW", 5.0, "mW"),
        ("2", 25.0, "%"),
        ("9", 8.0, None),
        ("-8", 8.0, None),
        ("8.01", 8.0, None),
    ],
)
def test_A1_another_quantity_does_not(answer: str, expected: float, unit: str | None) -> None:
    assert verdict(answer, expected, unit=unit) is Agreement.DIFFERENT


@pytest.mark.parametrize(
    ("answer", "expected", "unit"),
    [
        ("30 Kilometer pro Stunde", 8.33, "m/s"),  # right, in words that pint does not know
        ("100 F", 310.93, "K"),  # farads, or Fahrenheit
        ("25 %", 25.0, None),
        ("30 km/h", 8.33, None),
        ("30 km/h", 8.33, "m/s"),  # exact, but the key was rounded
        ("0.33", 1 / 3, None),
        ("$51", 51.0, "£"),
    ],
)
def test_A1_what_may_be_right_in_some_reading_is_unclear_and_never_wrong(
    answer: str, expected: float, unit: str | None
) -> None:
    assert verdict(answer, expected, unit=unit) is Agreement.UNCLEAR


def test_A1_a_nonsense_tolerance_makes_no_right_answer_wrong() -> None:
    for tolerance in (float("nan"), float("inf"), -1.0):
        assert agreement(Quantity(8.33), 8.33, unit=None, tolerance=tolerance) is Agreement.EQUAL
        assert agreement(Quantity(9), 8.33, unit=None, tolerance=tolerance) is Agreement.DIFFERENT


def test_units_are_the_same_but_for_spelling() -> None:
    assert same_unit("m/s²", "m / s^2")
    assert same_unit("Pounds", "pound")
    assert same_unit("µm", "μm")
    assert not same_unit("mW", "MW")


@pytest.mark.parametrize(
    "text", ["", "9", "m^10", "m^9^9", "m^99999", "m/", "/", "blorps", "m+s", "m.s", "__import__", "m " * MAX_UNIT]
)
def test_only_products_of_small_powers_of_units_are_read(text: str) -> None:
    assert parse_unit(text) is None


def test_units_that_pint_knows_by_an_odd_name_convert_or_do_not_but_never_raise() -> None:
    for text in (
        "°R",
        "°R^2",
        "degR s",
        "dB",
        "dB m",
        "kdB",
        "min",
        "ft",
        "pH",
        "m°C",
        "Pmin",
        "delta_degC",
        "octet c",
    ):
        unit = parse_unit(text)
        assert unit is None or isinstance(convert(1.0, unit, unit), float)


def test_a_conversion_that_makes_no_sense_gives_nothing() -> None:
    meters, seconds = Unit((("meter", 1),)), Unit((("second", 1),))
    assert convert(1.0, meters, seconds) is None
    assert convert(1.0, Unit((("degree_Celsius", 1), ("meter", 1))), meters) is None
    assert convert(1e300, Unit((("kilometer", 9),)), Unit((("millimeter", 9),))) in (None, math.inf)


UNIT_SIGNS = st.text("mskgKCF°µΩ%/*·^²⁻()0123456789 -.,eExX=±~£$", max_size=60)


@given(st.one_of(st.text(), UNIT_SIGNS), st.one_of(st.none(), st.text(max_size=20), UNIT_SIGNS), st.floats())
def test_A1_any_text_is_read_or_not_and_never_raises(text: str, unit: str | None, expected: float) -> None:
    stated = the_result(text, unit=unit)
    if stated is not None and math.isfinite(expected):
        assert math.isfinite(stated.value)
        assert agreement(stated, expected, unit=unit, tolerance=0.1) in Agreement


@given(
    st.floats(-1e6, 1e6).map(lambda value: round(value, 3)), st.sampled_from(["", " m/s", " km/h", " %", " °C", " £"])
)
def test_A1_a_quantity_agrees_with_itself(value: float, unit: str) -> None:
    text = f"{value:.6f}{unit}"
    assert verdict(text, value, unit=unit.strip() or None) is Agreement.EQUAL


@pytest.mark.parametrize("piece", ["9", "1,", "m", "m^9", "/", "(", " ", "10^", "x=", "½", "²", "ﷺ", "1/", "so 1 or "])
def test_long_texts_are_refused_before_anything_reads_them(piece: str) -> None:
    assert stated_results(piece * 100_000) == StatedResults()
    assert len(stated_results((piece * MAX_ANSWER_LENGTH)[:MAX_ANSWER_LENGTH]).results) < MAX_ANSWER_LENGTH
    assert parse_unit(piece * 100_000) is None
