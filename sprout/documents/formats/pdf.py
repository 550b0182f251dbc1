"""Reader of PDF files: the text of each page, under the bookmarks; without drawings.

pypdf extracts the lines; paragraphs, running headers and bookmarks are ours, because markitdown (through pdfminer)
returns lines without them and without page numbers, which citations need.
"""

from collections.abc import Sequence
from io import BytesIO
from itertools import groupby

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.markdown_writer import DocumentText, MarkdownWriter
from sprout.documents.formats.pdf_outline import BookmarkSection, read_bookmarks, split_by_bookmarks
from sprout.documents.formats.pdf_paragraphs import build_paragraphs, continues, dehyphenate, vocabulary
from sprout.documents.formats.pdf_running_headers import strip_running_headers
from sprout.documents.limits import ReadingLimits

MIN_LETTERS_PER_PAGE = 5
MAX_UNREAD_SHARE = 0.5
LIGATURES = {0xFB00 + at: letters for at, letters in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))}
PARAGRAPH_BREAK = "\n\n"


def read_pdf(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text of all pages, under the bookmarks. Raises UnreadableDocument."""
    reader = _open(content)
    number_of_pages = len(reader.pages)
    if not number_of_pages:
        raise unreadable(UnreadableReason.DAMAGED, detail="no pages")
    if number_of_pages > limits.pages:
        raise unreadable(UnreadableReason.TOO_MANY_PAGES)
    pages, unread = _extract_lines(reader, number_of_pages, limits)
    if len(unread) > MAX_UNREAD_SHARE * number_of_pages:
        raise unreadable(UnreadableReason.DAMAGED, detail="pages")
    letters = sum(c.isalpha() for page in pages for line in page for c in line)
    if letters < MIN_LETTERS_PER_PAGE * number_of_pages:
        raise unreadable(UnreadableReason.SCANNED)
    body = strip_running_headers(pages)
    if not any(body):
        body = pages
    marks = {
        page: list(these) for page, these in groupby(read_bookmarks(reader, number_of_pages), lambda mark: mark.page)
    }
    writer = _PageWriter(limits, vocabulary(body))
    for number, lines in enumerate(body):
        writer.write_page(split_by_bookmarks(lines, marks.get(number, ())))
    return writer.finish(unread)


def _open(content: bytes) -> PdfReader:
    """Raises UnreadableDocument where it needs a password; an empty one is tried."""
    try:
        reader = PdfReader(BytesIO(content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise unreadable(UnreadableReason.PROTECTED)
        len(reader.pages)
    except (DependencyError, FileNotDecryptedError):
        raise unreadable(UnreadableReason.PROTECTED) from None
    return reader


def _extract_lines(reader: PdfReader, pages: int, limits: ReadingLimits) -> tuple[list[list[str]], list[int]]:
    """The lines of each page, and the numbers of those that cannot be read."""
    found: list[list[str]] = []
    unread: list[int] = []
    characters = 0
    for number in range(pages):
        try:
            text = reader.pages[number].extract_text()
        except (MemoryError, DependencyError, FileNotDecryptedError):
            raise
        except Exception:  # noqa: BLE001 - pypdf raises whatever a broken page leads to; the others may be whole
            unread.append(number + 1)
            text = ""
        characters += len(text)
        if characters > limits.characters:
            raise unreadable(UnreadableReason.TOO_MUCH_TEXT)
        found.append([" ".join(line.split()) for line in text.translate(LIGATURES).splitlines()])
    return found, unread


class _PageWriter:
    """Writes pages; the last paragraph of each is held until it is known whether the next page continues it."""

    def __init__(self, limits: ReadingLimits, words: frozenset[str]) -> None:
        self._out = MarkdownWriter(limits)
        self._words = words
        self._pending, self._separator = "", PARAGRAPH_BREAK

    def write_page(self, sections: Sequence[BookmarkSection]) -> None:
        """Write the next page."""
        blocks = [(section.bookmark, build_paragraphs(section.lines, self._words)) for section in sections]
        first = next(iter(blocks[0][1]), "")
        between = PARAGRAPH_BREAK
        if self._pending and first and continues(self._pending, first):
            self._pending, between = dehyphenate(self._pending, first, self._words)
        self._flush()
        self._separator = between
        self._out.begin_page()
        for mark, texts in blocks:
            if mark is not None:
                self._flush()
                self._out.write_heading(mark.level, mark.title)
            for text in texts:
                self._flush()
                self._pending = text

    def finish(self, unread: Sequence[int]) -> DocumentText:
        self._flush()
        return self._out.finish(unread_pages=unread)

    def _flush(self) -> None:
        if self._pending:
            self._out.write_paragraph(self._pending, separator=self._separator)
            self._pending, self._separator = "", PARAGRAPH_BREAK
