"""Reader of PDF files: the text of all pages as Markdown, with the structure that a person sees in print.

The way of a page: PDFium's characters become words (`pdfium`), words become lines (`lines`), running headers go, and
the rest is laid out in columns, tables, boxes and footnotes (`layout`). What is known of all pages (the size of the
running text, the bookmarks, the styles of headings) then turns lines into blocks (`blocks`), which are written.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.formats.built_slides import are_shown_again
from sprout.documents.formats.markdown_writer import DocumentText
from sprout.documents.formats.pdf.blocks import Block, PrintStyle, build_blocks, build_notes, leading_of
from sprout.documents.formats.pdf.formulas import with_formulas
from sprout.documents.formats.pdf.handouts import grid_of, slides_of
from sprout.documents.formats.pdf.headings import (
    HeadingCandidate,
    Style,
    find_candidates,
    levels_of_slides,
    rank_styles,
    style_of,
    without_contents,
    without_lead_ins,
    without_title_page,
    without_titles_of_figures,
)
from sprout.documents.formats.pdf.hyphenation import vocabulary
from sprout.documents.formats.pdf.layout import PageLayout, lay_out
from sprout.documents.formats.pdf.lines import Line, find_rows
from sprout.documents.formats.pdf.outline import Bookmark, find_titles, usable_bookmarks
from sprout.documents.formats.pdf.pdfium import PageUnreadable, PdfFile, PdfPage, open_pdf
from sprout.documents.formats.pdf.running_headers import row_text, strip_running_headers
from sprout.documents.formats.pdf.writer import PageWriter
from sprout.documents.limits import ReadingLimits

MIN_LETTERS_PER_PAGE = 5
MAX_UNREAD_SHARE = 0.5
TYPEWRITER_SHARE = 0.6
BLANK = PdfPage(612, 792, ())


def read_pdf(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text of all pages, under the headings. Raises UnreadableDocument."""
    with open_pdf(content) as file:
        if not file.pages:
            raise unreadable(UnreadableReason.DAMAGED, detail="no pages")
        if file.pages > limits.pages:
            raise unreadable(UnreadableReason.TOO_MANY_PAGES)
        pages, unread = _read_pages(file, limits)
        bookmarks = usable_bookmarks(file.outline(), file.pages)
    if len(unread) > MAX_UNREAD_SHARE * len(pages):
        raise unreadable(UnreadableReason.DAMAGED, detail="pages")
    letters = sum(c.isalpha() for page in pages for word in page.words for c in word.text)
    if letters < MIN_LETTERS_PER_PAGE * len(pages):
        raise unreadable(UnreadableReason.SCANNED)
    return _write(pages, bookmarks, unread, limits)


def _read_pages(file: PdfFile, limits: ReadingLimits) -> tuple[list[PdfPage], list[int]]:
    """All pages, and the numbers of those that cannot be read, which are blank."""
    found: list[PdfPage] = []
    unread: list[int] = []
    characters = 0
    for number in range(file.pages):
        try:
            page = file.read_page(number, max_characters=limits.characters)
        except PageUnreadable:
            unread.append(number + 1)
            page = BLANK
        characters += sum(len(word.text) for word in page.words)
        if characters > limits.characters:
            raise unreadable(UnreadableReason.TOO_MUCH_TEXT)
        found.append(page)
    return found, unread


def _write(
    printed: Sequence[PdfPage], bookmarks: Sequence[Bookmark], unread: Sequence[int], limits: ReadingLimits
) -> DocumentText:
    grid = grid_of(printed)
    pages = [slide for page in printed for slide in slides_of(page, grid)]
    bookmarks = [replace(mark, page=mark.page * grid.slides) for mark in bookmarks]
    rows = [find_rows(with_formulas(page.words, page.drawings.bars), number) for number, page in enumerate(pages)]
    body = strip_running_headers(rows)
    if not any(body):
        body = rows
    shown_again = are_shown_again([[*map(row_text, page)] for page in body])
    body = [[] if is_again else page for page, is_again in zip(body, shown_again, strict=True)]
    sizes = _sizes(body)
    body_size = sizes.most_common(1)[0][0]
    layouts = [
        lay_out(these, page.drawings, area=page.width * page.height, body_size=body_size)
        for these, page in zip(body, pages, strict=True)
    ]
    words = vocabulary(line.text for page in body for row in page for line in row)
    wide = sum(page.width > page.height for page in pages)
    headings = _find_headings(layouts, bookmarks, body_size, sum(sizes.values()), are_slides=2 * wide > len(pages))
    style = PrintStyle(words, body_size, _is_typewritten(body), headings.at)
    writer = PageWriter(limits, words)
    for number, (layout, page) in enumerate(zip(layouts, pages, strict=True)):
        blocks = list(_blocks(layout, page, style, headings.above.get(number)))
        writer.write_page(blocks, is_new=number % grid.slides == 0)
    return writer.finish(unread)


