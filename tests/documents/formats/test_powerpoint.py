"""A PowerPoint file as text."""

from io import BytesIO

import pytest
from pptx import Presentation

from harness.documents.office_files import changed, slides_file
from sprout.documents.formats.powerpoint import read_powerpoint
from sprout.documents.formats.readers import read_document
from sprout.documents.limits import ReadingLimits
from sprout.documents.splitting.passage_spans import split_into_spans
from sprout.errors import UnreadableDocument

TEXT = """# Brüche

- Ein Ganzes
  - in gleiche Teile

> Pizza zeigen!

# Kürzen

| vorher | nachher |
| --- | --- |
| 2/4 | 1/2 |

# Im Kopf rechnen

Im Kopf rechnen"""


def test_a_slide_is_a_page_and_its_title_a_heading() -> None:
    draft = read_document(read_powerpoint, slides_file(), ReadingLimits())
    assert draft.text == TEXT
    pieces = [(piece.heading, piece.page) for piece in split_into_spans(draft.text, draft.page_starts)]
    assert pieces == [("Brüche", 1), ("Kürzen", 2), ("Im Kopf rechnen", 3)]
    assert len(draft.page_starts) == 4  # the last slide is empty


def test_the_first_row_of_a_table_is_its_head_where_the_table_says_so() -> None:
    presentation = Presentation(BytesIO(slides_file()))
    table = next(shape.table for shape in presentation.slides[1].shapes if shape.has_table)
    table.first_row = False
    stored = BytesIO()
    presentation.save(stored)
    text = read_document(read_powerpoint, stored.getvalue(), ReadingLimits()).text
    assert "|  |  |\n| --- | --- |\n| vorher | nachher |" in text


def test_a_short_line_in_the_head_of_a_slide_is_its_title_and_an_item_of_a_list_is_none() -> None:
    presentation = Presentation()
    height = int(presentation.slide_height or 0)
    slides = {
        "Cells": [(0.4, "A cell divides."), (0.05, "Cells")],
        "Below": [(0.4, "Cells live."), (0.5, "Below")],
        "items": [(0.05, "the wall\nthe core"), (0.5, "All of them live.")],
        "said": [(0.05, "A wall stands around each of the cells."), (0.5, "All of them live.")],
    }
    for boxes in slides.values():
        slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK])
        for top, text in boxes:
            slide.shapes.add_textbox(0, round(top * height), 9, 9).text_frame.text = text
    stored = BytesIO()
    presentation.save(stored)
    text = read_document(read_powerpoint, stored.getvalue(), ReadingLimits()).text
    assert text.split("\n\n") == [
        *("# Cells", "A cell divides."),
        *("# Cells live.", "Cells live.", "Below"),
        *("- the wall\n- the core", "All of them live."),
        *("A wall stands around each of the cells.", "All of them live."),
    ]


def test_of_a_slide_that_is_built_up_step_by_step_only_the_last_is_read() -> None:
    presentation = Presentation()
    built = [["A warm body"], ["A warm body", "A cold one"], ["A cold one", "A warm body", "Both"]]
    slides = [*(("Heat", step) for step in built), *((title, ["A warm body"]) for title in ("Cold", "Ice", "Snow"))]
    for title, lines in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = title
        for line in lines:
            slide.shapes.add_textbox(0, 0, 9, 9).text_frame.text = line
    stored = BytesIO()
    presentation.save(stored)
    draft = read_document(read_powerpoint, stored.getvalue(), ReadingLimits())
    others = "".join(f"\n\n# {title}\n\nA warm body" for title in ("Cold", "Ice", "Snow"))
    assert draft.text == f"# Heat\n\nA cold one\n\nA warm body\n\nBoth{others}"
    assert len(draft.page_starts) == len(slides)


def test_what_stands_on_every_slide_is_no_title() -> None:
    presentation = Presentation()
    for text in ("Footprints", "Cookies", "Accounts", "Passwords"):
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        for line in ("Safety on the net", text, "• It is said of each."):
            slide.shapes.add_textbox(0, 0, 9, 9).text_frame.text = line
    stored = BytesIO()
    presentation.save(stored)
    lines = read_document(read_powerpoint, stored.getvalue(), ReadingLimits()).text.splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# Footprints",
        "# Cookies",
        "# Accounts",
        "# Passwords",
    ]
    assert "It is said of each." in lines


