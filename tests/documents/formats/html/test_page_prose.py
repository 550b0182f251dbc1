"""Prose that a page lays out in fixed-width letters, and code."""

from sprout.documents.formats.web_page import read_web_page
from sprout.documents.limits import ReadingLimits

PROSE = """
      Prophase is the first phase of mitosis, in which the

      chromosomes condense and become visible.
      Spindle fibres begin to form at the same time.

      Key events during prophase:

      The genetic material coils up, and each chromosome becomes visible. The
      envelope breaks down.
"""
CODE = """
def area(width, height):
    return width * height  # of a rectangle. It is a number. It has no unit. Mind the order.

for width in range(10): print(area(width, 4), "square metres are a small garden for one family")
"""


def read(text: str, attributes: str = "") -> str:
    page = f"<!doctype html><h1>Cells</h1><pre{attributes}>{text}</pre><p>All cells divide.</p>"
    return read_web_page(page.encode(), ReadingLimits()).text


def test_sentences_in_an_element_that_keeps_lines_are_paragraphs() -> None:
    assert read(PROSE).split("\n\n")[1:] == [
        "Prophase is the first phase of mitosis, in which the chromosomes condense and become visible.",
        "Spindle fibres begin to form at the same time.",
        "Key events during prophase:",
        "The genetic material coils up, and each chromosome becomes visible. The envelope breaks down.",
        "All cells divide.",
    ]


def test_code_stays_code_also_where_it_has_comments_and_what_is_called_code() -> None:
    assert "```\ndef area" in read(CODE)
    assert "```" in read(PROSE, ' class="language-python"')
