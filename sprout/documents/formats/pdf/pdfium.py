"""PDF files through PDFium: words, drawings and bookmarks.

PDFium (through pypdfium2) gives the box, the font and the size of every character about ten times as fast as pypdf or
pdfminer give the mere text, and needs a tenth of their memory. Its objects are read in one pass, since each call
costs more than what is done with its answer.
"""

import ctypes
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from statistics import median

import pypdfium2.raw as pdfium

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.pdf.drawings import Area, Drawings, sort_drawings
from sprout.documents.formats.pdf.fonts import font_named
from sprout.documents.formats.pdf.words import WORD_GAP, Font, Word, is_right_to_left, plain_letters

MAX_BOOKMARKS = 5_000
MAX_OBJECTS = 20_000
MAX_TITLE_BYTES = 1_200
MAX_FONT_NAME = 200
MIN_ASIDE_LETTERS = 40
SAME_SIZE = 0.05
REDRAWN = 0.2  # of the size
MIN_STEPS = 40
NAMELESS, MONOSPACED = Font(), Font(mono=True)
NEARLY_WHITE = 253
_NOTHING = frozenset({0, 10, 13})
_SPACES = frozenset({9, 32, 0xA0, *range(0x2000, 0x200B), 0x202F, 0x3000})
_HYPHENS = frozenset({2, 0xFFFE})  # what PDFium makes of a hyphen at the end of a line
_STROKED = 2
SUPPOSED_GAP = 0.08  # of the size, where PDFium supposes a space
_NO_SPACE, _SUPPOSED, _WRITTEN = 0, 1, 2
_Box = tuple[float, float, float, float]


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

    def count_characters(self, number: int) -> int:
        """The characters of a page, for a limit before they are read. Raises PageUnreadable."""
        with self._text_page(number) as (_, text):
            return int(pdfium.FPDFText_CountChars(text))

    def read_page(self, number: int, *, max_characters: int) -> PdfPage:
        """A page, counted from 0. Raises PageUnreadable; UnreadableDocument beyond the characters."""
        with self._text_page(number) as (page, text):
            if pdfium.FPDFText_CountChars(text) > max_characters:
                raise unreadable(UnreadableReason.TOO_MUCH_TEXT)
            frame = _Frame.of_page(page)
            turned = _WordReader(text, frame).read()
            main = max(turned, key=lambda turn: _letters(turned[turn]), default=0)
            sideways = [word for turn, words in turned.items() if turn != main for word in words]
            width, height = (frame.height, frame.width) if main % 2 else (frame.width, frame.height)
            return PdfPage(
                width,
                height,
                tuple(_visible(turned.get(main, []), width, height)),
                sort_drawings(list(_paths(page, frame, main))),
                tuple(sideways) if _letters(sideways) >= MIN_ASIDE_LETTERS else (),
            )

    def outline(self) -> Iterator[OutlineItem]:
        """The bookmarks from the first to the last; those of a circle once."""
        seen: set[int] = set()
        waiting = [(1, pdfium.FPDFBookmark_GetFirstChild(self._document, None))]
        while waiting and len(seen) <= MAX_BOOKMARKS:
            level, bookmark = waiting.pop()
            address = _address(bookmark)
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


@dataclass(frozen=True, slots=True)
class _Frame:
    """The visible rectangle of a page, as the file has it: y grows upward."""

    left: float
    bottom: float
    width: float
    height: float

    @classmethod
    def of_page(cls, page: pdfium.FPDF_PAGE) -> "_Frame":
        rect = pdfium.FS_RECTF()
        if not pdfium.FPDF_GetPageBoundingBox(page, rect):
            return cls(0, 0, 612, 792)
        return cls(rect.left, rect.bottom, rect.right - rect.left, rect.top - rect.bottom)

    def upright(self, turn: int, x: float, y: float) -> tuple[float, float]:
        """A point on the page that was turned back by so many quarters, with y growing downward."""
        x, y = x - self.left, y - self.bottom
        match turn:
            case 0:
                return x, self.height - y
            case 1:
                return y, x
            case 2:
                return self.width - x, y
            case _:
                return self.height - y, self.width - x

    def box(self, turn: int, left: float, bottom: float, right: float, top: float) -> _Box:
        """A rectangle on that page: left, top, right, bottom."""
        if turn == 0:
            return (
                left - self.left,
                self.bottom + self.height - top,
                right - self.left,
                self.bottom + self.height - bottom,
            )
        (x0, y0), (x1, y1) = self.upright(turn, left, bottom), self.upright(turn, right, top)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


@dataclass(frozen=True, slots=True)
class _Style:
    """What all characters of a text object share.

    Args:
        turn: quarters against the direction of the clock; None for slanting text.
        face: which font it is, where the font has no name.
    """

    font: Font
    size: float
    base: float
    turn: int | None
    face: int | None = None


