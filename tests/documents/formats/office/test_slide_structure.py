"""Structure of slides."""

import io
from collections.abc import Callable
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.util import Inches

from harness.documents.office_files import PICTURE
from sprout.documents.formats.office.slide_inline import A
from sprout.documents.formats.powerpoint import read_powerpoint
from sprout.documents.limits import ReadingLimits

A14 = "http://schemas.microsoft.com/office/drawing/2010/main"
M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
SQUARE = "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"


def text_of(write: Callable[[Any], object]) -> str:
    """What is read of a slide titled Heat that is written so."""
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Heat"
    write(slide)
    out = io.BytesIO()
    show.save(out)
    return read_powerpoint(out.getvalue(), ReadingLimits()).text.removeprefix("# Heat\n\n")


def add_text(slide: Any, *lines: str) -> Any:
    frame = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(2)).text_frame
    frame.text = "\n".join(lines)
    return frame


def test_runs_keep_their_emphasis() -> None:
    def write(slide: Any) -> None:
        paragraph = add_text(slide, "Warm ").paragraphs[0]
        for text, change in (("air", {"bold": True}), (" and ", {}), ("x_1*", {"italic": True})):
            run = paragraph.add_run()
            run.text = text
            for name, value in change.items():
                setattr(run.font, name, value)
        raised = paragraph.add_run()
        raised.text = "2"
        raised.font._element.set("baseline", "30000")

    assert text_of(write) == "Warm **air** and *x_1*\\*²"


def test_a_formula_is_read_where_its_shape_is_an_alternative() -> None:
    def write(slide: Any) -> None:
        paragraph = add_text(slide, "So ").paragraphs[0]
        formula = f'<a14:m xmlns:a14="{A14}" xmlns:m="{M}"><m:oMath>{SQUARE}</m:oMath></a14:m>'
        paragraph._p.append(etree.fromstring(formula))
        shape = paragraph._p.getparent().getparent()
        tree = shape.getparent()
        alternatives = parse_xml(
            f'<mc:AlternateContent xmlns:mc="{MC}"><mc:Choice Requires="a14"/><mc:Fallback/></mc:AlternateContent>'
        )
        tree.append(alternatives)
        alternatives[0].append(shape)

    assert text_of(write) == "So $x^{2}$"


def test_numbered_lines_and_code() -> None:
    def write(slide: Any) -> None:
        numbered = add_text(slide, "one", "two", "within")
        for paragraph, level in zip(numbered.paragraphs, (0, 0, 1), strict=True):
            paragraph.level = level
            if level == 0:
                numbering = etree.SubElement(paragraph._p.get_or_add_pPr(), f"{A}buAutoNum")
                numbering.set("type", "arabicPeriod")
        for paragraph in add_text(slide, "if a:", "    b()").paragraphs:
            paragraph.runs[0].font.name = "Courier New"

    assert text_of(write) == "1. one\n2. two\n   - within\n\n```\nif a:\n    b()\n```"


def test_pictures_say_what_a_person_wrote_about_them() -> None:
    def write(slide: Any) -> None:
        for description in ("Warm air rises above a flame", "Picture 3"):
            picture = slide.shapes.add_picture(io.BytesIO(PICTURE), Inches(1), Inches(1))
            picture._element.nvPicPr.cNvPr.set("descr", description)

    assert text_of(write) == "![Warm air rises above a flame]()"


def test_notes_are_one_quote() -> None:
    def write(slide: Any) -> None:
        slide.notes_slide.notes_text_frame.text = "Show it.\n# Ask"

    assert text_of(write) == "> Show it.\n>\n> \\# Ask"
