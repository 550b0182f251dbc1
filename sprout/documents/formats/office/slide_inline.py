"""Inline content of a slide's paragraphs as spans."""

from collections.abc import Iterator
from typing import Any

from lxml import etree

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.fonts import is_monospace
from sprout.documents.formats.formulas.omml import FORMULA, FORMULA_PARAGRAPH, omml_latex
from sprout.documents.formats.spans import LINE_BREAK, Span, SpanKind

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_SHAPES = frozenset(f"{P}{name}" for name in ("sp", "grpSp", "graphicFrame", "cxnSp", "pic"))
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_FALLBACK = f"{_COMPATIBILITY}Fallback"
_ALTERNATIVES = f"{_COMPATIBILITY}AlternateContent"
_RUNS = frozenset({"r", "fld"})
_MAX_DEPTH = 50


def choose_alternatives(slide: Any) -> None:
    """Put shapes that are alternatives in their place: python-pptx sees none of them, and formulas stand there."""
    for alternatives in list(slide.iter(_ALTERNATIVES)):
        parent = alternatives.getparent()
        if parent is None or parent.tag not in (f"{P}spTree", f"{P}grpSp"):
            continue
        for choice in alternatives:
            if len(choice) and all(shape.tag in _SHAPES for shape in choice):
                at = parent.index(alternatives)
                parent[at : at + 1] = list(choice)
                break


def paragraph_spans(paragraph: Any, depth: int = 0) -> Iterator[Span]:
    """Runs, fields and formulas of a paragraph in order."""
    if depth > _MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    for child in paragraph:
        if not isinstance(child.tag, str) or child.tag == _FALLBACK:
            continue
        name = etree.QName(child).localname
        if child.tag in (FORMULA, FORMULA_PARAGRAPH):
            if latex := omml_latex(child):
                yield Span(latex, SpanKind.FORMULA if child.tag == FORMULA else SpanKind.DISPLAY_FORMULA)
        elif name in _RUNS:
            yield _run(child)
        elif name == "br":
            yield LINE_BREAK
        elif name == "t":
            yield Span(child.text or "")
        elif name not in ("pPr", "endParaRPr"):
            yield from paragraph_spans(child, depth + 1)


def _run(run: Any) -> Span:
    text = "".join(part.text or "" for part in run.iter(f"{A}t"))
    properties = run.find(f"{A}rPr")
    if properties is None:
        return Span(text)
    font = properties.find(f"{A}latin")
    raised = properties.get("baseline") or "0"
    kind = SpanKind.TEXT
    if raised not in ("0", "0%"):
        kind = SpanKind.SUBSCRIPT if raised.startswith("-") else SpanKind.SUPERSCRIPT
    elif font is not None and is_monospace(font.get("typeface")):
        kind = SpanKind.CODE
    return Span(text, kind, properties.get("b") in ("1", "true"), properties.get("i") in ("1", "true"))
