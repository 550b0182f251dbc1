"""Spans: pieces of inline content, tidied and split into lines and paragraphs before they are written."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sprout.documents.formats.formulas.latex import symbols_latex, text_latex
from sprout.learning.text.normalization import one_line


class SpanKind(StrEnum):
    """Kinds of inline content."""

    TEXT = "text"
    CODE = "code"
    FORMULA = "formula"
    DISPLAY_FORMULA = "display_formula"
    SUPERSCRIPT = "superscript"
    SUBSCRIPT = "subscript"
    NOTE = "note"
    PICTURE = "picture"
    BREAK = "break"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of inline content.

    Args:
        text: as the reader sees it; LaTeX of a formula, label of a note, description of a picture.
    """

    text: str
    kind: SpanKind = SpanKind.TEXT
    strong: bool = False
    emphasis: bool = False


LINE_BREAK = Span("\n", SpanKind.BREAK)
_JOINED = (SpanKind.TEXT, SpanKind.CODE)
_PLAIN = (SpanKind.TEXT, False, False)
_SUPERSCRIPTS = dict(
    zip("0123456789+-−=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True)
)
_SUBSCRIPTS = dict(zip("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_ORDINALS = frozenset("st nd rd th er ers re res ère e es ème d de a as o os me lle mes lles bis ter".split())
_MAX_SCRIPT = 60
_MAX_UNICODE_WORD = 4


def split_blocks(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """The spans of each paragraph: an empty line parts two, and a displayed formula stands alone."""
    content = list(spans)
    kinds = {span.kind for span in content}
    if SpanKind.BREAK not in kinds and SpanKind.DISPLAY_FORMULA not in kinds:
        yield content
        return
    block: list[Span] = []
    breaks = 0
    for span in content:
        if span.kind == SpanKind.DISPLAY_FORMULA or (breaks > 1 and span.text.strip() and span.kind != SpanKind.BREAK):
            yield block
            block = []
        breaks = breaks + 1 if span.kind == SpanKind.BREAK else breaks if not span.text.strip() else 0
        if span.kind == SpanKind.DISPLAY_FORMULA:
            yield [span]
        else:
            block.append(span)
    yield block


def replace_breaks(spans: Iterable[Span]) -> list[Span]:
    """The spans on one line."""
    return [Span(" ") if span.kind == SpanKind.BREAK else span for span in spans]


def split_lines(spans: Iterable[Span]) -> list[list[Span]]:
    """The tidied spans of each line; an empty list for an empty line."""
    lines: list[list[Span]] = [[]]
    for span in spans:
        if span.kind == SpanKind.BREAK:
            lines.append([])
        else:
            lines[-1].append(span)
    return [tidy_spans(line) for line in lines]


def tidy_spans(spans: Iterable[Span]) -> list[Span]:
    """The spans of a line with single spaces between words and none at the ends; equal neighbours are one."""
    line = list(spans)
    if {_likeness(span) for span in line} <= {_PLAIN}:
        text = one_line("".join([span.text for span in line]))
        return [Span(text)] if text else []
    return _tidy_marked(line)


def _tidy_marked(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for span in _merged(spans):
        text = one_line(span.text)
        starts, ends = span.text[0].isspace(), span.text[-1].isspace()
        spaced = not found or (found[-1].kind == SpanKind.TEXT and found[-1].text.endswith(" "))
        if span.kind == SpanKind.TEXT:
            text = f"{'' if spaced or not starts else ' '}{text}{' ' if ends and text else ''}"
        elif span.kind == SpanKind.CODE and starts and not spaced:
            found.append(Span(" "))
        if text:
            found.append(span if text == span.text else Span(text, span.kind, span.strong, span.emphasis))
        if span.kind == SpanKind.CODE and ends and text:
            found.append(Span(" "))
    return _without_trailing_space(found)


def _without_trailing_space(spans: list[Span]) -> list[Span]:
    if spans and spans[-1].kind == SpanKind.TEXT:
        last = spans.pop()
        if text := last.text.rstrip():
            spans.append(Span(text, last.kind, last.strong, last.emphasis))
    return spans


def _likeness(span: Span) -> tuple[SpanKind, bool, bool]:
    """What neighbours have in common that are written as one; code is, however its words are highlighted."""
    return (span.kind, False, False) if span.kind == SpanKind.CODE else (span.kind, span.strong, span.emphasis)


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans that have text, equal neighbours as one."""
    same: list[Span] = []
    for raw in spans:
        if not raw.text:
            continue
        span = raw if raw.kind in _JOINED else _as_text_where_plain(raw)
        if same and not (span.kind in _JOINED and _likeness(same[0]) == _likeness(span)):
            yield _joined(same)
            same = []
        same.append(span)
    if same:
        yield _joined(same)


def _joined(same: Sequence[Span]) -> Span:
    if len(same) == 1:
        return same[0]
    strong, emphasis = all(span.strong for span in same), all(span.emphasis for span in same)
    return Span("".join([span.text for span in same]), same[0].kind, strong, emphasis)


def _as_text_where_plain(span: Span) -> Span:
    """A raised or lowered span as text, where Unicode has its characters or the position means nothing."""
    if span.kind in (SpanKind.NOTE, SpanKind.PICTURE):
        return Span(span.text, span.kind)
    if span.kind not in (SpanKind.SUPERSCRIPT, SpanKind.SUBSCRIPT):
        return span
    text = span.text.strip()
    if text == "TM":
        return replace(span, text="™", kind=SpanKind.TEXT)
    table = _SUPERSCRIPTS if span.kind == SpanKind.SUPERSCRIPT else _SUBSCRIPTS
    if span.kind == SpanKind.SUPERSCRIPT and text.casefold() in _ORDINALS and len(text) > 1:
        return replace(span, kind=SpanKind.TEXT)
    is_word = len(text) > _MAX_UNICODE_WORD and text.isalpha()
    if text and not is_word and all(character in table or not character.isalnum() for character in text):
        return replace(span, text="".join(table.get(character, character) for character in text), kind=SpanKind.TEXT)
    if len(text) > _MAX_SCRIPT or not any(character.isalnum() for character in text):
        return replace(span, kind=SpanKind.TEXT)
    sign = "^" if span.kind == SpanKind.SUPERSCRIPT else "_"
    inner = symbols_latex(text) if len(text) == 1 or (not text.isalpha() and " " not in text) else text_latex(text)
    return Span(f"{sign}{{{inner}}}", SpanKind.FORMULA)
