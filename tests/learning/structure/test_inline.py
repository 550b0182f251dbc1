"""Inline text as spans."""

import pytest

from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Paragraph, SpanKind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wrapped\nlines   with  space", "wrapped lines with space"),
        ("中文换行\n不加空格", "中文换行不加空格"),
        ("a forced  \nbreak", "a forced\nbreak"),
        ("x<sup>2</sup>, e<sup>kt</sup>, CO<sub>2</sub>", "x², e^kt, CO₂"),
        ("AT&amp;T &copy; \\*stars\\*", "AT&T © *stars*"),
        ("<math>F<annotation>size 12{F}</annotation></math> = ma", "F = ma"),
        ("a [badge![](b.png)](u) link", "a badge link"),
        ("see (:numref:`fig_a`) now", "see now"),
    ],
)
def test_text(text: str, expected: str) -> None:
    assert text_of(read_structure(f"# T\n\n{text}").subsections[0].blocks[0]).replace("  ", " ") == expected


def test_bare_addresses_are_links_and_end_before_punctuation() -> None:
    (paragraph,) = read_structure("# T\n\nSee https://a.org/b_c, or not.").subsections[0].blocks
    assert isinstance(paragraph, Paragraph)
    (link,) = [span for span in paragraph.spans if span.kind is SpanKind.LINK]
    assert (link.text, link.target) == ("https://a.org/b_c", "https://a.org/b_c")


def test_strong_wins_over_emphasis_and_a_link_over_both() -> None:
    (paragraph,) = read_structure("# T\n\n***both*** and [**bold** link](u)").subsections[0].blocks
    assert isinstance(paragraph, Paragraph)
    assert [(span.kind.value, span.text) for span in paragraph.spans] == [
        ("strong", "both"),
        ("plain", " and "),
        ("link", "bold link"),
    ]
