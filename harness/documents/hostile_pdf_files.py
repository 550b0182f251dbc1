"""PDF files that mean harm, by what they try."""

import random
import zlib

from harness.documents.pdf_files import FONT, one_page, pdf, printed, shown, slow_pages, stream

TEXT = "Heat is energy that moves."
CATALOG = b"<< /Type /Catalog /Pages 2 0 R %s>>"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
SHOWN = stream(shown([TEXT]))


def quick() -> dict[str, bytes]:
    """Those that are small and soon dealt with; no two try the same."""
    return {
        "page tree in a circle": _tree(b"/Kids [2 0 R 4 0 R] /Count 2"),
        "page tree in a circle of three": _tree(
            b"/Kids [6 0 R 4 0 R] /Count 2",
            {6: b"<< /Type /Pages /Kids [7 0 R] /Count 1 >>", 7: b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"},
        ),
        "page tree that is deep": _deep_tree(5_000),
        "a page many times": _tree(b"/Kids [%s] /Count 500" % (b"4 0 R " * 500)),
        "a count that lies": _tree(b"/Kids [4 0 R] /Count 999999999"),
        "no pages": _tree(b"/Kids [] /Count 0"),
        "outline in a circle": _outlined({6: b"<< /First 7 0 R >>", 7: b"<< /Title (a) /Next 7 0 R /First 6 0 R >>"}),
        "outline that is deep": _outlined(_deep_outline(5_000)),
        "outline without titles": _outlined({6: b"<< /First 7 0 R >>", 7: b"<< /Dest [4 0 R /Fit] >>"}),
        "huge page": printed([[TEXT]], box=b"[0 0 %s -1]" % (b"9" * 12)),
        "script on opening": _with_catalog(
            b"/OpenAction << /S /JavaScript /JS (app.launchURL\\('http://127.0.0.1:9'\\)) >> "
        ),
        "launch on opening": _with_catalog(b"/OpenAction << /S /Launch /F (/bin/sh) >> "),
        "form that draws itself": one_page(
            stream(b"/X Do"),
            page=b"/Resources << /XObject << /X 6 0 R >> >>",
            others={6: stream(b"/X Do", b"/Type /XObject /Subtype /Form /Resources << /XObject << /X 6 0 R >> >>")},
        ),
        "contents that contain themselves": one_page(b"[5 0 R 5 0 R]"),
        "resources in a circle": one_page(SHOWN, page=b"/Resources 4 0 R"),
        "length that lies": one_page(SHOWN.replace(b"/Length ", b"/Length 99999999")),
        "length that is itself": one_page(b"<< /Length 5 0 R >>\nstream\nBT ET\nendstream"),
        "filters without end": one_page(stream(b"a", b"/Filter [%s]" % (b"/FlateDecode " * 500))),
        "stream that unpacks to much": one_page(stream(b" " * 90_000_000, packed=True)),
        "packed a hundred times": one_page(_packed_again(b" " * 1_000_000, 15)),
        "table that points to itself": _pointing_back(),
        "character map that is huge": one_page(
            SHOWN,
            others={3: FONT.replace(b">>", b"/ToUnicode 6 0 R >>"), 6: stream(_huge_map())},
        ),
        "numbers without end": one_page(stream(b"BT /F1 " + b"9" * 100_000 + b" Tf (a) Tj ET")),
        "brackets without end": one_page(stream(b"[" * 200_000)),
        "dictionaries without end": one_page(b"<< /A " * 20_000),
    }


def slow() -> dict[str, bytes]:
    """Those that only a limit of time or memory ends."""
    return {
        "100 pages that share one slow stream": slow_pages(100, 60_000),
        "2,000 pages that share one stream": slow_pages(2_000, 2_000),
        "one page of many operators": slow_pages(1, 400_000),
        "many streams that unpack to much": _many_streams(60),
    }


def truncated(parts: int = 50) -> list[bytes]:
    """A good file, cut after every so many parts."""
    whole = printed([[TEXT, "It flows."], ["Cold does not."]], bookmarks=[("Heat", 0)])
    return [whole[: len(whole) * number // parts] for number in range(1, parts)]


def noise(count: int, seed: int) -> list[bytes]:
    """Random bytes that begin like a PDF, and good files with random bytes in them."""
    draw = random.Random(seed)
    whole = printed([[TEXT, "It flows."], ["Cold does not."]], bookmarks=[("Heat", 0)])
    found = []
    for _ in range(count):
        found.append(b"%PDF-1.7\n" + draw.randbytes(draw.randrange(2_000)))
        at, length = draw.randrange(len(whole)), draw.randrange(1, 40)
        found.append(whole[:at] + draw.randbytes(length) + whole[at + length :])
    return found


def _tree(pages: bytes, others: dict[int, bytes] | None = None) -> bytes:
    tree = b"<< /Type /Pages %s >>" % pages
    return pdf({1: CATALOG % b"", 2: tree, 3: FONT, 4: PAGE, 5: SHOWN, **(others or {})})


def _with_catalog(entries: bytes) -> bytes:
    return pdf({1: CATALOG % entries, 2: b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>", 3: FONT, 4: PAGE, 5: SHOWN})


def _deep_tree(depth: int) -> bytes:
    below = {
        10 + number: b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (11 + number if number < depth - 1 else 4)
        for number in range(depth)
    }
    return _tree(b"/Kids [10 0 R] /Count 1", below)


def _outlined(objects: dict[int, bytes]) -> bytes:
    return pdf(
        {
            1: CATALOG % b"/Outlines 6 0 R ",
            2: b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            3: FONT,
            4: PAGE,
            5: SHOWN,
            **objects,
        }
    )


def _deep_outline(depth: int) -> dict[int, bytes]:
    return {6: b"<< /First 7 0 R >>"} | {
        number: b"<< /Title (a) /Dest [4 0 R /Fit] /First %d 0 R >>" % (number + 1) for number in range(7, 7 + depth)
    }


def _packed_again(data: bytes, times: int) -> bytes:
    for _ in range(times):
        data = zlib.compress(data, 9)
    return stream(data, b"/Filter [%s]" % (b"/FlateDecode " * times))


def _pointing_back() -> bytes:
    whole = one_page(SHOWN)
    table = int(whole.rsplit(b"startxref", maxsplit=1)[1].split()[0])
    return whole.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %d" % table)


def _huge_map() -> bytes:
    return b"begincmap\n1 beginbfrange\n<0000> <FFFFFFFF> <0041>\nendbfrange\nendcmap"


def _many_streams(count: int) -> bytes:
    parts = b" ".join(b"%d 0 R" % number for number in range(10, 10 + count))
    one = stream(b"(a) Tj " * 8_000_000, packed=True)
    return one_page(b"[%s]" % parts, others=dict.fromkeys(range(10, 10 + count), one))
