"""A PowerPoint file as text: a slide is a page, its title a heading; tables, diagrams and the speaker's notes too."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from lxml import etree
from pptx import Presentation

from sprout.documents.archive import entries_of, inspect, looks_strict
from sprout.documents.limits import ReadingLimits
from sprout.documents.manuscript import Draft, Manuscript
from sprout.documents.reasons import Reason, unreadable

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
_DIAGRAM_IDS = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_NOT_CONTENT = frozenset({"DATE", "FOOTER", "SLIDE_NUMBER", "HEADER"})
MAX_TITLE = 80
NOTES = "> "
_DEEPEST = 50


def slides_draft(content: bytes, limits: ReadingLimits) -> Draft:
    """The text of all slides in their order. Raises Unreadable."""
    entries = entries_of(content)
    inspect(content, entries, limits)
    if looks_strict(content, entries):
        raise unreadable(Reason.STRICT)
    out = Manuscript(limits)
    for number, slide in enumerate(Presentation(BytesIO(content)).slides, start=1):
        out.begin_page()
        _slide(out, number, slide)
    return out.finished()


def _slide(out: Manuscript, number: int, slide: Any) -> None:
    """Its title, what stands on it, and its notes; without any words, nothing."""
    title_shape = slide.shapes.title
    title = title_shape.text_frame.text if title_shape is not None and title_shape.has_text_frame else ""
    shapes = [shape for shape in _flat(slide.shapes) if title_shape is None or shape.shape_id != title_shape.shape_id]
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    said = [text for shape in shapes for _, text in _lines(shape)]
    noted = notes.text.strip() if notes is not None else ""
    tables = [shape for shape in shapes if getattr(shape, "has_table", False)]
    if not (title.strip() or said or noted or tables):
        return
    out.heading(1, title if title.strip() else _instead(said, number))
    for shape in shapes:
        if getattr(shape, "has_table", False):
            out.table([cell.text for cell in row.cells] for row in shape.table.rows)
        else:
            _written(out, shape)
    for paragraph in noted.splitlines():
        if paragraph.strip():
            out.paragraph(f"{NOTES}{paragraph}")


def _instead(said: list[str], number: int) -> str:
    """A heading for a slide without a title: its first words if they are few, else its number."""
    return said[0] if said and len(said[0]) <= MAX_TITLE else str(number)


def _written(out: Manuscript, shape: Any) -> None:
    lines = list(_lines(shape))
    if len(lines) == 1:
        out.paragraph(lines[0][1])
        return
    for at, (level, text) in enumerate(lines):
        out.item(text, depth=level, first=at == 0)


def _flat(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """The shapes in order, those of groups too; without date, footer and number of the slide."""
    if depth > _DEEPEST:
        raise unreadable(Reason.HOSTILE, detail="depth")
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _flat(shape.shapes, depth + 1)
        elif not (shape.is_placeholder and shape.placeholder_format.type.name in _NOT_CONTENT):
            yield shape


def _lines(shape: Any) -> list[tuple[int, str]]:
    """The paragraphs of a shape with their levels; those of a diagram as they stand in its data."""
    if shape.has_text_frame:
        found = [(paragraph.level, _paragraph(paragraph._p)) for paragraph in shape.text_frame.paragraphs]
    else:
        found = [(0, text) for text in _diagram(shape)]
    return [(level, text) for level, text in found if text]


def _paragraph(element: Any) -> str:
    """Its runs, fields and formulas in order; a line break is a space."""
    return " ".join("".join(_runs(element)).split())


def _runs(element: Any) -> Iterator[str]:
    for child in element.iter():
        if isinstance(child.tag, str) and etree.QName(child).localname == "t":
            yield child.text or ""
        elif child.tag == f"{A}br":
            yield " "


def _diagram(shape: Any) -> Iterator[str]:
    """The texts of a drawn diagram, which the slide only refers to."""
    ids = next(shape._element.iter(_DIAGRAM_IDS), None)
    relation = shape.part.rels.get(ids.get(_DIAGRAM_DATA)) if ids is not None else None
    if relation is None or relation.is_external or relation.reltype != _DIAGRAM:
        return
    root = etree.fromstring(relation.target_part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
    for paragraph in root.iter(f"{A}p"):
        yield _paragraph(paragraph)
