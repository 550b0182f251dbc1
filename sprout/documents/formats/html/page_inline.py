"""Inline content of a web page as spans: emphasis, code, scripts, formulas, notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.html.page_content import is_left_out
from sprout.documents.formats.html.page_formulas import TexMarkup, formula_spans, text_spans
from sprout.documents.formats.html.page_notes import PageNotes, is_back_link
from sprout.documents.formats.spans import LINE_BREAK, Span, SpanKind

MAX_DEPTH = 300
_STRONG = frozenset({"b", "strong"})
_EMPHASIS = frozenset({"i", "em", "cite", "dfn", "var"})
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_SCRIPTS = {"sup": SpanKind.SUPERSCRIPT, "sub": SpanKind.SUBSCRIPT}
_APART = frozenset(
    "address article aside blockquote center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 "
    "h5 h6 header hr legend li main ol p pre section summary table tbody td th thead tr ul".split()
)
AROUND = {"q": ("“", "”"), "rt": ("(", ")")}
_WEIGHT = re.compile(r"font-weight\s*:\s*(bold|[6-9]00|normal|[1-5]00)", re.IGNORECASE)
_SLANT = re.compile(r"font-style\s*:\s*(italic|oblique|normal)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageMarks:
    """Notes and TeX of the page, which decide how its inline content is read."""

    notes: PageNotes
    tex: TexMarkup


@dataclass(frozen=True, slots=True)
class InlineStyle:
    """Emphasis that elements inherit."""

    strong: bool = False
    emphasis: bool = False

    def within(self, element: Any, tag: str) -> "InlineStyle":
        """The style of the element's content."""
        strong, emphasis = self.strong or tag in _STRONG, self.emphasis or tag in _EMPHASIS
        style = element.get("style")
        if style and (weight := _WEIGHT.search(style)):
            strong = weight[1].lower() == "bold" or weight[1][0] in "6789"
        if style and (slant := _SLANT.search(style)):
            emphasis = slant[1].lower() != "normal"
        if strong == self.strong and emphasis == self.emphasis:
            return self
        return InlineStyle(strong, emphasis)


PLAIN = InlineStyle()


def text(content: str | None, style: InlineStyle, marks: PageMarks) -> Iterator[Span]:
    """Spans of an element's own text."""
    if content:
        yield from text_spans(content, marks.tex, strong=style.strong, emphasis=style.emphasis)


def whole_element(element: Any, style: InlineStyle, marks: PageMarks) -> list[Span] | None:
    """Spans of an element that is read as a whole; None where its parts are read one after another."""
    tag = element.tag
    formula = formula_spans(element, marks.tex)
    if formula is not None:
        return formula
    if tag == "br":
        return [LINE_BREAK]
    if tag in _CODE:
        code = visible_text(element)
        return [Span(code, SpanKind.CODE, style.strong, style.emphasis)] if code.strip() else [Span(code)]
    if tag in _SCRIPTS:
        return _script(element, style, marks)
    if tag == "a":
        return _link(element, marks)
    return None


def _script(element: Any, style: InlineStyle, marks: PageMarks) -> list[Span] | None:
    notes = [Span(label, SpanKind.NOTE) for link in element.iter("a") if (label := marks.notes.references.get(link))]
    if notes:
        return notes
    if next(element.iter("math", "img", "script"), None) is not None:
        return None
    raised = visible_text(element)
    return [Span(raised, _SCRIPTS[element.tag], style.strong, style.emphasis)] if raised.strip() else []


def _link(element: Any, marks: PageMarks) -> list[Span] | None:
    label = marks.notes.references.get(element)
    if label is not None:
        return [Span(label, SpanKind.NOTE)]
    return [] if is_back_link(element, marks.notes) else None


def inline_spans(element: Any, marks: PageMarks, style: InlineStyle = PLAIN, depth: int = 0) -> Iterator[Span]:
    """Visible content of the element in one block; lines are joined with spaces."""
    if depth > MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    yield from text(element.text, style, marks)
    for child in element:
        yield from _child_spans(child, marks, style, depth + 1)
        yield from text(child.tail, style, marks)


def _child_spans(child: Any, marks: PageMarks, style: InlineStyle, depth: int) -> Iterator[Span]:
    tag = child.tag
    if not isinstance(tag, str):
        return
    whole = whole_element(child, style, marks)
    if whole is not None:
        yield from (
            replace(span, kind=SpanKind.FORMULA) if span.kind == SpanKind.DISPLAY_FORMULA else span for span in whole
        )
        return
    if is_left_out(child):
        return
    before, after = AROUND.get(tag, ("", ""))
    yield Span(before)
    if tag in _APART:
        yield Span(" ")
    if tag == "pre":
        yield Span(visible_text(child), SpanKind.CODE)
    else:
        yield from inline_spans(child, marks, style.within(child, tag), depth)
    if tag in _APART:
        yield Span(" ")
    yield Span(after)


def visible_text(element: Any, depth: int = 0) -> str:
    """The text inside as it stands, with a line for each break."""
    return "".join(_visible_parts(element, depth))


def _visible_parts(element: Any, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    yield element.text or ""
    for child in element:
        if child.tag == "br":
            yield "\n"
        elif isinstance(child.tag, str) and not is_left_out(child):
            yield from _visible_parts(child, depth + 1)
        yield child.tail or ""