def _blocks(layout: PageLayout, page: PdfPage, style: PrintStyle, above: Bookmark | None) -> Iterator[Block]:
    if above is not None:
        yield Block("heading", above.title, above.level)
    for column in layout.columns:
        yield from build_blocks(column, style)
    yield from build_notes(layout.notes, style)
    sideways = [line for row in find_rows(page.sideways) for line in row]
    yield from build_notes(sideways, style)


def _sizes(pages: Sequence[Sequence[Sequence[Line]]]) -> Counter[float]:
    """The number of characters in each size, to half a point; that of the running text has the most."""
    found: Counter[float] = Counter()
    for page in pages:
        for row in page:
            for line in row:
                found[round(2 * line.size) / 2] += len(line.text)
    return found


def _is_typewritten(pages: Sequence[Sequence[Sequence[Line]]]) -> bool:
    words = [word for page in pages for row in page for line in row for word in line.words]
    return sum(len(word.text) for word in words if word.font.mono) > TYPEWRITER_SHARE * sum(
        len(word.text) for word in words
    )


@dataclass(slots=True)
class _Headings:
    """The headings by their first lines, and those above a page whose title is not printed."""

    by_line: dict[int, tuple[int, str, int]] = field(default_factory=dict)
    above: dict[int, Bookmark] = field(default_factory=dict)

    def at(self, line: Line) -> tuple[int, str, int] | None:
        return self.by_line.get(id(line))


def _find_headings(
    layouts: Sequence[PageLayout],
    bookmarks: Sequence[Bookmark],
    body_size: float,
    characters: int,
    *,
    are_slides: bool,
) -> _Headings:
    """The headings of all pages: those with a bookmark, and those set like headings."""
    found = _Headings()
    marked: defaultdict[Style, Counter[int]] = defaultdict(Counter)
    taken: set[int] = set()
    for number, marks in groupby(bookmarks, key=lambda mark: mark.page):
        lines = [line for column in layouts[number].columns for line in column.lines]
        for title in find_titles([line.text for line in lines], list(marks)):
            if title.start == title.end:
                found.above[number] = title.bookmark
                continue
            these = lines[title.start : title.end]
            found.by_line[id(these[0])] = (title.bookmark.level, title.bookmark.title, len(these))
            marked[style_of(these[0])][title.bookmark.level] += 1
            taken.update(map(id, these))
    candidates = [one for one in _candidates(layouts, body_size) if not taken.intersection(map(id, one.lines))]
    candidates = without_lead_ins(without_contents(without_title_page(candidates, len(layouts))))
    if not are_slides:
        candidates = without_titles_of_figures(candidates, marked)
    plain = (body_size, False)
    levels = rank_styles(candidates, {style: of for style, of in marked.items() if style > plain}, characters)
    ranked = [(candidate, level) for candidate in candidates if (level := levels.level_of(candidate))]
    if are_slides and not bookmarks:
        counts = {number: sum(len(column.lines) for column in one.columns) for number, one in enumerate(layouts)}
        ranked = levels_of_slides(ranked, counts)
    for candidate, level in ranked:
        found.by_line[id(candidate.lines[0])] = (level, candidate.text, len(candidate.lines))
    return found


def _candidates(layouts: Sequence[PageLayout], body_size: float) -> Iterator[HeadingCandidate]:
    columns = [column for layout in layouts for column in layout.columns]
    of_size = [line for column in columns for line in column.lines if style_of(line)[0] == body_size]
    bold = sum(len(line.text) for line in of_size if style_of(line)[1])
    body = (body_size, 2 * bold > sum(len(line.text) for line in of_size))
    for column in columns:
        yield from find_candidates(column, body, leading_of(column))
