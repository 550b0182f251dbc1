"""Reader of PowerPoint files: each slide a page with its title as heading; tables, diagrams and speaker notes too.

python-pptx gives the shapes; markitdown, built on it as well, has no pages, list levels, diagrams or limits.
"""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from lxml import etree
from pptx import Presentation

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.markdown_writer import DocumentText, MarkdownWriter
from sprout.documents.limits import ReadingLimits
from sprout.documents.zip_archive import check_entries, is_strict_ooxml, read_entries

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
_DIAGRAM_IDS = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_SKIPPED_PLACEHOLDERS = frozenset({"DATE", "FOOTER", "SLIDE_NUMBER", "HEADER"})
MAX_TITLE = 80
NOTE_PREFIX = "> "
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
    title_shape = slide.shapes.title
    title = title_shape.text_frame.text if title_shape is not None and title_shape.has_text_frame else ""
    shapes = [
        shape for shape in _flatten(slide.shapes) if title_shape is None or shape.shape_id != title_shape.shape_id
    ]
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    texts = [text for shape in shapes for _, text in _lines(shape)]
    noted = notes.text.strip() if notes is not None else ""
    tables = [shape for shape in shapes if getattr(shape, "has_table", False)]
    if not (title.strip() or texts or noted or tables):
        return
    out.write_heading(1, title if title.strip() else _fallback_title(texts, number))
    for shape in shapes:
        if getattr(shape, "has_table", False):
            out.write_table([cell.text for cell in row.cells] for row in shape.table.rows)
        else:
            _write_shape(out, shape)
    for paragraph in noted.splitlines():
        if paragraph.strip():
            out.write_paragraph(f"{NOTE_PREFIX}{paragraph}")


def _fallback_title(texts: list[str], number: int) -> str:
    """A heading for a slide without a title: its first words if they are few, else its number."""
    return texts[0] if texts and len(texts[0]) <= MAX_TITLE else str(number)


def _write_shape(out: MarkdownWriter, shape: Any) -> None:
    lines = list(_lines(shape))
    if len(lines) == 1:
        out.write_paragraph(lines[0][1])
        return
    for at, (level, text) in enumerate(lines):
        out.write_list_item(text, depth=level, first=at == 0)


def _flatten(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """The shapes in order, those of groups too; without date, footer and number of the slide."""
    if depth > _MAX_DEPTH:
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _flatten(shape.shapes, depth + 1)
        elif not (shape.is_placeholder and shape.placeholder_format.type.name in _SKIPPED_PLACEHOLDERS):
            yield shape


def _lines(shape: Any) -> list[tuple[int, str]]:
    """The paragraphs of a shape with their levels; those of a diagram as they stand in its data."""
    if shape.has_text_frame:
        found = [(paragraph.level, _paragraph_text(paragraph._p)) for paragraph in shape.text_frame.paragraphs]
    else:
        found = [(0, text) for text in _diagram_texts(shape)]
    return [(level, text) for level, text in found if text]


def _paragraph_text(element: Any) -> str:
    """Its runs, fields and formulas in order; a line break is a space."""
    return " ".join("".join(_runs(element)).split())


def _runs(element: Any) -> Iterator[str]:
    for child in element.iter():
        if isinstance(child.tag, str) and etree.QName(child).localname == "t":
            yield child.text or ""
        elif child.tag == f"{A}br":
            yield " "


def _diagram_texts(shape: Any) -> Iterator[str]:
    """The texts of a drawn diagram, which the slide only refers to."""
    ids = next(shape._element.iter(_DIAGRAM_IDS), None)
    relation = shape.part.rels.get(ids.get(_DIAGRAM_DATA)) if ids is not None else None
    if relation is None or relation.is_external or relation.reltype != _DIAGRAM:
        return
    root = etree.fromstring(relation.target_part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
    for paragraph in root.iter(f"{A}p"):
        yield _paragraph_text(paragraph)
