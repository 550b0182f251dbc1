"""MathML as LaTeX."""

import pytest
from lxml import etree

from sprout.documents.formats.formulas.mathml import mathml_latex
from sprout.errors import UnreadableDocument


def latex(inside: str, attributes: str = "") -> str:
    return mathml_latex(etree.fromstring(f"<math {attributes}>{inside}</math>"))


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<mfrac><mn>1</mn><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", r"\frac{1}{x+1}"),
        ("<msup><mi>x</mi><mn>2</mn></msup><mo>−</mo><msub><mi>a</mi><mi>i</mi></msub>", "x^{2}-a_{i}"),
        ("<msup><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow><mn>2</mn></msup>", "{(a)}^{2}"),
        ("<msqrt><mn>2</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt{2}\sqrt[3]{x}"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>α</mi>",
            r"\sum_{i=1}^{n}\alpha",
        ),
        ("<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>", r"\lim_{x\to 0}"),
        ("<mover><mi>v</mi><mo>→</mo></mover><mover><mi>AB</mi><mo>¯</mo></mover>", r"\vec{v}\bar{\mathrm{AB}}"),
        (
            "<mi>sin</mi><mi>x</mi><mi mathvariant='bold'>v</mi><mi>ℝ</mi><mi>𝒜</mi>",
            r"\sin x\mathbf{v}\mathbb{R}\mathcal{A}",
        ),
        (
            "<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable><mo>)</mo>",
            r"\begin{pmatrix}1 & 2\end{pmatrix}",
        ),
        (
            "<mo>{</mo><mtable><mtr><mtd><mn>1</mn></mtd></mtr><mtr><mtd><mn>2</mn></mtd></mtr></mtable>",
            r"\begin{cases}1 \\ 2\end{cases}",
        ),
        ("<mfenced open='[' close='['><mi>a</mi><mi>b</mi></mfenced>", r"\left[ a,b \right["),
        ("<mtext>if 5 $ &amp; more</mtext>", r"\text{if 5 \$ \& more}"),
        ("<mmultiscripts><mi>C</mi><mi>k</mi><none/><mprescripts/><mi>n</mi><none/></mmultiscripts>", "{}_{n}C_{k}"),
    ],
)
def test_presentation_becomes_latex(inside: str, expected: str) -> None:
    assert latex(inside) == expected


def test_the_tex_of_an_annotation_goes_before_the_presentation() -> None:
    annotated = (
        "<semantics><mi>x</mi><annotation encoding='application/x-tex'>{\\displaystyle x^2 \\text{ if $y$}}"
        "</annotation></semantics>"
    )
    assert latex(annotated) == r"x^2 \text{ if \(y\)}"


def test_latex_is_one_line_without_comments() -> None:
    assert latex("<annotation encoding='TeX'>a % first\n + b\\%</annotation>") == r"a + b\%"


def test_only_a_wrapper_around_all_of_it_is_left_out() -> None:
    assert latex("<annotation encoding='TeX'>{\\displaystyle a}+{b}</annotation>") == r"{\displaystyle a}+{b}"


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(UnreadableDocument):
        latex("<mrow>" * 150 + "<mi>x</mi>" + "</mrow>" * 150)
