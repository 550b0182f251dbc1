"""A PDF as text, page by page; what a page only draws is not seen."""

from collections.abc import Sequence
from io import BytesIO
from itertools import groupby

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError

from sprout.documents.bookmarks import Stretch, marks_of, under_marks
from sprout.documents.limits import ReadingLimits
from sprout.documents.manuscript import Draft, Manuscript
from sprout.documents.paragraphs import divided, goes_on, paragraphs, vocabulary
from sprout.documents.reasons import Reason, unreadable
from sprout.documents.running_lines import without_running_lines

LEAST_LETTERS_PER_PAGE = 5
MOST_UNREAD = 0.5
LIGATURES = {0xFB00 + at: letters for at, letters in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))}
APART = "\n\n"


def pdf_draft(content: bytes, limits: ReadingLimits) -> Draft:
    """The text of all pages, under the bookmarks. Raises Unreadable."""
    reader = _opened(content)
    number_of_pages = len(reader.pages)
    if not number_of_pages:
        raise unreadable(Reason.DAMAGED, detail="no pages")
    if number_of_pages > limits.pages:
        raise unreadable(Reason.TOO_MANY_PAGES)
    pages, unread = _lines_of(reader, number_of_pages, limits)
    if len(unread) > MOST_UNREAD * number_of_pages:
        raise unreadable(Reason.DAMAGED, detail="pages")
    letters = sum(c.isalpha() for page in pages for line in page for c in line)
    if letters < LEAST_LETTERS_PER_PAGE * number_of_pages:
        raise unreadable(Reason.SCANNED)
    kept = without_running_lines(pages)
    if not any(kept):
        kept = pages
    marks = {page: list(these) for page, these in groupby(marks_of(reader, number_of_pages), lambda mark: mark.page)}
    writer = _Writer(limits, vocabulary(kept))
    for number, lines in enumerate(kept):
        writer.page(under_marks(lines, marks.get(number, ())))
    return writer.finished(unread)


def _opened(content: bytes) -> PdfReader:
    """Raises Unreadable where it needs a password; an empty one is tried."""
    try:
        reader = PdfReader(BytesIO(content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise unreadable(Reason.PROTECTED)
        len(reader.pages)
    except (DependencyError, FileNotDecryptedError):
        raise unreadable(Reason.PROTECTED) from None
    return reader


def _lines_of(reader: PdfReader, pages: int, limits: ReadingLimits) -> tuple[list[list[str]], list[int]]:
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
            raise unreadable(Reason.TOO_MUCH_TEXT)
        found.append([" ".join(line.split()) for line in text.translate(LIGATURES).splitlines()])
    return found, unread


class _Writer:
    """Holds the last paragraph of a page back until it is known whether the next page goes on with it."""

    def __init__(self, limits: ReadingLimits, words: frozenset[str]) -> None:
        self._out = Manuscript(limits)
        self._words = words
        self._held, self._joint = "", APART

    def page(self, stretches: Sequence[Stretch]) -> None:
        """Write down the next page."""
        blocks = [(stretch.mark, paragraphs(stretch.lines, self._words)) for stretch in stretches]
        first = next(iter(blocks[0][1]), "")
        between = APART
        if self._held and first and goes_on(self._held, first):
            self._held, between = divided(self._held, first, self._words)
        self._release()
        self._joint = between
        self._out.begin_page()
        for mark, texts in blocks:
            if mark is not None:
                self._release()
                self._out.heading(mark.level, mark.title)
            for text in texts:
                self._release()
                self._held = text

    def finished(self, unread: Sequence[int]) -> Draft:
        self._release()
        return self._out.finished(unread=unread)

    def _release(self) -> None:
        if self._held:
            self._out.paragraph(self._held, joint=self._joint)
            self._held, self._joint = "", APART
