"""Office Math as LaTeX."""

import pytest
from lxml import etree

from sprout.documents.formats.formulas.omml import omml_latex
from sprout.errors import UnreadableDocument

NAMESPACE = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def run(text: str, style: str = "") -> str:
    return f"<m:r><m:rPr>{style}</m:rPr><m:t>{text}</m:t></m:r>"


def part(name: str, text: str) -> str:
    return f"<m:{name}>{run(text)}</m:{name}>"


def setting(name: str, value: str) -> str:
    return f'<m:{name} m:val="{value}"/>'


def latex(inside: str) -> str:
    return omml_latex(etree.fromstring(f"<m:oMath {NAMESPACE}>{inside}</m:oMath>"))


MATRIX = f"<m:m><m:mr>{part('e', '1')}{part('e', '2')}</m:mr><m:mr>{part('e', '3')}{part('e', '4')}</m:mr></m:m>"
COLUMN = f"<m:eqArr>{part('e', '1')}{part('e', '2')}</m:eqArr>"


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (run("x²+y²=z²"), "x^{2}+y^{2}=z^{2}"),
        (f"<m:f>{part('num', 'a+b')}{part('den', '2')}</m:f>", r"\frac{a+b}{2}"),
        (f"<m:f><m:fPr>{setting('type', 'lin')}</m:fPr>{part('num', 'a')}{part('den', 'b')}</m:f>", "{a}/{b}"),
        (f"<m:sSubSup>{part('e', 'x')}{part('sub', 'i')}{part('sup', '2')}</m:sSubSup>", "x_{i}^{2}"),
        (f"<m:rad><m:radPr>{setting('degHide', '1')}</m:radPr><m:deg/>{part('e', 'x')}</m:rad>", r"\sqrt{x}"),
        (f"<m:rad>{part('deg', '3')}{part('e', 'x')}</m:rad>", r"\sqrt[3]{x}"),
        (
            f"<m:nary><m:naryPr>{setting('chr', '∑')}</m:naryPr>{part('sub', 'i=1')}{part('e', 'i')}</m:nary>",
            r"\sum_{i=1} i",
        ),
        (f"<m:nary>{part('sub', '0')}{part('sup', '1')}{part('e', 'x')}</m:nary>{run('dx')}", r"\int_{0}^{1} x dx"),
        (f"<m:d>{part('e', 'a')}{part('e', 'b')}</m:d>", r"\left( a | b \right)"),
        (f"<m:d><m:e>{MATRIX}</m:e></m:d>", r"\begin{pmatrix}1 & 2 \\ 3 & 4\end{pmatrix}"),
        (MATRIX, r"\begin{matrix}1 & 2 \\ 3 & 4\end{matrix}"),
        (
            f"<m:d><m:dPr>{setting('begChr', '{')}{setting('endChr', '')}</m:dPr><m:e>{COLUMN}</m:e></m:d>",
            r"\begin{cases}1 \\ 2\end{cases}",
        ),
        (f"<m:acc><m:accPr>{setting('chr', '⃗')}</m:accPr>{part('e', 'v')}</m:acc>", r"\vec{v}"),
        (f"<m:bar><m:barPr>{setting('pos', 'top')}</m:barPr>{part('e', 'AB')}</m:bar>", r"\overline{AB}"),
        (f"<m:func>{part('fName', 'sin')}{part('e', 'x')}</m:func>", r"\sin x"),
        (
            f"<m:func><m:fName><m:limLow>{part('e', 'lim')}{part('lim', 'n→∞')}</m:limLow></m:fName></m:func>",
            r"\lim_{n\to \infty}",
        ),
        (run("for all", setting("nor", "1")), r"\text{for all}"),
        (run("A", setting("scr", "double-struck")), r"\mathbb{A}"),
        (f"<m:borderBox>{part('e', 'x')}</m:borderBox>", r"\boxed{x}"),
    ],
)
def test_constructs_become_latex(inside: str, expected: str) -> None:
    assert latex(inside) == expected


def test_formulas_of_one_paragraph_are_lines() -> None:
    two = "".join(f"<m:oMath>{run(text)}</m:oMath>" for text in ("a=b", "c=d"))
    paragraph = etree.fromstring(f"<m:oMathPara {NAMESPACE}>{two}</m:oMathPara>")
    assert omml_latex(paragraph) == r"\begin{gathered}a=b \\ c=d\end{gathered}"


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(UnreadableDocument):
        latex("<m:rad><m:e>" * 80 + run("x") + "</m:e></m:rad>" * 80)
