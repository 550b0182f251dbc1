"""Inline content of Word files as spans, with tracked changes accepted."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.formulas.omml import FORMULA, FORMULA_PARAGRAPH, omml_latex
from sprout.documents.formats.office.alternative_text import written_description
from sprout.documents.formats.office.word_notes import NOTE_REFERENCES, WordNotes
from sprout.documents.formats.spans import LINE_BREAK, Span, SpanKind
from sprout.documents.formats.word_styles import Styles, W, run_format

_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
SKIPPED_TAGS = frozenset({f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}rPr", f"{W}pPr", f"{W}sdtPr", _FALLBACK})
TEXT_BOX = f"{W}txbxContent"
MAX_DEPTH = 250
_REPLACEMENTS = {f"{W}tab": "\t", f"{W}noBreakHyphen": "-", f"{W}ptab": "\t"}
_DESCRIPTION = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_RUN = f"{W}r"
_STYLE, _POSITION, _HIDDEN, _VAL = (f"{W}{name}" for name in ("rStyle", "vertAlign", "vanish", "val"))
_SCRIPTS = {"superscript": SpanKind.SUPERSCRIPT, "subscript": SpanKind.SUBSCRIPT}


@dataclass(frozen=True, slots=True)
class WordContext:
    """Parts of a file that its inline content refers to."""

    styles: Styles
    notes: WordNotes


@dataclass(frozen=True, slots=True)
class _Run:
    """Formatting of the run that is being read."""

    strong: bool = False
    emphasis: bool = False
    kind: SpanKind = SpanKind.TEXT

    def span(self, text: str) -> Span:
        return Span(text, self.kind, self.strong, self.emphasis)


_MAX_CODE_LINE = 160
_PLAIN_RUN = _Run()


def paragraph_spans(paragraph: Any, context: WordContext) -> list[Span]:
    """The content of a paragraph, without that of its text boxes."""
    return list(_spans(paragraph, context, _PLAIN_RUN, 0))


def _spans(element: Any, context: WordContext, run: _Run, depth: int) -> Iterator[Span]:
    if depth > MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    for child in element:
        tag = child.tag
        if tag == _RUN:
            inner = _run(child, context)
            if inner is not None:
                yield from _spans(child, context, inner, depth + 1)
        elif (leaf := _LEAVES.get(tag)) is not None:
            yield from leaf(child, context, run)
        elif isinstance(tag, str) and tag not in SKIPPED_TAGS and tag != TEXT_BOX:
            yield from _spans(child, context, run, depth + 1)


def _text(element: Any, context: WordContext, run: _Run) -> Iterator[Span]:
    yield run.span(_REPLACEMENTS.get(element.tag) or element.text or "")


def _break(element: Any, context: WordContext, run: _Run) -> Iterator[Span]:
    yield LINE_BREAK


def _formula(element: Any, context: WordContext, run: _Run) -> Iterator[Span]:
    if latex := omml_latex(element):
        yield Span(latex, SpanKind.FORMULA if element.tag == FORMULA else SpanKind.DISPLAY_FORMULA)


def _note(element: Any, context: WordContext, run: _Run) -> Iterator[Span]:
    if label := context.notes.label(element):
        yield Span(label, SpanKind.NOTE)


def _picture(element: Any, context: WordContext, run: _Run) -> Iterator[Span]:
    if text := written_description(element.get("descr")):
        yield Span(text, SpanKind.PICTURE)


_LEAVES: Mapping[str, Callable[[Any, WordContext, _Run], Iterator[Span]]] = MappingProxyType(
    {
        f"{W}t": _text,
        **dict.fromkeys(_REPLACEMENTS, _text),
        f"{W}br": _break,
        f"{W}cr": _break,
        FORMULA: _formula,
        FORMULA_PARAGRAPH: _formula,
        **dict.fromkeys(NOTE_REFERENCES, _note),
        _DESCRIPTION: _picture,
    }
)


def _run(element: Any, context: WordContext) -> _Run | None:
    """The run's formatting; None if it is hidden."""
    set_here = element.find(f"{W}rPr")
    if set_here is None:
        return _PLAIN_RUN
    properties = list(set_here)
    found = run_format(properties)
    kind = SpanKind.TEXT
    for child in properties:
        if child.tag == _STYLE and (style := child.get(_VAL)):
            found = found.over(context.styles.run(style))
        elif child.tag == _POSITION:
            kind = _SCRIPTS.get(child.get(_VAL) or "", SpanKind.TEXT)
        elif child.tag == _HIDDEN and child.get(_VAL, "1") not in ("0", "false"):
            return None
    if found.code and not context.styles.body_is_monospace:
        kind = SpanKind.CODE
    if kind == SpanKind.TEXT and not found.strong and not found.emphasis:
        return _PLAIN_RUN
    return _Run(bool(found.strong), bool(found.emphasis), kind)


def code_line(spans: list[Span], *, monospace: bool) -> str | None:
    """The paragraph as code, its white space kept; None where it has other text, or lines as long as those of prose.

    Args:
        monospace: whether the paragraph's style makes all of it code.
    """
    visible = [span for span in spans if span.text.strip()]
    code = (SpanKind.CODE, SpanKind.TEXT, SpanKind.BREAK) if monospace else (SpanKind.CODE, SpanKind.BREAK)
    if not visible or any(span.kind not in code for span in visible):
        return None
    lines = "".join(span.text for span in spans)
    prose = not monospace and max(map(len, lines.split("\n"))) > _MAX_CODE_LINE
    return None if prose else lines


def text_boxes(element: Any, depth: int = 0) -> Iterator[Any]:
    """The text boxes that are anchored in a paragraph."""
    if depth > MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    for child in element:
        if child.tag == TEXT_BOX:
            yield child
        elif isinstance(child.tag, str) and child.tag not in SKIPPED_TAGS:
            yield from text_boxes(child, depth + 1)
