"""Spans: pieces of inline content, tidied and split into lines and paragraphs before they are written."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

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
_SUPERSCRIPTS = dict(
    zip("0123456789+-−=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True)
)
_SUBSCRIPTS = dict(zip("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_ORDINALS = frozenset("st nd rd th er ers re res ère e es ème d de a as o os me lle mes lles bis ter".split())
_MAX_SCRIPT = 60
_MAX_UNICODE_WORD = 4
_SPACE = re.compile(r"\s+")


def split_blocks(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """The spans of each paragraph: an empty line parts two, and a displayed formula stands alone."""
    content = list(spans)
    if not any(span.kind in (SpanKind.BREAK, SpanKind.DISPLAY_FORMULA) for span in content):
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
    if all(span.kind == SpanKind.TEXT and not span.strong and not span.emphasis for span in line):
        text = one_line("".join([span.text for span in line]))
        return [Span(text)] if text else []
    return _tidy_marked(line)


def _tidy_marked(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for span in _merged(_spaced_code(_merged(map(_as_text_where_plain, spans)))):
        text = _collapsed(span)
        if span.kind == SpanKind.TEXT and (not found or _ends_with_space(found[-1])):
            text = text.lstrip()
        if text:
            found.append(span if text == span.text else Span(text, span.kind, span.strong, span.emphasis))
    if found and _ends_with_space(found[-1]):
        last = found.pop()
        if text := last.text.rstrip():
            found.append(replace(last, text=text))
    return found


def _collapsed(span: Span) -> str:
    """The span's text with hidden characters removed and white space collapsed; single spaces at its ends stay."""
    if span.kind != SpanKind.TEXT:
        return one_line(span.text)
    text = _SPACE.sub(" ", span.text)
    if text.isspace():
        return " "
    return f"{' ' if text[:1] == ' ' else ''}{one_line(text)}{' ' if text[-1:] == ' ' else ''}" if text else ""


def _ends_with_space(span: Span) -> bool:
    return span.kind == SpanKind.TEXT and span.text.endswith(" ")


def _has_text(span: Span) -> bool:
    return bool(span.text)


def _likeness(span: Span) -> tuple[SpanKind, bool, bool]:
    """What neighbours have in common that are written as one; code is, however its words are highlighted."""
    return (span.kind, False, False) if span.kind == SpanKind.CODE else (span.kind, span.strong, span.emphasis)


def _merged(spans: Iterable[Span]) -> Iterable[Span]:
    for (kind, _, _), same in groupby(filter(_has_text, spans), key=_likeness):
        found = list(same)
        if len(found) > 1 and kind in (SpanKind.TEXT, SpanKind.CODE):
            text = "".join(span.text for span in found)
            yield Span(text, kind, all(span.strong for span in found), all(span.emphasis for span in found))
        else:
            yield from found


def _spaced_code(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans, with the white space at the ends of code beside it."""
    for span in spans:
        if span.kind != SpanKind.CODE or span.text == span.text.strip():
            yield span
        elif not span.text.strip():
            yield Span(" ")
        else:
            yield from (Span(" " if span.text[0].isspace() else ""), span, Span(" " if span.text[-1].isspace() else ""))


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