class _WordReader:
    """Reads the words of one page, by the quarter turns of their direction."""

    def __init__(self, text: pdfium.FPDF_TEXTPAGE, frame: _Frame) -> None:
        self._text, self._frame = text, frame
        self._fonts: dict[int | None, Font] = {}
        self._turned: defaultdict[int, list[Word]] = defaultdict(list)
        self._nameless = _NamelessFonts()
        self._matrix, self._x, self._y = pdfium.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()

    def read(self) -> dict[int, list[Word]]:
        text, rect = self._text, pdfium.FS_RECTF()
        code_at, object_at = partial(pdfium.FPDFText_GetUnicode, text), partial(pdfium.FPDFText_GetTextObject, text)
        box_at, place = partial(pdfium.FPDFText_GetLooseCharBox, text), self._frame.box
        word, reference = _OpenWord(), ctypes.byref(rect)
        current, style, space, high = None, None, _NO_SPACE, 0
        for at in range(pdfium.FPDFText_CountChars(text)):
            code = code_at(at)
            if code <= 32 and code in _NOTHING:
                continue
            if code in _SPACES:
                space = max(space, _SUPPOSED if pdfium.FPDFText_IsGenerated(text, at) == 1 else _WRITTEN)
                continue
            if 0xD800 <= code < 0xE000:
                if code < 0xDC00:
                    high = code
                    continue
                code = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00 if high else 0xFFFD
            handle = object_at(at)
            address = _address(handle)
            if address is None:
                continue
            if address != current:
                current, style = address, self._style(at, handle)
            if style is None or style.turn is None:
                continue
            box_at(at, reference)
            box = place(style.turn, rect.left, rect.bottom, rect.right, rect.top)
            if space == _WRITTEN or not word.takes(style, box, space):
                self._close(word)
                word = _OpenWord(style, space == _WRITTEN)
            space = _NO_SPACE
            word.add("-" if code in _HYPHENS else chr(code), box)
        self._close(word)
        for turn, words in self._turned.items():
            self._nameless.find_monospaced(turn, words)
        return dict(self._turned)

    def _close(self, word: "_OpenWord") -> None:
        if word.style is not None and word.style.turn is not None and (closed := word.close()) is not None:
            words = self._turned[word.style.turn]
            words.append(closed)
            if word.style.face is not None:
                self._nameless.add(word.style.face, word.steps(), word.style.turn, len(words) - 1)

    def _style(self, at: int, handle: pdfium.FPDF_PAGEOBJECT) -> _Style:
        matrix, x, y = self._matrix, self._x, self._y
        pdfium.FPDFText_GetMatrix(self._text, at, matrix)
        pdfium.FPDFText_GetCharOrigin(self._text, at, x, y)
        size = pdfium.FPDFText_GetFontSize(self._text, at) * math.hypot(matrix.c, matrix.d)
        turn = 0 if matrix.b == 0 < matrix.a else _quarters(matrix.a, matrix.b)
        base = self._frame.upright(turn or 0, x.value, y.value)[1]
        face = pdfium.FPDFTextObj_GetFont(handle)
        font = self._font(face)
        if pdfium.FPDFTextObj_GetTextRenderMode(handle) == _STROKED and not font.bold:
            font = replace(font, bold=True)
        return _Style(font, size, base, turn, _address(face) if font is NAMELESS else None)

    def _font(self, handle: pdfium.FPDF_FONT) -> Font:
        address = _address(handle)
        if address not in self._fonts:
            self._fonts[address] = _read_font(handle)
        return self._fonts[address]


def _read_font(handle: pdfium.FPDF_FONT) -> Font:
    name, angle, width = ctypes.create_string_buffer(MAX_FONT_NAME), ctypes.c_int(), ctypes.c_float()
    pdfium.FPDFFont_GetBaseFontName(handle, name, MAX_FONT_NAME)
    if not name.value:
        return NAMELESS
    pdfium.FPDFFont_GetItalicAngle(handle, angle)
    widths = []
    for letter in b"im":
        pdfium.FPDFFont_GetGlyphWidth(handle, letter, 1_000.0, width)
        widths.append(round(width.value))
    return font_named(
        name.value.decode("latin-1"),
        flags=pdfium.FPDFFont_GetFlags(handle),
        weight=pdfium.FPDFFont_GetWeight(handle),
        angle=angle.value,
        one_width=widths[0] == widths[1] > 0,
    )


