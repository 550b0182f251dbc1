"""Formulas in texts."""

import pytest

from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Formula, Paragraph, SpanKind


def formulas(text: str) -> list[str]:
    return [
        span.text
        for block in read_structure(text).blocks
        if isinstance(block, Paragraph)
        for span in block.spans
        if span.kind is SpanKind.FORMULA
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so $x$ is", ["x"]),
        ("so $a_1 * b_1$ and $c_1 * d_1$", ["a_1 * b_1", "c_1 * d_1"]),
        (r"so \(n - 1\) and \[n + 1\] here", ["n - 1", "n + 1"]),
        (r"so \\(n - 1\\) here", ["n - 1"]),
        (r"costs \$5 where $p = \$5$ holds", [r"p = \$5"]),
        ("inline $$a + b$$ too", ["a + b"]),
    ],
)
def test_inline_formulas(text: str, expected: list[str]) -> None:
    assert formulas(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10.",
        "from $5 to 10$ a day",
        "US$5 or A$10",
        "between $5-$10",
        "$HOME and $PATH",
        "set $HOME/bin:$PATH",
        r"an escaped \[link\] and \(see above\) and \[1\]",
        "a lone $ sign",
        "$ x $",
    ],
)
def test_no_formulas(text: str) -> None:
    assert formulas(text) == []


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("$$\na\n\n- b\n=\n$$", "a\n\n- b\n="),
        ("$$E = mc^2$$", "E = mc^2"),
        ("$$E = mc^2.$$ (3)", "E = mc^2."),
        (r"\[ x^2 \]", "x^2"),
        ("$E = mc^2$,", "E = mc^2"),
        ("\\begin{align*}\na &= b\n\\end{align*}", "\\begin{align*}\na &= b\n\\end{align*}"),
    ],
)
def test_displayed_formulas_are_blocks(text: str, latex: str) -> None:
    (block,) = read_structure(f"{text}\n").blocks
    assert isinstance(block, Formula)
    assert block.latex == latex


def test_an_open_formula_stays_text() -> None:
    assert text_of(read_structure("$$\nnever closed\n\nNext.")).endswith("Next.")
