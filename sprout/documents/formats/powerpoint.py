"""Reader of PowerPoint files: each slide a page with its title as heading, below that of the slide that opens a part of
the talk; lists, tables, formulas, diagrams and speaker notes too.

python-pptx gives the shapes; markitdown, built on it as well, has no pages, list levels, diagrams or limits.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.built_slides import are_shown_again
from sprout.documents.formats.markdown_writer import DocumentText, MarkdownWriter
from sprout.documents.formats.office.alternative_text import written_description
from sprout.documents.formats.office.slide_content import SlideContent, SlideLine, has_text
from sprout.documents.formats.office.slide_inline import A, P, choose_alternatives, paragraph_spans
from sprout.documents.formats.spans import Span, SpanKind
from sprout.documents.limits import ReadingLimits
from sprout.documents.zip_archive import check_entries, is_strict_ooxml, read_entries
from sprout.learning.structure.heading_roles import named_role
from sprout.learning.text.normalization import one_line

_DIAGRAM = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
_DIAGRAM_IDS = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_SKIPPED_PLACEHOLDERS = frozenset({"DATE", "FOOTER", "SLIDE_NUMBER", "HEADER"})
_PICTURES = (MSO_SHAPE_TYPE.PICTURE, MSO_SHAPE_TYPE.LINKED_PICTURE, MSO_SHAPE_TYPE.CHART, MSO_SHAPE_TYPE.PLACEHOLDER)
MAX_TITLE, MIN_RUNNING = 80, 3
HEAD = 0.25  # of a slide's height, in which what stands topmost is its title
_SECTION_HEADER = "secHead"  # a layout's type
_SENTENCE = re.compile(r"(?:\S+\s+){4}.*[.:;,]$")  # or what leads one in
_BULLET = re.compile(r"^\s*[•▪◦‣]\s+")
_MAX_DEPTH = 50


def read_powerpoint(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text of all slides in their order. Raises UnreadableDocument."""
    entries = read_entries(content)
    check_entries(content, entries, limits)
    if is_strict_ooxml(content, entries):
        raise unreadable(UnreadableReason.STRICT_OOXML)
    presentation = Presentation(BytesIO(content))
    head = HEAD * (presentation.slide_height or 0)
    slides = [_read_slide(slide, head) for slide in presentation.slides]
    shown_again = are_shown_again([_all_texts(slide) for slide in slides])
    running = _running_lines([slide for slide, is_again in zip(slides, shown_again, strict=True) if not is_again])
    out = MarkdownWriter(limits)
    level = 1
    for slide, opens_part, is_again in zip(slides, _part_openers(slides), shown_again, strict=True):
        out.begin_page()
        if not is_again:
            _write_slide(out, _heading(slide, running), slide, level=1 if opens_part else level)
        level = 2 if opens_part else level
    return out.finish()


@dataclass(frozen=True, slots=True)
class _Slide:
    """Title of a slide, if it has one, what its shapes say, and the speaker's notes.

    Args:
        only_titled: whether there is next to nothing on it but its title.
    """

    title: Sequence[Span]
    contents: Sequence[SlideContent]
    notes: Sequence[SlideLine]
    only_titled: bool = False


def _read_slide(slide: Any, head: float) -> _Slide:
    choose_alternatives(slide._element)
    title_shape = slide.shapes.title
    if not has_text(_title_spans(title_shape)):
        title_shape = _title_box(slide.shapes, head) or title_shape
    shapes = [
        shape for shape in _flatten(slide.shapes) if title_shape is None or shape.shape_id != title_shape.shape_id
    ]
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    title = _title_spans(title_shape)
    name = _text(title)
    others = [
        shape for shape in shapes if not shape.has_text_frame or one_line(shape.text_frame.text) not in ("", name)
    ]
    is_header = slide.slide_layout._element.get("type") == _SECTION_HEADER
    return _Slide(
        title,
        [content for shape in others if (content := _content(shape))],
        _lines(notes.paragraphs) if notes is not None else [],
        only_titled=bool(name) and (not others or is_header) and named_role(name) is None,
    )


def _title_box(shapes: Iterable[Any], head: float) -> Any:
    """The topmost text of a slide without a title, if it is a short line in the head of it; else None."""
    boxes = [one for one in shapes if one.has_text_frame and one.text_frame.text.strip() and not _is_skipped(one)]
    box = min(boxes, key=lambda one: one.top or 0, default=None)
    lines = _lines(box.text_frame.paragraphs) if box is not None and (box.top or 0) < head else []
    return box if len(lines) == 1 and _names_slide(lines) else None


def _names_slide(lines: Sequence[SlideLine]) -> bool:
    """Whether the first line of a text can be the title: few words, no sentence or code, and no item among others."""
    first, *others = lines
    text = _text(first.spans)
    if _is_code(first.spans) or _SENTENCE.search(text) or text.isdigit() or len(text) > MAX_TITLE:
        return False
    return not others or others[0].level > first.level or all(span.strong for span in first.spans)


def _part_openers(slides: Sequence[_Slide]) -> list[bool]:
    """Whether each slide says what the slides after it are about: one whose neighbour has its title goes on with it."""
    names = ["", *(_text(slide.title) for slide in slides), ""]
    return [
        slide.only_titled and names[at] not in (names[at - 1], names[at + 1])
        for at, slide in enumerate(slides, start=1)
    ]


