"""Word and PowerPoint files, good ones made with the libraries and bad ones made from them."""

import base64
import io
import re
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from pptx import Presentation
from pptx.util import Inches

# One transparent pixel.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
W_NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def word_file() -> bytes:
    """Headings, umlauts, lists, a table, a text box, an insertion and a deletion."""
    document = Document()
    document.add_heading("Wärmelehre", 0)
    document.add_heading("Was ist Wärme?", 1)
    document.add_paragraph("Wärme ist Energie, die sich überträgt.")
    document.add_heading("Übertragung", 2)
    for text in ("Leitung", "Strömung"):
        document.add_paragraph(text, style="List Bullet")
    for text in ("messen", "rechnen"):
        document.add_paragraph(text, style="List Number")
    table = document.add_table(rows=2, cols=2, style="Light List")
    for cell, text in zip(
        (c for row in table.rows for c in row.cells), ("Stoff", "Wert", "Eis|Wasser", "2,1"), strict=True
    ):
        cell.text = text
    changed = document.add_paragraph("Vorher ")
    changed._p.append(parse_xml(f'<w:del {W_NAMESPACE} w:id="1"><w:r><w:delText>gestrichen</w:delText></w:r></w:del>'))
    changed._p.append(parse_xml(f'<w:ins {W_NAMESPACE} w:id="2"><w:r><w:t>eingefügt</w:t></w:r></w:ins>'))
    boxed = document.add_paragraph("Neben dem Kasten.")
    box = "<w:txbxContent><w:p><w:r><w:t>Im Kasten.</w:t></w:r></w:p></w:txbxContent>"
    boxed._p.append(parse_xml(f"<w:r {W_NAMESPACE}><w:pict>{box}</w:pict></w:r>"))
    return _saved(document.save)


def word_file_with_own_styles() -> bytes:
    """Headings by a style of its own that is based on another, and by a paragraph's own level."""
    document = Document()
    style = document.styles.add_style("Kapitelüberschrift", WD_STYLE_TYPE.PARAGRAPH)
    style.base_style = document.styles["Heading 1"]
    document.add_paragraph("Kapitel eins", style="Kapitelüberschrift")
    document.add_paragraph("Text.")
    levelled = document.add_paragraph("Abschnitt")
    levelled._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {W_NAMESPACE} w:val="1"/>'))
    document.add_paragraph("Mehr Text.")
    return _saved(document.save)


def slides_file() -> bytes:
    """Three slides: a title with levels and notes, a table, and one without a title."""
    show = Presentation()
    first = show.slides.add_slide(show.slide_layouts[1])
    first.shapes.title.text = "Brüche"
    body = first.placeholders[1].text_frame
    body.text = "Ein Ganzes"
    below = body.add_paragraph()
    below.text, below.level = "in gleiche Teile", 1
    first.notes_slide.notes_text_frame.text = "Pizza zeigen!"
    second = show.slides.add_slide(show.slide_layouts[5])
    second.shapes.title.text = "Kürzen"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for row, texts in enumerate((("vorher", "nachher"), ("2/4", "1/2"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    third = show.slides.add_slide(show.slide_layouts[6])
    group = third.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(1), Inches(3), Inches(1)).text_frame.text = "Im Kopf rechnen"
    show.slides.add_slide(show.slide_layouts[6])
    return _saved(show.save)


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


def changed(
    content: bytes, parts: Mapping[str, Callable[[bytes], bytes]], new: Mapping[str, bytes] | None = None
) -> bytes:
    """The archive with some parts made anew and others added."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in old.namelist():
            data = old.read(name)
            made.writestr(name, parts[name](data) if name in parts else data)
        for name, data in (new or {}).items():
            made.writestr(name, data)
    return out.getvalue()


def with_type(content: bytes, before: str, after: str) -> bytes:
    """The file with another type of its main part."""
    return changed(content, {"[Content_Types].xml": lambda data: data.replace(before.encode(), after.encode())})


def with_prolog(content: bytes, part: str, prolog: bytes, *, word: bytes = b"", entity: bytes = b"") -> bytes:
    """The file with something before the root element of a part, and a word of it an entity."""

    def made(data: bytes) -> bytes:
        body = re.sub(rb"^<\?xml[^>]*\?>\s*", b"", data)
        if word:
            body = body.replace(word, entity, 1)
        return b'<?xml version="1.0" encoding="UTF-8"?>\n' + prolog + body

    return changed(content, {part: made})


def packed(entries: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in entries:
            made.writestr(name, data)
    return out.getvalue()


def declaring(content: bytes, name: str, size: int) -> bytes:
    """The archive whose directory lies about the unpacked size of one entry."""
    at = _central(content, name)
    return content[: at + 24] + struct.pack("<L", size) + content[at + 28 :]


def overlapping(content: bytes, name: str, target: str) -> bytes:
    """The archive in whose directory one entry's bytes begin where those of another do."""
    at, other = _central(content, name), _central(content, target)
    made = bytearray(content)
    for start, end in ((16, 28), (42, 46)):
        made[at + start : at + end] = content[other + start : other + end]
    return bytes(made)


def encrypted(content: bytes, name: str) -> bytes:
    """The archive in which one entry says that it is encrypted."""
    at = _central(content, name)
    made = bytearray(content)
    made[at + 8] |= 1
    return bytes(made)


def _central(content: bytes, name: str) -> int:
    found = [match.start() for match in re.finditer(re.escape(b"PK\x01\x02"), content)]
    return next(at for at in found if content[at + 46 : at + 46 + len(name)] == name.encode())
