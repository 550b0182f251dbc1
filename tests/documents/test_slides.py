"""A PowerPoint file as text."""

import pytest

from sprout.documents.drafts import draft_of
from sprout.documents.limits import ReadingLimits
from sprout.documents.pieces import pieces_of
from sprout.documents.slides import slides_draft
from sprout.errors import Unreadable
from tests.documents.offices import changed, slides_file

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
    draft = draft_of(slides_draft, slides_file(), ReadingLimits())
    assert draft.text == TEXT
    pieces = [(piece.heading, piece.page) for piece in pieces_of(draft.text, draft.page_starts)]
    assert pieces == [("Brüche", 1), ("Kürzen", 2), ("Im Kopf rechnen", 3)]
    assert len(draft.page_starts) == 4  # the last slide is empty


def test_limits_of_slides_and_text() -> None:
    with pytest.raises(Unreadable, match="too many pages"):
        draft_of(slides_draft, slides_file(), ReadingLimits(pages=3))
    with pytest.raises(Unreadable, match="too much text"):
        draft_of(slides_draft, slides_file(), ReadingLimits(characters=40))


def test_a_slide_that_is_missing_is_damage() -> None:
    with pytest.raises(Unreadable, match="damaged or incomplete"):
        draft_of(slides_draft, changed(slides_file(), {"ppt/slides/slide2.xml": lambda _: b"<a>"}), ReadingLimits())
