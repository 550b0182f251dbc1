"""Reader of PowerPoint files: each slide a page with its title as heading; lists, tables, formulas, diagrams
and speaker notes too.

python-pptx gives the shapes; markitdown, built on it as well, has no pages, list levels, diagrams or limits.
"""

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.markdown_writer import DocumentText, MarkdownWriter
from sprout.documents.formats.office.alternative_text import written_description
from sprout.documents.formats.office.slide_content import SlideContent, SlideLine, has_text
from sprout.documents.formats.office.slide_inline import A, P, choose_alternatives, paragraph_spans
from sprout.documents.formats.spans import Span
from sprout.documents.limits import ReadingLimits
from sprout.documents.zip_archive import check_entries, is_strict_ooxml, read_entries
from sprout.learning.text.normalization import one_line

_DIAGRAM = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
_DIAGRAM_IDS = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_SKIPPED_PLACEHOLDERS = frozenset({"DATE", "FOOTER", "SLIDE_NUMBER", "HEADER"})
_PICTURES = (MSO_SHAPE_TYPE.PICTURE, MSO_SHAPE_TYPE.LINKED_PICTURE, MSO_SHAPE_TYPE.CHART, MSO_SHAPE_TYPE.PLACEHOLDER)
MAX_TITLE = 80
_MAX_DEPTH = 50


def read_powerpoint(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text of all slides in their order. Raises UnreadableDocument."""
    entries = read_entries(content)
    check_entries(content, entries, limits)
    if is_strict_ooxml(content, entries):
        raise unreadable(UnreadableReason.STRICT_OOXML)
    out = MarkdownWriter(limits)
    for number, slide in enumerate(Presentation(BytesIO(content)).slides, start=1):
        out.begin_page()
        _write_slide(out, number, slide)
    return out.finish()


def _write_slide(out: MarkdownWriter, number: int, slide: Any) -> None:
    """Write title, shapes and notes; nothing for a slide without text."""
    choose_alternatives(slide._element)
    title_shape = slide.shapes.title
    title = _title_spans(title_shape)
    shapes = [
        shape for shape in _flatten(slide.shapes) if title_shape is None or shape.shape_id != title_shape.shape_id
    ]
    contents = [content for shape in shapes if (content := _content(shape))]
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    noted = _lines(notes.paragraphs) if notes is not None else []
    if not (has_text(title) or contents or noted):
        return
    out.write_heading_spans(1, title if has_text(title) else _fallback_title(contents, number))
    for content in contents:
        content.write(out)
    if noted:
        with out.quote():
            for line in noted:
                out.write_spans(line.spans)


def _title_spans(shape: Any) -> list[Span]:
    if shape is None or not shape.has_text_frame:
        return []
    return [span for paragraph in shape.text_frame.paragraphs for span in (*paragraph_spans(paragraph._p), Span(" "))]


def _fallback_title(contents: Sequence[SlideContent], number: int) -> list[Span]:
    """A heading for a slide without a title: its first words if they are few, else its number."""
    first = next((content.lines[0].spans for content in contents if content.lines), ())
    text = one_line("".join(span.text for span in first))
    return list(first) if 0 < len(text) <= MAX_TITLE else [Span(str(number))]


def _flatten(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """The shapes in order, those of groups too; without date, footer and number of the slide."""
    if depth > _MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _flatten(shape.shapes, depth + 1)
        elif not (shape.is_placeholder and shape.placeholder_format.type.name in _SKIPPED_PLACEHOLDERS):
            yield shape


def _content(shape: Any) -> SlideContent | None:
    """What a shape says; None for one without words."""
    if getattr(shape, "has_table", False):
        return SlideContent(rows=_rows(shape.table))
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
        spans = tuple(paragraph_spans(paragraph._p))
        if has_text(spans):
            properties = paragraph._p.pPr
            numbered = properties is not None and properties.find(f"{A}buAutoNum") is not None
            found.append(SlideLine(spans, paragraph.level, numbered))
    return found


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
