"""Reader of Word files: headings by style, lists, tables, boxes, code, formulas, notes; without comments and deletions.

python-docx opens the package; the walk over its XML is ours, because markitdown (through mammoth) loses numbered lists,
heading levels of localised styles and the limits on depth and text.
"""

from io import BytesIO
from typing import Any

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.markdown_writer import DocumentText, MarkdownWriter
from sprout.documents.formats.office.word_inline import (
    MAX_DEPTH,
    SKIPPED_TAGS,
    TEXT_BOX,
    WordContext,
    code_line,
    paragraph_spans,
    text_boxes,
)
from sprout.documents.formats.office.word_notes import WordNotes
from sprout.documents.formats.office.word_tables import TableUse, has_header, table_rows, table_use
from sprout.documents.formats.spans import Span
from sprout.documents.formats.word_styles import (
    ListPosition,
    Numbering,
    ParagraphRole,
    Styles,
    W,
    list_position,
    parse_int,
    property_value,
)
from sprout.documents.limits import ReadingLimits
from sprout.documents.zip_archive import check_entries, is_strict_ooxml, read_entries

_CONTENTS_ENTRY = "PAGEREF _Toc"
_GALLERY = f"{W}sdtPr/{W}docPartObj/{W}docPartGallery"
_CONTENTS_GALLERY = "Table of Contents"
_MIN_INDENT = 200


