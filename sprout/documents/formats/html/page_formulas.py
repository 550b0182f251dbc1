"""Formulas of a web page: MathML, and TeX as MathJax, KaTeX, Wikipedia and pandoc leave it in a page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sprout.documents.formats.formulas.latex import clean_latex
from sprout.documents.formats.formulas.mathml import mathml_latex
from sprout.documents.formats.spans import Span, SpanKind

_RENDERED = frozenset(
    {"mathjax", "mathjax_preview", "mathjax_display", "mathjax_svg", "mathjax_svg_display", "mathjax_chtml"}
)
_MATH_CLASS = re.compile(r"katex|math", re.IGNORECASE)
_DISPLAY_CLASSES = frozenset({"katex-display", "mwe-math-element-block", "display", "mathjax_display"})
_PICTURES = frozenset({"tex", "latex", "math", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display"})
_ENVIRONMENTS = r"equation|align|gather|multline|eqnarray|displaymath|alignat"
_BRACKETED = (  # an opening one ends the search for a closing one, so that many of them cost no more than few
    r"(?<!\\)\\\((?P<inline>(?:(?!(?<!\\)\\\()[^\0]){1,2000}?)\\\)"
    r"|(?<!\\)\\\[(?P<display>(?:(?!(?<!\\)\\\[)[^\0]){1,4000}?)\\\]"
)
_DOLLARS = r"|(?<!\\)\$\$(?P<dollars>[^$]{1,4000})\$\$"
_ENVIRONMENT = rf"|(?P<environment>\\begin\{{(?P<name>(?:{_ENVIRONMENTS})\*?)\}}[^\0]{{1,4000}}?\\end\{{(?P=name)\}})"
_SINGLE_DOLLARS = r"|(?<![\\$\w])\$(?P<dollar>[^\s$](?:[^$]{0,500}?[^\s\\$])?)\$(?![\d$])"
_PLAIN_PAGE = re.compile(_BRACKETED)
_TEX_PAGE = re.compile(_BRACKETED + _DOLLARS + _ENVIRONMENT)
_DOLLAR_PAGE = re.compile(_BRACKETED + _DOLLARS + _ENVIRONMENT + _SINGLE_DOLLARS)
_RENDERER = re.compile(r"mathjax|katex", re.IGNORECASE)
_DOLLAR_SETTING = re.compile(r"""["']\$["']""")


@dataclass(frozen=True, slots=True)
class TexMarkup:
    """TeX in a page's text.

    Args:
        pattern: what of a text is a formula.
        has_scripts: whether its formulas stand in scripts, and what is rendered beside them is a copy.
    """

    pattern: re.Pattern[str]
    has_scripts: bool


TEX_IN_TEXT = TexMarkup(_TEX_PAGE, has_scripts=False)
"""Of a text that a renderer with the usual delimiters shows, whatever stands around it."""


def find_tex_markup(root: Any) -> TexMarkup:
    """The markup that the page's scripts render."""
    pattern, has_scripts = _PLAIN_PAGE, False
    for script in root.iter("script"):
        has_scripts = has_scripts or (script.get("type") or "").startswith("math/tex")
        text = script.text or ""
        if _RENDERER.search(script.get("src") or "") or _RENDERER.search(text):
            pattern = _DOLLAR_PAGE if pattern is _DOLLAR_PAGE or _DOLLAR_SETTING.search(text) else _TEX_PAGE
    return TexMarkup(pattern, has_scripts)


def text_spans(text: str, markup: TexMarkup, *, strong: bool = False, emphasis: bool = False) -> Iterator[Span]:
    """A text's words and formulas."""
    at = 0
    if "\\" in text or "$" in text:
        for found in markup.pattern.finditer(text):
            groups = found.groupdict()
            inline = groups["inline"] or groups.get("dollar")
            latex = clean_latex(inline or groups["display"] or groups.get("dollars") or found[0])
            if not latex:
                continue
            yield Span(text[at : found.start()], strong=strong, emphasis=emphasis)
            yield _formula(latex, display=not inline)
            at = found.end()
    yield Span(text[at:], strong=strong, emphasis=emphasis)


def formula_spans(element: Any, markup: TexMarkup) -> list[Span] | None:
    """The formula that the element is: none for a rendered copy of one; None for any other element."""
    tag = element.tag
    if tag == "math":
        return _spans(mathml_latex(element), display=element.get("display") == "block")
    if tag == "script":
        kind = element.get("type") or ""
        return _spans(clean_latex(element.text or ""), display="display" in kind) if "math/tex" in kind else None
    if tag == "img":
        return _picture(element)
    if tag == "mjx-container":
        return _first_math(element, display=element.get("display") == "true")
    classes = element.get("class")
    if not classes or (not markup.has_scripts and not _MATH_CLASS.search(classes)):
        return None
    names = classes.lower().split()
    if markup.has_scripts and not _RENDERED.isdisjoint(names):
        return []
    if "katex" in names or "katex-display" in names or "mwe-math-element" in names:
        return _first_math(element, display=not _DISPLAY_CLASSES.isdisjoint(names))
    if "math" in names and not len(element) and ("inline" in names or "display" in names):
        return _raw_tex(element, display="display" in names)
    return None


def _formula(latex: str, *, display: bool) -> Span:
    return Span(latex, SpanKind.DISPLAY_FORMULA if display else SpanKind.FORMULA)


def _spans(latex: str, *, display: bool) -> list[Span]:
    return [_formula(latex, display=display)] if latex else []


def _first_math(element: Any, *, display: bool) -> list[Span] | None:
    """The MathML or the picture that stands for the element."""
    math = next(element.iter("math"), None)
    if math is not None and (latex := mathml_latex(math)):
        return _spans(latex, display=display or math.get("display") == "block")
    image = next(element.iter("img"), None)
    return _picture(image) if image is not None else None


def _picture(image: Any) -> list[Span] | None:
    alternative = image.get("alt") or ""
    names = (image.get("class") or "").lower().split()
    if not alternative.startswith("{\\displaystyle") and not ("\\" in alternative and not _PICTURES.isdisjoint(names)):
        return None
    return _spans(clean_latex(alternative), display="mwe-math-fallback-image-display" in names)


def _raw_tex(element: Any, *, display: bool) -> list[Span] | None:
    text = (element.text or "").strip()
    if text.startswith(("\\(", "\\[", "$")):
        return None
    return _spans(clean_latex(text), display=display)