def _headings(*slides: tuple[int, str, str]) -> list[str]:
    """The headings of slides of these layouts, titles and texts."""
    presentation = Presentation()
    for layout, title, text in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[layout])
        if title:
            slide.shapes.title.text = title
        if text:
            slide.shapes.add_textbox(0, 0, 9, 9).text_frame.text = text
    stored = BytesIO()
    presentation.save(stored)
    lines = read_document(read_powerpoint, stored.getvalue(), ReadingLimits()).text.splitlines()
    return [line for line in lines if line.startswith("#")]


TITLE_AND_TEXT, SECTION_HEADER, BLANK = 1, 2, 6


def test_a_slide_with_a_title_alone_opens_a_part_of_the_talk() -> None:
    found = _headings(
        (TITLE_AND_TEXT, "Why we test", "A guess is no proof."),
        (TITLE_AND_TEXT, "Comparing means", ""),
        (TITLE_AND_TEXT, "The t-test", "Two means are compared."),
        (SECTION_HEADER, "Comparing counts", "with an example"),
        (TITLE_AND_TEXT, "The chi-squared test", "Two counts are compared."),
    )
    assert found == [
        "# Why we test",
        "# Comparing means",
        "## The t-test",
        "# Comparing counts",
        "## The chi-squared test",
    ]


def test_a_slide_with_the_title_of_its_neighbour_opens_no_part() -> None:
    drawn = [(TITLE_AND_TEXT, "The t-test", ""), (TITLE_AND_TEXT, "The t-test", "Two means are compared.")]
    assert _headings(*drawn, (TITLE_AND_TEXT, "Counts", "They are compared.")) == [*["# The t-test"] * 2, "# Counts"]


def test_a_title_that_its_slide_says_again_stands_there_once_and_a_running_one_is_none() -> None:
    again = (TITLE_AND_TEXT, "Comparing means", "Comparing means")
    assert _headings(again, (TITLE_AND_TEXT, "The t-test", "Two means.")) == ["# Comparing means", "## The t-test"]
    running = [
        (TITLE_AND_TEXT, "Lecture on demand", text) for text in ("Markets", "Prices", "It is so in all of them.")
    ]
    assert _headings(*running) == ["# Markets", "# Prices"]


@pytest.mark.parametrize("text", ["The test that we have seen is too weak.", "It has two steps, that is:"])
def test_a_slide_without_a_title_that_begins_with_a_sentence_goes_on_with_the_slide_before_it(text: str) -> None:
    assert _headings((TITLE_AND_TEXT, "The t-test", "Two means."), (BLANK, "", text)) == ["# The t-test"]
    assert _headings((BLANK, "", text), (BLANK, "", "Two means")) == ["# Two means"]


def test_a_line_of_code_is_no_title() -> None:
    presentation = Presentation()
    for name, font in (("Loops", None), ("clear all", "Courier New")):
        run = presentation.slides.add_slide(presentation.slide_layouts[BLANK]).shapes.add_textbox(0, 0, 9, 9)
        run.text_frame.text = name
        run.text_frame.paragraphs[0].runs[0].font.name = font
    stored = BytesIO()
    presentation.save(stored)
    text = read_document(read_powerpoint, stored.getvalue(), ReadingLimits()).text
    assert [line for line in text.splitlines() if line.startswith("#")] == ["# Loops"]
    assert "clear all" in text


def test_limits_of_slides_and_text() -> None:
    with pytest.raises(UnreadableDocument, match="too many pages"):
        read_document(read_powerpoint, slides_file(), ReadingLimits(pages=3))
    with pytest.raises(UnreadableDocument, match="too much text"):
        read_document(read_powerpoint, slides_file(), ReadingLimits(characters=40))


def test_a_slide_that_is_missing_is_damage() -> None:
    with pytest.raises(UnreadableDocument, match="damaged or incomplete"):
        read_document(
            read_powerpoint, changed(slides_file(), {"ppt/slides/slide2.xml": lambda _: b"<a>"}), ReadingLimits()
        )