class _NamelessFonts:
    """Fonts without a name, such as the bitmaps of old TeX: monospaced where all characters are equally wide."""

    def __init__(self) -> None:
        self._steps: defaultdict[int, list[float]] = defaultdict(list)
        self._words: list[tuple[int, int, int]] = []

    def add(self, face: int, steps: Iterable[float], turn: int, at: int) -> None:
        """Note the distances between the characters of a word, and the place of the word."""
        self._steps[face] += steps
        self._words.append((face, turn, at))

    def find_monospaced(self, turn: int, words: list[Word]) -> None:
        """Mark the words in monospaced fonts."""
        found = {face for face, steps in self._steps.items() if _are_equal(steps)}
        for face, own_turn, at in self._words:
            if face in found and own_turn == turn:
                words[at] = replace(words[at], font=MONOSPACED)


def _are_equal(steps: list[float]) -> bool:
    if len(steps) < MIN_STEPS:
        return False
    usual = median(steps)
    return sum(abs(step - usual) <= 0.04 * usual for step in steps) >= 0.95 * len(steps)


class _OpenWord:
    """A word whose next character is not read yet."""

    __slots__ = ("_bottom", "_characters", "_last", "_places", "_spaced", "_top", "_x0", "_x1", "style")

    def __init__(self, style: _Style | None = None, spaced: bool = False) -> None:
        self.style, self._spaced = style, spaced
        self._characters: list[str] = []
        self._places: list[float] = []
        self._x0 = self._top = math.inf
        self._x1 = self._bottom = -math.inf
        self._last: _Box = (0.0, 0.0, 0.0, 0.0)

    def takes(self, style: _Style, box: _Box, space: int) -> bool:
        """Whether a character with this style and box goes on with the word."""
        if self.style is None or (style is not self.style and not _alike(style, self.style)):
            return False
        reach = (SUPPOSED_GAP if space else WORD_GAP) * style.size
        after, before = box[0] - self._last[2], self._last[0] - box[2]
        return -0.5 * style.size < after <= reach or -0.5 * style.size < before <= reach

    def add(self, character: str, box: _Box) -> None:
        self._characters.append(character)
        self._places.append(box[0])
        self._last = box
        x0, top, x1, bottom = box
        self._x0 = min(self._x0, x0)
        self._x1 = max(self._x1, x1)
        self._top = min(self._top, top)
        self._bottom = max(self._bottom, bottom)

    def close(self) -> Word | None:
        """The word; None if nothing of it can be seen."""
        assert self.style is not None
        written = "".join(self._characters)
        if not written.strip():
            return None
        if is_right_to_left(written):
            written = self._right_to_left()
        size, tall = self.style.size, self._bottom - self._top
        if tall > 0 and not 0.3 * tall <= size <= 3 * tall:  # a font of drawings whose size says nothing
            size = 0.8 * tall
        box = self._x0, self._x1, self._top, self._bottom
        return Word(plain_letters(written), *box, self.style.base, size, self.style.font, self._spaced)

    def steps(self) -> Iterator[float]:
        """The distances between its characters, of the size."""
        assert self.style is not None
        size = self.style.size or 1.0
        return ((after - before) / size for before, after in pairwise(self._places))

    def _right_to_left(self) -> str:
        """The characters from right to left; those of one ligature stay in their order."""
        order = sorted(range(len(self._characters)), key=lambda at: (-round(self._places[at], 1), at))
        return "".join(self._characters[at] for at in order)


def _quarters(a: float, b: float) -> int | None:
    """The quarter turns of a direction; None if it slants."""
    angle = math.degrees(math.atan2(b, a)) / 90
    return round(angle) % 4 if abs(angle - round(angle)) < SAME_SIZE else None


def _alike(one: _Style, other: _Style) -> bool:
    same_size = abs(one.size - other.size) <= SAME_SIZE * other.size
    return (
        same_size and one.font == other.font and one.turn == other.turn and abs(one.base - other.base) < 0.08 * one.size
    )


def _visible(words: list[Word], width: float, height: float) -> Iterator[Word]:
    """The words on the page, without what is drawn again at the same place to look bold."""
    seen: set[tuple[str, int, int]] = set()
    for word in words:
        if not (0 <= (word.x0 + word.x1) / 2 <= width and 0 <= word.base <= height):
            continue
        x, y = word.x0 / (REDRAWN * word.size + 0.1), word.base / (REDRAWN * word.size + 0.1)
        columns, rows = (int(x - 0.5), int(x + 0.5)), (int(y - 0.5), int(y + 0.5))
        if not any((word.text, column, row) in seen for column in columns for row in rows):
            yield word
        seen.add((word.text, round(x), round(y)))


def _paths(page: pdfium.FPDF_PAGE, frame: _Frame, turn: int) -> Iterator[tuple[Area, int]]:
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


def _address(handle: object) -> int | None:
    return ctypes.cast(handle, ctypes.c_void_p).value  # type: ignore[arg-type]
