"""PDF files made by hand, good and bad ones: objects, a table of them, a trailer."""

import zlib
from collections.abc import Sequence

WIDE = b"[0 0 612 792]"


def pdf(objects: dict[int, bytes], *, root: int = 1, trailer: bytes = b"") -> bytes:
    """A file of these numbered objects."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
    out += b"trailer\n<< /Size %d /Root %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, root, trailer, table)
    return bytes(out)


def stream(data: bytes, entries: bytes = b"", *, packed: bool = False) -> bytes:
    """A stream object."""
    if packed:
        data, entries = zlib.compress(data, 9), entries + b" /Filter /FlateDecode"
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def shown(lines: Sequence[str]) -> bytes:
    """PDF operators that draw these lines below one another; umlauts in Windows encoding."""
    drawn = b"".join(b"(%s) Tj T*\n" % _escaped(line) for line in lines)
    return b"BT /F1 11 Tf 14 TL 72 740 Td\n%sET" % drawn


def _escaped(line: str) -> bytes:
    return line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
Bookmark = tuple[str, int]


def printed(
    pages: Sequence[Sequence[str]], *, bookmarks: Sequence[Bookmark] = (), box: bytes = WIDE, catalog: bytes = b""
) -> bytes:
    """A file whose pages show these lines; each bookmark is a title and its page, counted from 0."""
    objects = {3: FONT}
    first = 10
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(pages)))
    objects[2] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages))
    for number, lines in enumerate(pages):
        page = first + 2 * number
        objects[page] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox %s /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
            % (box, page + 1)
        )
        objects[page + 1] = stream(shown(lines), packed=True)
    if bookmarks:
        at = first + 2 * len(pages)
        catalog += b" /Outlines %d 0 R" % at
        objects |= _outlines(at, bookmarks, first)
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog
    return pdf(objects)


def _outlines(at: int, bookmarks: Sequence[Bookmark], first: int) -> dict[int, bytes]:
    last = at + len(bookmarks)
    objects = {at: b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (at + 1, last, len(bookmarks))}
    for number, (title, page) in enumerate(bookmarks, start=1):
        following = b"/Next %d 0 R" % (at + number + 1) if number < len(bookmarks) else b""
        encoded_title = b"\xfe\xff" + title.encode("utf-16-be")
        objects[at + number] = b"<< /Title <%s> /Parent %d 0 R /Dest [%d 0 R /Fit] %s >>" % (
            encoded_title.hex().encode(),
            at,
            first + 2 * page,
            following,
        )
    return objects


def one_page(content: bytes, *, page: bytes = b"", others: dict[int, bytes] | None = None) -> bytes:
    """A file with one page that draws this."""
    return pdf(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            3: FONT,
            4: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> %s >>" % page,
            5: content,
            **(others or {}),
        }
    )


def slow_pages(count: int, operators: int) -> bytes:
    """Pages that all share one stream, which is small and takes long."""
    drawn = b"BT /F1 1 Tf\n" + b"[(a)-300(b)]TJ 1 0 0 1 0 0 cm\n" * operators + b"ET"
    kids = b" ".join(b"%d 0 R" % number for number in range(10, 10 + count))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources 6 0 R >>"
    return pdf(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
            3: FONT,
            6: b"<< /Font << /F1 3 0 R >> >>",
            5: stream(drawn, packed=True),
            **dict.fromkeys(range(10, 10 + count), page),
        }
    )


def scanned(pages: int = 2) -> bytes:
    """Pages with a picture each and no text."""
    picture = stream(
        b"\x80" * 64,
        b"/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8",
    )
    kids = b" ".join(b"%d 0 R" % number for number in range(10, 10 + pages))
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R "
        b"/Resources << /XObject << /I 6 0 R >> >> >>"
    )
    return pdf(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
            5: stream(b"612 0 0 792 0 0 cm /I Do"),
            6: picture,
            **dict.fromkeys(range(10, 10 + pages), page),
        }
    )
