"""PDF files that mean harm: text or a plain refusal, whatever they try."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.documents.hostile_pdf_files import TEXT, noise, quick, truncated
from sprout.documents.formats.pdf.reader import read_pdf
from sprout.documents.formats.readers import read_document
from sprout.documents.limits import ReadingLimits
from sprout.documents.splitting.passage_spans import split_into_spans
from sprout.errors import UnreadableDocument

QUICK = quick()
STILL_READ = (
    "a page many times",
    "huge page",
    "script on opening",
    "launch on opening",
    "outline in a circle",
    "outline that is deep",
    "outline without titles",
)
LIMITS = ReadingLimits(pages=5_000)


def text_of(content: bytes) -> str | None:
    """Extracted text; None if the file is refused."""
    try:
        draft = read_document(read_pdf, content, LIMITS)
    except UnreadableDocument as refusal:
        if not str(refusal).startswith(("The file", "There is", "Reading")):
            raise
        return None
    assert len(draft.text) <= LIMITS.characters
    for piece in split_into_spans(draft.text, draft.page_starts):
        assert piece.page is not None
        assert 1 <= piece.page <= len(draft.page_starts)
    return draft.text


@pytest.mark.parametrize("name", QUICK)
def test_B8_a_file_that_means_harm_is_read_within_the_limits_or_refused(name: str) -> None:
    text = text_of(QUICK[name])
    if name in STILL_READ:
        assert text is not None
        assert TEXT in text


@pytest.mark.parametrize("name", ["script on opening", "launch on opening"])
def test_B8_what_would_run_is_not_part_of_the_text(name: str) -> None:
    assert text_of(QUICK[name]) == TEXT


def test_B8_a_file_cut_anywhere_is_read_or_refused() -> None:
    texts = [text_of(content) for content in truncated()]
    assert texts.count(None) > 10
    assert all(text is None or text.strip() for text in texts)


def test_B8_noise_is_read_or_refused() -> None:
    assert None in [text_of(content) for content in noise(60, seed=8)]


@given(st.binary(max_size=500))
def test_B12_any_bytes_behind_a_pdfs_mark_are_read_or_refused(tail: bytes) -> None:
    text = text_of(b"%PDF-1.7\n" + tail)
    assert text is None or text.strip()
