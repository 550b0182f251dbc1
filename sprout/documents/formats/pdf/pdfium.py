"""PDF files through PDFium: words, drawings and bookmarks.

PDFium (through pypdfium2) gives the box, the font and the size of every character, several times as fast as pypdf and
pdfminer give the mere text of a page.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pypdfium2.raw as pdfium

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.pdf.characters import PageFrame, address_of, read_words, visible_words
from sprout.documents.formats.pdf.drawings import Area, Drawings, sort_drawings
from sprout.documents.formats.pdf.words import Word

MAX_BOOKMARKS = 5_000
MAX_OBJECTS = 20_000
MAX_TITLE_BYTES = 1_200
MIN_ASIDE_LETTERS = 40
NEARLY_WHITE = 253


class PageUnreadable(Exception):
    """A page that PDFium cannot load."""


@dataclass(frozen=True, slots=True)
class PdfPage:
    """A page, turned so that most of its text is upright.

    Args:
        words: in the order of the file.
        sideways: longer text that is turned against the rest, such as a note along the margin.
    """

    width: float
    height: float
    words: tuple[Word, ...]
    drawings: Drawings = Drawings()
    sideways: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """A bookmark: how deep it stands from 1, its title, and its page from 0; below 0 without one."""

    level: int
    title: str
    page: int


class PdfFile:
    """An open file. Not to be used by two threads at once, as PDFium itself."""

    def __init__(self, document: pdfium.FPDF_DOCUMENT) -> None:
        self._document = document
        self.pages: int = pdfium.FPDF_GetPageCount(document)

    def read_page(self, number: int, *, max_characters: int) -> PdfPage:
        """A page, counted from 0. Raises PageUnreadable; UnreadableDocument beyond the characters."""
        with self._text_page(number) as (page, text):
            if pdfium.FPDFText_CountChars(text) > max_characters:
                raise unreadable(UnreadableReason.TOO_MUCH_TEXT)
            frame = PageFrame.of_page(page)
            turned = read_words(text, frame)
            main = max(turned, key=lambda turn: _letters(turned[turn]), default=0)
            sideways = [word for turn, words in turned.items() if turn != main for word in words]
            width, height = (frame.height, frame.width) if main % 2 else (frame.width, frame.height)
            return PdfPage(
                width,
                height,
                tuple(visible_words(turned.get(main, []), width, height)),
                sort_drawings(list(_paths(page, frame, main))),
                tuple(sideways) if _letters(sideways) >= MIN_ASIDE_LETTERS else (),
            )

    def outline(self) -> Iterator[OutlineItem]:
        """The bookmarks from the first to the last; those of a circle once."""
        seen: set[int] = set()
        waiting = [(1, pdfium.FPDFBookmark_GetFirstChild(self._document, None))]
        while waiting and len(seen) <= MAX_BOOKMARKS:
            level, bookmark = waiting.pop()
            address = address_of(bookmark)
            if address is None or address in seen:
                continue
            seen.add(address)
            destination = pdfium.FPDFBookmark_GetDest(self._document, bookmark)
            page = pdfium.FPDFDest_GetDestPageIndex(self._document, destination) if destination else -1
            yield OutlineItem(level, _title(bookmark), page)
            waiting.append((level, pdfium.FPDFBookmark_GetNextSibling(self._document, bookmark)))
            waiting.append((level + 1, pdfium.FPDFBookmark_GetFirstChild(self._document, bookmark)))

    @contextmanager
    def _text_page(self, number: int) -> Iterator[tuple[pdfium.FPDF_PAGE, pdfium.FPDF_TEXTPAGE]]:
        page = pdfium.FPDF_LoadPage(self._document, number)
        if not page:
            raise PageUnreadable(number)
        try:
            text = pdfium.FPDFText_LoadPage(page)
            if not text:
                raise PageUnreadable(number)
            try:
                yield page, text
            finally:
                pdfium.FPDFText_ClosePage(text)
        finally:
            pdfium.FPDF_ClosePage(page)


@contextmanager
def open_pdf(content: bytes) -> Iterator[PdfFile]:
    """The file; an empty password is tried. Raises UnreadableDocument where it is damaged or asks for another one."""
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(content, len(content), b"")
    if not document:
        locked = pdfium.FPDF_GetLastError() in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
        raise unreadable(UnreadableReason.PROTECTED if locked else UnreadableReason.DAMAGED, detail="open")
    try:
        yield PdfFile(document)
    finally:
        pdfium.FPDF_CloseDocument(document)


def _paths(page: pdfium.FPDF_PAGE, frame: PageFrame, turn: int) -> Iterator[tuple[Area, int]]:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for at in range(min(pdfium.FPDFPage_CountObjects(page), MAX_OBJECTS)):
        handle = pdfium.FPDFPage_GetObject(page, at)
        if pdfium.FPDFPageObj_GetType(handle) != pdfium.FPDF_PAGEOBJ_PATH or not _is_seen(handle):
            continue
        if pdfium.FPDFPageObj_GetBounds(handle, left, bottom, right, top):
            area = Area(*frame.box(turn, left.value, bottom.value, right.value, top.value))
            yield area, pdfium.FPDFPath_CountSegments(handle)


def _is_seen(path: pdfium.FPDF_PAGEOBJECT) -> bool:
    """Whether a path is stroked, or filled with another colour than white."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fill, stroke)
    if stroke.value or not fill.value:
        return bool(stroke.value)
    colours = [ctypes.c_uint() for _ in range(4)]
    pdfium.FPDFPageObj_GetFillColor(path, *colours)
    *shades, opacity = (colour.value for colour in colours)
    return opacity > 0 and min(shades) < NEARLY_WHITE


def _title(bookmark: pdfium.FPDF_BOOKMARK) -> str:
    buffer = ctypes.create_string_buffer(MAX_TITLE_BYTES)
    length = min(pdfium.FPDFBookmark_GetTitle(bookmark, buffer, MAX_TITLE_BYTES), MAX_TITLE_BYTES)
    return buffer.raw[:length].decode("utf-16-le", errors="ignore").rstrip("\0")


def _letters(words: list[Word]) -> int:
    return sum(len(word.text) for word in words)
