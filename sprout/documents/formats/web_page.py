"""Reader of web pages: the structure of their main content; nothing hidden, executed or fetched."""

import re

from lxml import etree

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.file_types import bom_encoding
from sprout.documents.formats.html.page_content import main_content
from sprout.documents.formats.html.page_formulas import find_tex_markup
from sprout.documents.formats.html.page_inline import PageMarks
from sprout.documents.formats.html.page_notes import find_notes
from sprout.documents.formats.html.page_walker import PageWalker
from sprout.documents.formats.markdown_writer import DocumentText, MarkdownWriter
from sprout.documents.formats.plain_text import decode_text
from sprout.documents.limits import ReadingLimits

_FRONT_MATTER = re.compile(rb"\A---[ \t]*\r?\n(?:[^\n]*\n){0,60}?---[ \t]*\r?\n")  # for a generator of sites


def read_web_page(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The visible text. Raises UnreadableDocument."""
    content = _FRONT_MATTER.sub(b"", content)
    parser = _html_parser(content)
    root = etree.fromstring(_to_utf8(content), parser)
    if any(error.level_name == "FATAL" for error in parser.error_log):  # the rest of the page would be missing
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    out = MarkdownWriter(limits)
    walker = PageWalker(out, PageMarks(find_notes(root), find_tex_markup(root)))
    main = main_content(root)
    title = root.findtext(".//title")
    heading = root.find(".//h1")
    if heading is not None and main.find(".//h1") is None:
        walker.walk(heading)
    elif title and heading is None:
        out.write_heading(1, title)
    walker.walk(main)
    walker.end_block()
    walker.write_notes()
    return out.finish()


def _html_parser(content: bytes) -> etree.HTMLParser:
    """A parser without network and comments; UTF-8 if the bytes are valid, else the encoding that the page declares."""
    try:
        content.decode("utf-8")
        encoding: str | None = "utf-8"
    except UnicodeDecodeError:
        encoding = "utf-8" if bom_encoding(content) else None
    return etree.HTMLParser(encoding=encoding, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)


def _to_utf8(content: bytes) -> bytes:
    """The page as UTF-8 if a byte order mark names its encoding, which lxml ignores."""
    return decode_text(content).encode("utf-8", "replace") if bom_encoding(content) else content