def read_word(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text of the document's body, its notes at the end. Raises UnreadableDocument."""
    entries = read_entries(content)
    check_entries(content, entries, limits)
    if is_strict_ooxml(content, entries):
        raise unreadable(UnreadableReason.STRICT_OOXML)
    document = Document(BytesIO(content))
    related = {relation.reltype: relation for relation in document.part.rels.values() if not relation.is_external}
    numbering = related.get(RELATIONSHIP_TYPE.NUMBERING)
    out = MarkdownWriter(limits)
    body = _BodyWalker(
        out,
        WordContext(Styles(document.styles.element), WordNotes(related)),
        Numbering(numbering.target_part.blob if numbering is not None else b""),
    )
    body.walk(document.element.body)
    body.end_blocks()
    body.write_notes()
    return out.finish()


class _BodyWalker:
    """Walks paragraphs and tables in order; code, quotations and lists go on over several paragraphs."""

    def __init__(self, out: MarkdownWriter, context: WordContext, numbering: Numbering) -> None:
        self._out = out
        self._context = context
        self._numbering = numbering
        self._heading_offset = 0
        self._items: list[str] = []
        self._around_items = 0
        self._code: list[str] = []
        self._quoted: list[list[Span]] = []
        self._term_is_open = False

    def walk(self, element: Any, depth: int = 0) -> None:
        """All blocks below the element."""
        if depth > MAX_DEPTH:
            raise unreadable(UnreadableReason.HOSTILE, detail="depth")
        for child in element:
            if child.tag == f"{W}p":
                self._write_paragraph(child)
                if next(child.iter(TEXT_BOX), None) is not None:
                    for box in text_boxes(child):
                        self.walk(box, depth + 1)
            elif child.tag == f"{W}tbl":
                self._walk_table(child, depth + 1)
            elif isinstance(child.tag, str) and child.tag not in SKIPPED_TAGS and not _is_contents(child):
                self.walk(child, depth + 1)

    def end_blocks(self) -> None:
        """Write what might have gone on."""
        self._end_block()
        self._end_list()

    def write_notes(self) -> None:
        """Write the notes that were referred to."""
        for label, note in self._context.notes.referenced():
            with self._out.note(label):
                self._walk_apart(note, 0)

    def _walk_apart(self, element: Any, depth: int) -> None:
        """Walk the content of a container, in which lists begin anew."""
        items, around = self._items, self._around_items
        self._items, self._around_items = [], self._out.depth
        self.walk(element, depth)
        self.end_blocks()
        self._items, self._around_items = items, around

    def _walk_table(self, table: Any, depth: int) -> None:
        self.end_blocks()
        match table_use(table):
            case TableUse.DATA:
                rows = list(table_rows(table, self._context))
                self._out.write_table(rows, header=has_header(table, rows, self._context))
            case TableUse.BOX if not self._is_code(table):
                with self._out.quote():
                    self._walk_apart(table, depth)
            case _:
                self._walk_apart(table, depth)

    def _is_code(self, table: Any) -> bool:
        """Whether all paragraphs of a box are code, which needs no quote around it."""
        found = [(paragraph, paragraph_spans(paragraph, self._context)) for paragraph in table.iter(f"{W}p")]
        return all(
            self._code_line(one, spans) is not None for one, spans in found if any(s.text.strip() for s in spans)
        )

    def _code_line(self, paragraph: Any, spans: list[Span]) -> str | None:
        style = self._context.styles.paragraph(property_value(paragraph.find(f"{W}pPr"), f"{W}pStyle"))
        monospace = style.monospace and not self._context.styles.body_is_monospace
        return code_line(spans, monospace=monospace or style.role == ParagraphRole.CODE)

    def _write_paragraph(self, paragraph: Any) -> None:
        spans = paragraph_spans(paragraph, self._context)
        if not _has_text(spans):
            if self._code:
                self._code.append("")
            return
        properties = paragraph.find(f"{W}pPr")
        style_id = property_value(properties, f"{W}pStyle")
        style = self._context.styles.paragraph(style_id)
        level = self._context.styles.heading_level(style_id, properties)
        position = list_position(properties) or style.list_position
        if style.role == ParagraphRole.CONTENTS or _is_contents_entry(paragraph):
            return
        if level is not None:
            self.end_blocks()
            self._heading_offset = self._heading_offset or int(level == 0)
            self._out.write_heading_spans(level + self._heading_offset if level else 1, spans)
        elif position is not None and self._numbering.has_marker(*position):
            self._write_item(spans, position)
        else:
            self._write_text(paragraph, spans, style.role, indented=position is not None or _is_indented(properties))

    def _write_item(self, spans: list[Span], position: ListPosition) -> None:
        self._end_block()
        number, depth = position
        if not self._items:
            self._around_items = self._out.depth
        depth = min(depth, len(self._items))
        goes_on = depth > 0 or (bool(self._items) and self._items[0] == number)
        self._out.end_items(self._around_items + depth)
        self._items = [*self._items[:depth], number]
        self._out.begin_item(self._numbering.next_marker(*position), first=not goes_on)
        self._out.write_spans(spans)

    def _write_text(self, paragraph: Any, spans: list[Span], role: ParagraphRole | None, *, indented: bool) -> None:
        """Write or collect a paragraph that is no heading and no item; an indented one goes on with the item before."""
        if self._items and not indented and role != ParagraphRole.CONTINUATION:
            self.end_blocks()
        code = self._code_line(paragraph, spans)
        if code is not None:
            self._end_block(but_code=True)
            self._term_is_open = False
            self._code.append(code)
        elif role == ParagraphRole.QUOTE:
            self._end_block(but_quotes=True)
            self._quoted.append(spans)
        else:
            self._end_block()
            self._write_plain(spans, role)

    def _write_plain(self, spans: list[Span], role: ParagraphRole | None) -> None:
        if role == ParagraphRole.DEFINITION and self._term_is_open:
            with self._out.definition():
                self._out.write_spans(spans)
            return
        self._term_is_open = role == ParagraphRole.TERM
        if role == ParagraphRole.TERM:
            self._out.write_term(spans)
        elif role == ParagraphRole.CAPTION:
            self._out.write_caption(spans)
        else:
            self._out.write_spans(spans)

    def _end_block(self, *, but_code: bool = False, but_quotes: bool = False) -> None:
        """Write the code and the quotations that were collected."""
        if self._code and not but_code:
            self._out.write_code("\n".join(self._code))
            self._code = []
        if self._quoted and not but_quotes:
            with self._out.quote():
                for spans in self._quoted:
                    self._out.write_spans(spans)
            self._quoted = []

    def _end_list(self) -> None:
        if self._items:
            self._out.end_items(self._around_items)
            self._items = []


def _has_text(spans: list[Span]) -> bool:
    return any(span.text.strip() for span in spans)


def _is_contents(element: Any) -> bool:
    """Whether the element is a generated table of contents."""
    return element.tag == f"{W}sdt" and property_value(element, _GALLERY) == _CONTENTS_GALLERY


def _is_contents_entry(paragraph: Any) -> bool:
    """Whether the paragraph is a line of a table of contents: it has the page of a heading."""
    return any(_CONTENTS_ENTRY in (text.text or "") for text in paragraph.iter(f"{W}instrText"))


def _is_indented(properties: Any) -> bool:
    """Whether the paragraph is indented by itself, as the further paragraphs of an item are."""
    indent = properties.find(f"{W}ind") if properties is not None else None
    if indent is None:
        return False
    return (parse_int(indent.get(f"{W}left") or indent.get(f"{W}start")) or 0) >= _MIN_INDENT
