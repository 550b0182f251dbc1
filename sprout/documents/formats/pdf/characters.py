"""Characters of a page, as PDFium has them, as words with their fonts and places.

All is read in one pass over the characters, since each call into PDFium costs more than what is done with its answer.
"""

import ctypes
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from statistics import median

import pypdfium2.raw as pdfium

from sprout.documents.formats.pdf.fonts import font_named
from sprout.documents.formats.pdf.tex_fonts import printed_signs
from sprout.documents.formats.pdf.words import WORD_GAP, Font, Word, is_right_to_left, plain_letters

MAX_FONT_NAME = 200
SAME_SIZE = 0.05
REDRAWN = 0.2  # of the size
MIN_STEPS = 40
NAMELESS, MONOSPACED = Font(), Font(mono=True)
SUPPOSED_GAP = 0.08  # of the size, where PDFium supposes a space
_NOTHING = frozenset({0, 10})
_RETURN = 13  # of PDFium at the end of a line, else a ligature
_SPACES = frozenset({9, 32, 0xA0, *range(0x2000, 0x200B), 0x202F, 0x3000})
_HYPHENS = frozenset({2, 0xFFFE})  # what PDFium makes of a hyphen at the end of a line
_STROKED = 2
_NO_SPACE, _SUPPOSED, _WRITTEN = 0, 1, 2
_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The visible rectangle of a page, as the file has it: y grows upward."""

    left: float
    bottom: float
    width: float
    height: float

    @classmethod
    def of_page(cls, page: pdfium.FPDF_PAGE) -> "PageFrame":
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


def read_words(text: pdfium.FPDF_TEXTPAGE, frame: "PageFrame") -> dict[int, list[Word]]:
    """The words of a page in the order of the file, by the quarter turns of their direction; slanting ones left out."""
    return _WordReader(text, frame).read()


@dataclass(frozen=True, slots=True)
class _Style:
    """Properties that all characters of a text object share.

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

    def __init__(self, text: pdfium.FPDF_TEXTPAGE, frame: PageFrame) -> None:
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
            if code in _NOTHING or (code == _RETURN and pdfium.FPDFText_IsGenerated(text, at) == 1):
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
            address = address_of(handle)
            if address is None:
                continue
            if address != current:
                current, style = address, self._style(at, handle)
            if style is None or style.turn is None:
                continue
            box_at(at, reference)
            box = place(style.turn, rect.left, rect.bottom, rect.right, rect.top)
            if space == _WRITTEN or not word.takes(style, box, space):
                spaced = space == _WRITTEN or (
                    space == _SUPPOSED and chr(code).isalpha() and word.ends_before(style, box)
                )
                self._close(word)
                word = _OpenWord(style, spaced)
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
        return _Style(font, size, base, turn, address_of(face) if font is NAMELESS else None)

    def _font(self, handle: pdfium.FPDF_FONT) -> Font:
        address = address_of(handle)
        if address not in self._fonts:
            self._fonts[address] = _read_font(handle)
        return self._fonts[address]


def _read_font(handle: pdfium.FPDF_FONT) -> Font:
    name, angle = ctypes.create_string_buffer(MAX_FONT_NAME), ctypes.c_int()
    pdfium.FPDFFont_GetBaseFontName(handle, name, MAX_FONT_NAME)
    if not name.value:
        return NAMELESS
    pdfium.FPDFFont_GetItalicAngle(handle, angle)
    return font_named(
        name.value.decode("latin-1"),
        flags=pdfium.FPDFFont_GetFlags(handle),
        weight=pdfium.FPDFFont_GetWeight(handle),
        angle=angle.value,
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

    def ends_before(self, style: _Style, box: _Box) -> bool:
        """Whether it is a word that ends before a letter of another font: slanting letters reach into the space."""
        if self.style is None or len(self._characters) < 2 or not self._characters[-1].isalpha():
            return False
        on_line = _is_level(style, self.style) and box[0] - self._last[2] > SUPPOSED_GAP * style.size
        return on_line and not style.font.math

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
        written = printed_signs("".join(self._characters), self.style.font.tex)
        if not written.strip():
            return None
        if is_right_to_left(written):
            written = self._right_to_left()
        size, tall = self.style.size, self._bottom - self._top
        if tall > 0 and not 0.3 * tall <= size <= 3 * tall:  # a font of drawings whose size says nothing
            size = 0.8 * tall
        box = self._x0, self._x1, self._top, self._bottom
        return Word(
            plain_letters(printed_signs(written, self.style.font.tex)),
            *box,
            self.style.base,
            size,
            self.style.font,
            self._spaced,
        )

    def steps(self) -> Iterator[float]:
        """The distances from its letters to the characters after them, of the size; digits are equally wide in most
        fonts."""
        assert self.style is not None
        size = self.style.size or 1.0
        steps = ((after - before) / size for before, after in pairwise(self._places))
        return (step for step, character in zip(steps, self._characters, strict=False) if character.isalpha())

    def _right_to_left(self) -> str:
        """The characters from right to left; those of one ligature stay in their order."""
        order = sorted(range(len(self._characters)), key=lambda at: (-round(self._places[at], 1), at))
        return "".join(self._characters[at] for at in order)


def _quarters(a: float, b: float) -> int | None:
    """The quarter turns of a direction; None if it slants."""
    angle = math.degrees(math.atan2(b, a)) / 90
    return round(angle) % 4 if abs(angle - round(angle)) < SAME_SIZE else None


def _alike(one: _Style, other: _Style) -> bool:
    return one.font == other.font and _is_level(one, other)


def _is_level(one: _Style, other: _Style) -> bool:
    """Whether both are equally large and stand on one line."""
    same_size = abs(one.size - other.size) <= SAME_SIZE * other.size
    return same_size and one.turn == other.turn and abs(one.base - other.base) < 0.08 * one.size


def visible_words(words: list[Word], width: float, height: float) -> Iterator[Word]:
    """The words that are at least partly on the page, without what is drawn again at the same place to look bold."""
    seen: set[tuple[str, int, int]] = set()
    for word in words:
        if not (word.x0 <= width and word.x1 >= 0 and 0 <= word.base <= height):
            continue
        x, y = word.x0 / (REDRAWN * word.size + 0.1), word.base / (REDRAWN * word.size + 0.1)
        columns, rows = (int(x - 0.5), int(x + 0.5)), (int(y - 0.5), int(y + 0.5))
        if not any((word.text, column, row) in seen for column in columns for row in rows):
            yield word
        seen.add((word.text, round(x), round(y)))


def address_of(handle: object) -> int | None:
    """The address of an object of PDFium; None for a null pointer."""
    return ctypes.cast(handle, ctypes.c_void_p).value  # type: ignore[arg-type]
