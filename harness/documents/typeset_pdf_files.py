"""PDF files that are set in type: words of several fonts and sizes at given places, rules and rectangles."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.documents.pdf_files import pdf, stream

FONTS = ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Courier", "Times-Roman", "Symbol")
PLAIN, BOLD, ITALIC, CODE, TIMES = "Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Courier", "Times-Roman"
WIDTH, HEIGHT = 612, 792
LEADING = 14.0


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one font; `x` and `y` are points from the left and the upper edge, `y` of the base line."""

    x: float
    y: float
    text: str
    font: str = PLAIN
    size: float = 11
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle from its upper left corner; as thin as half a point it is a rule."""

    x: float
    y: float
    width: float
    height: float
    shade: float = 0.9


Drawn = Run | Rectangle


def column(x: float, y: float, lines: Sequence[str], *, font: str = PLAIN, size: float = 11) -> list[Drawn]:
    """Lines below one another, an empty one for a gap."""
    step = LEADING * size / 11
    return [Run(x, y + number * step, line, font, size) for number, line in enumerate(lines) if line]


def inline(x: float, y: float, *parts: tuple[str, str], size: float = 11) -> Drawn:
    """One line of several fonts: (font, text) pairs, drawn one after the other."""
    return _Mixed(x, y, "", PLAIN, size, parts=tuple(parts))


@dataclass(frozen=True, slots=True)
class _Mixed(Run):
    parts: tuple[tuple[str, str], ...] = ()


def typeset(pages: Sequence[Sequence[Drawn]], *, rotate: int = 0, width: int = WIDTH) -> bytes:
    """A file of these pages, each so many points wide."""
    objects: dict[int, bytes] = {}
    fonts = b" ".join(b"/F%d %d 0 R" % (at, 3 + at) for at in range(len(FONTS)))
    for at, name in enumerate(FONTS):
        encoding = b"" if name == "Symbol" else b" /Encoding /WinAnsiEncoding"
        objects[3 + at] = b"<< /Type /Font /Subtype /Type1 /BaseFont /%s%s >>" % (name.encode(), encoding)
    first = 20
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(pages)))
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[2] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages))
    for number, drawn in enumerate(pages):
        at = first + 2 * number
        objects[at] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Rotate %d /Contents %d 0 R "
            b"/Resources << /Font << %s >> >> >>" % (width, HEIGHT, rotate, at + 1, fonts)
        )
        objects[at + 1] = stream(b"".join(_operators(one) for one in drawn), packed=True)
    return pdf(objects)


def _operators(drawn: Drawn) -> bytes:
    if isinstance(drawn, Rectangle):
        bottom = HEIGHT - drawn.y - drawn.height
        return b"%.2f g %.2f %.2f %.2f %.2f re f 0 g\n" % (drawn.shade, drawn.x, bottom, drawn.width, drawn.height)
    turn = b"0 1 -1 0" if drawn.turned else b"1 0 0 1"
    parts = drawn.parts if isinstance(drawn, _Mixed) else ((drawn.font, drawn.text),)
    shown = b"".join(b"/F%d %.2f Tf (%s) Tj " % (FONTS.index(font), drawn.size, _escaped(text)) for font, text in parts)
    return b"BT %s %.2f %.2f Tm %sET\n" % (turn, drawn.x, HEIGHT - drawn.y, shown)


def _escaped(text: str) -> bytes:
    return text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