def _write_slide(out: MarkdownWriter, heading: Sequence[Span], slide: _Slide, *, level: int) -> None:
    """Write heading, shapes and notes; nothing for a slide without text."""
    if not (has_text(slide.title) or slide.contents or slide.notes):
        return
    if heading:
        out.write_heading_spans(level, heading)
    for content in slide.contents:
        content.write(out)
    if slide.notes:
        with out.quote():
            for line in slide.notes:
                out.write_spans(line.spans)


def _running_lines(slides: Sequence[_Slide]) -> frozenset[str]:
    """The lines that stand on half of the slides, three at least: a title on all of them names none."""
    said = Counter(
        text
        for slide in slides
        for text in {_text(slide.title), *(_text(one.spans) for one in _all_lines(slide.contents))}
    )
    return frozenset(text for text, count in said.items() if count >= max(MIN_RUNNING, len(slides) / 2))


def _title_spans(shape: Any) -> list[Span]:
    if shape is None or not shape.has_text_frame:
        return []
    return [span for paragraph in shape.text_frame.paragraphs for span in (*paragraph_spans(paragraph._p), Span(" "))]


def _heading(slide: _Slide, running: frozenset[str]) -> Sequence[Span]:
    """The title of a slide; without one of its own the line that its text begins with, if that can be one; without
    that it goes on with the slide before it."""
    if _text(slide.title) not in {"", *running}:
        return slide.title
    for content in slide.contents:
        if lines := [one for one in content.lines if _text(one.spans) not in running and not _is_code(one.spans)]:
            return lines[0].spans if _names_slide(lines) else ()
    return ()


def _is_code(spans: Iterable[Span]) -> bool:
    return all(span.kind is SpanKind.CODE or not span.text.strip() for span in spans)


def _all_lines(contents: Iterable[SlideContent]) -> Iterator[SlideLine]:
    return (line for content in contents for line in content.lines)


def _all_texts(slide: _Slide) -> list[str]:
    """The title of a slide, and all else that stands on it and in its notes, line by line."""
    lines = [_text(line.spans) for line in (*_all_lines(slide.contents), *slide.notes)]
    rows = [" | ".join(map(_text, row)) for content in slide.contents for row in content.rows]
    return [_text(slide.title), *lines, *rows, *(one.description for one in slide.contents if one.description)]


def _text(spans: Iterable[Span]) -> str:
    return one_line("".join(span.text for span in spans))


def _flatten(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """The shapes in order, those of groups too; without date, footer and number of the slide."""
    if depth > _MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _flatten(shape.shapes, depth + 1)
        elif not _is_skipped(shape):
            yield shape


def _is_skipped(shape: Any) -> bool:
    return shape.is_placeholder and shape.placeholder_format.type.name in _SKIPPED_PLACEHOLDERS


def _content(shape: Any) -> SlideContent | None:
    """The text of a shape; None for one without words."""
    if getattr(shape, "has_table", False):
        return SlideContent(rows=_rows(shape.table), header=shape.table.first_row)
    if shape.has_text_frame:
        lines = _lines(shape.text_frame.paragraphs)
    else:
        lines = [SlideLine(spans) for spans in _diagram_texts(shape) if has_text(spans)]
    if lines:
        return SlideContent(lines=tuple(lines))
    description = written_description(_description(shape)) if shape.shape_type in _PICTURES else ""
    return SlideContent(description=description) if description else None


def _lines(paragraphs: Iterable[Any]) -> list[SlideLine]:
    """The paragraphs with words, with their levels and whether they are numbered."""
    found = []
    for paragraph in paragraphs:
        spans = _without_bullet(tuple(paragraph_spans(paragraph._p)))
        if has_text(spans):
            properties = paragraph._p.pPr
            numbered = properties is not None and properties.find(f"{A}buAutoNum") is not None
            found.append(SlideLine(spans, paragraph.level, numbered))
    return found


def _without_bullet(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """The spans without a bullet that was typed before them."""
    return (replace(spans[0], text=_BULLET.sub("", spans[0].text)), *spans[1:]) if spans else spans


def _rows(table: Any) -> list[list[list[Span]]]:
    return [[_cell_spans(cell) for cell in row.cells] for row in table.rows]


def _cell_spans(cell: Any) -> list[Span]:
    return [span for line in _lines(cell.text_frame.paragraphs) for span in (*line.spans, Span(" "))]


def _description(shape: Any) -> str | None:
    found = next(shape._element.iter(f"{P}cNvPr"), None)
    return found.get("descr") if found is not None else None


def _diagram_texts(shape: Any) -> Iterator[tuple[Span, ...]]:
    """The texts of a drawn diagram, which the slide only refers to."""
    ids = next(shape._element.iter(_DIAGRAM_IDS), None)
    relation = shape.part.rels.get(ids.get(_DIAGRAM_DATA)) if ids is not None else None
    if relation is None or relation.is_external or relation.reltype != _DIAGRAM:
        return
    root = etree.fromstring(relation.target_part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
    for paragraph in root.iter(f"{A}p"):
        yield tuple(paragraph_spans(paragraph))
