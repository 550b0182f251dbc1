"""Structure of Word files."""

import io
from collections.abc import Callable

import pytest
from docx import Document
from docx.document import Document as WordDocument
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.shared import Pt

from sprout.documents.formats.word import read_word
from sprout.documents.limits import ReadingLimits

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
FRACTION = "<m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"  # a half


def text_of(write: Callable[[WordDocument], object]) -> str:
    """What is read of a document that is written so."""
    document = Document()
    write(document)
    out = io.BytesIO()
    document.save(out)
    return read_word(out.getvalue(), ReadingLimits()).text


def test_runs_keep_their_emphasis_and_their_characters() -> None:
    def write(document: WordDocument) -> None:
        paragraph = document.add_paragraph("Warm ")
        paragraph.add_run("air ").bold = True
        paragraph.add_run("rises").italic = True
        paragraph.add_run(" 2*3*4 x")
        paragraph.add_run("2").font.superscript = True
        paragraph.add_run(" with ")
        paragraph.add_run("rise()").font.name = "Consolas"
        hidden = paragraph.add_run("secret")
        hidden.font.hidden = True

    assert text_of(write) == "Warm **air** *rises* 2\\*3\\*4 x² with `rise()`"


def test_a_heading_that_is_bold_as_a_whole_has_no_marks() -> None:
    assert text_of(lambda document: setattr(document.add_heading("", 1).add_run("Heat"), "bold", True)) == "# Heat"


def test_formulas_stand_in_their_line_or_alone() -> None:
    def write(document: WordDocument) -> None:
        document.add_paragraph("A half is ")._p.append(parse_xml(f"<m:oMath {M}>{FRACTION}</m:oMath>"))
        alone = f"<m:oMathPara {M}><m:oMath>{FRACTION}</m:oMath></m:oMathPara>"
        document.add_paragraph()._p.append(parse_xml(alone))

    assert text_of(write) == "A half is $\\frac{1}{2}$\n\n$$\\frac{1}{2}$$"


def test_code_is_known_by_its_style_or_its_font() -> None:
    def write(document: WordDocument) -> None:
        document.styles.add_style("Source Code", WD_STYLE_TYPE.PARAGRAPH)
        document.add_paragraph("for a in b:", style="Source Code")
        document.add_paragraph("    print(a)", style="Source Code")
        document.add_paragraph("Then:")
        for line in ("one = 1", "", "two = 2"):
            document.add_paragraph().add_run(line).font.name = "Courier New"
        document.add_paragraph().add_run("prose " * 40).font.name = "Courier New"

    code = "```\nfor a in b:\n    print(a)\n```\n\nThen:\n\n```\none = 1\n\ntwo = 2\n```"
    assert text_of(write) == f"{code}\n\n`{('prose ' * 40).strip()}`"


def test_a_document_that_is_set_in_a_font_for_code_is_text() -> None:
    def write(document: WordDocument) -> None:
        document.styles["Normal"].font.name = "Courier New"
        document.styles["Normal"].font.size = Pt(11)
        document.add_paragraph().add_run("A letter.").font.name = "Courier New"

    assert text_of(write) == "A letter."


def test_lists_nest_and_hold_their_further_paragraphs() -> None:
    def write(document: WordDocument) -> None:
        document.add_paragraph("Steps:")
        document.add_paragraph("one", style="List Number")
        document.add_paragraph("more of one", style="List Continue")
        document.add_paragraph("two", style="List Number")
        document.add_paragraph("After.")

    assert text_of(write) == "Steps:\n\n1. one\n\n   more of one\n2. two\n\nAfter."


def test_boxes_quotations_captions_and_contents() -> None:
    def write(document: WordDocument) -> None:
        document.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH)
        document.add_paragraph("Heat\t3", style="toc 1")
        document.add_table(1, 1).cell(0, 0).text = "In a box"
        document.add_paragraph("Said once", style="Quote")
        document.add_paragraph("Said twice", style="Quote")
        document.add_paragraph("Figure 1: Heat", style="Caption")
        row = document.add_table(1, 2).rows[0]
        row.cells[0].text, row.cells[1].text = "left", "right"

    expected = "> In a box\n\n> Said once\n>\n> Said twice\n\nFigure 1: Heat\n\nleft\n\nright"
    assert text_of(write) == expected


def test_a_merged_title_stands_before_its_table() -> None:
    def write(document: WordDocument) -> None:
        table = document.add_table(3, 2)
        table.cell(0, 0).merge(table.cell(0, 1)).text = "Melting"
        for at, text in enumerate(("Ice", "0", "Iron", "1538")):
            table.cell(1 + at // 2, at % 2).text = text

    assert text_of(write) == "Melting\n\n|  |  |\n| --- | --- |\n| Ice | 0 |\n| Iron | 1538 |"


@pytest.mark.parametrize("mark", ["none", "bold", "repeated", "style"])
def test_the_first_row_of_a_table_is_its_head_where_it_is_marked(mark: str) -> None:
    def write(document: WordDocument) -> None:
        table = document.add_table(2, 2, style="Light List" if mark == "style" else None)
        for at, text in enumerate(("Metal", "Melts", "Iron", "1538")):
            run = table.cell(at // 2, at % 2).paragraphs[0].add_run(text)
            run.bold = (mark == "bold" and at < 2) or None
        if mark == "repeated":
            table.rows[0]._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {W}/>"))

    head = text_of(write).replace("**", "").split("\n")[0]
    assert head == ("|  |  |" if mark == "none" else "| Metal | Melts |")


def note_part(kind: str, notes: str) -> bytes:
    separator = f'<w:{kind} w:id="0" w:type="separator"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:{kind}>'
    return f"<w:{kind}s {W}>{separator}{notes}</w:{kind}s>".encode()


def note(kind: str, number: int, *paragraphs: str) -> str:
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    return f'<w:{kind} w:id="{number}">{body}</w:{kind}>'


def test_footnotes_and_endnotes_are_numbered_together() -> None:
    def write(document: WordDocument) -> None:
        for kind, relation, notes in (
            ("footnote", RELATIONSHIP_TYPE.FOOTNOTES, note("footnote", 7, "At the foot.", "Still there.")),
            ("endnote", RELATIONSHIP_TYPE.ENDNOTES, note("endnote", 7, "At the end.")),
        ):
            content = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml"
            part = Part(PackURI(f"/word/{kind}s.xml"), content, note_part(kind, notes), document.part.package)
            document.part.relate_to(part, relation)
        paragraph = document.add_paragraph("Heat")
        for kind in ("endnote", "footnote"):
            paragraph._p.append(parse_xml(f'<w:r {W}><w:{kind}Reference w:id="7"/></w:r>'))

    assert text_of(write) == "Heat[^1][^2]\n\n[^1]: At the end.\n\n[^2]: At the foot.\n\n    Still there."
