"""Fractions, roots and the signs of mathematical fonts in print."""

import pytest

from harness.documents.typeset_pdf_files import Drawn, Rectangle, Run, column, typeset
from sprout.documents.formats.pdf.drawings import Area
from sprout.documents.formats.pdf.formulas import with_formulas
from sprout.documents.formats.pdf.reader import read_pdf
from sprout.documents.formats.pdf.tex_fonts import encoding_of, printed_signs
from sprout.documents.formats.pdf.words import Font, Word, plain_letters
from sprout.documents.limits import ReadingLimits

TEXT = [
    "Speed is how far a body comes in a time, and it is read from two places and",
    "the two times at which the body was there, as everybody knows who has ever",
    "looked at the signs beside a road and at a watch.",
]


def read(*drawn: Drawn) -> str:
    return read_pdf(typeset([drawn]), ReadingLimits()).text


def word(text: str, x: float, base: float, *, size: float = 10) -> Word:
    return Word(text, x, x + 0.5 * size * len(text), base - 0.8 * size, base + 0.2 * size, base, size, Font())


def texts(words: list[Word]) -> list[str]:
    return [one.text for one in sorted(words, key=lambda one: one.x0)]


def bar(x0: float, x1: float, y: float) -> Area:
    return Area(x0, y, x1, y + 0.5)


def test_a_displayed_fraction_is_one_part_of_its_line() -> None:
    formula: list[Drawn] = [
        Run(120, 133, "v ="),
        Rectangle(142, 129, 42, 0.5, 0),
        Run(144, 124, "x2 - x1"),
        Run(146, 141, "t2 - t1"),
    ]
    text = read(*column(72, 60, TEXT), *formula, *column(72, 175, TEXT))
    assert "\n\nv = (x2 - x1)/(t2 - t1)\n\n" in text


def test_a_fraction_within_a_sum_is_made_before_the_one_around_it() -> None:
    words = [word("1", 100, 92), word("+", 110, 92), word("a", 120, 84, size=7), word("b", 120, 95, size=7)]
    words += [word("2", 112, 106)]
    bars = [bar(119, 125, 87.5), bar(99, 127, 96.5)]
    assert texts(with_formulas(words, bars)) == ["(1 + a/b)/2"]


def test_a_fraction_that_touches_a_letter_shows_where_it_ends() -> None:
    words = [word("1", 100, 92), word("2", 100, 105), word("h", 106.5, 98.5)]
    assert texts(with_formulas(words, [bar(99, 106, 95.5)])) == ["(1/2)", "h"]


def test_a_root_holds_what_its_bar_is_over() -> None:
    words = [word("√", 95, 92), word("x", 101, 100), word("+", 108, 100), word("1", 116, 100), word(",", 122, 100)]
    assert texts(with_formulas(words, [bar(100, 121.5, 91)])) == ["√(x + 1)", ","]


def test_what_is_underlined_and_the_rules_of_a_table_divide_nothing() -> None:
    lines = [word("speed", 100, 98), word("of", 126, 98), word("light", 100, 110)]
    underlined = [word("title", 100, 99), word("text", 101, 112)]
    cells = [word("t", 100, 92), word("1", 101, 106), word("2", 101, 120)]
    assert len(with_formulas(lines, [bar(100, 125, 100.5)])) == len(lines)
    assert len(with_formulas(underlined, [bar(100, 125, 100)])) == len(underlined)
    assert len(with_formulas(cells, [bar(99, 107, 95.5), bar(99, 107, 123)])) == len(cells)


@pytest.mark.parametrize(
    ("font", "read", "printed"),
    [
        ("CMSY10", "0", "′"),
        ("MathDesign-CH-Regular-Symbol-10", "7→", "↦"),
        ("MSAM10", "6", "≤"),
        ("CMMI7", "`", "ℓ"),
        ("CMEX10", "X", "∑"),
        ("CMR10", "06X", "06X"),
        ("CMSY10", "∈", "∈"),
    ],
)
def test_a_sign_of_a_font_without_a_table_of_letters_is_what_is_printed(font: str, read: str, printed: str) -> None:
    assert printed_signs(read, encoding_of(font)) == printed


def test_a_slash_over_a_sign_denies_it() -> None:
    assert plain_letters(printed_signs("6", encoding_of("CMSY10")) + "=") == "≠"
