"""Reader of web pages: headings, paragraphs, lists, code and tables; nothing hidden, executed or fetched."""

import re
from typing import Any

from lxml import html

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.file_types import bom_encoding
from sprout.documents.formats.markdown_writer import DocumentText, MarkdownWriter
from sprout.documents.formats.plain_text import decode_text
from sprout.documents.limits import ReadingLimits

_SKIPPED_TAGS = frozenset(
    "audio base button canvas datalist embed frame frameset head iframe input link map math meta nav noembed noframes "
    "noscript object option param picture script select source style svg template textarea title track video".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "header hgroup html legend main p section summary".split()
)
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f]+")
_MAX_DEPTH = 300


def read_web_page(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The visible text. Raises UnreadableDocument."""
    parser = _html_parser(content)
    root = html.document_fromstring(_to_utf8(content), parser=parser, ensure_head_body=True)
    if any(error.level_name == "FATAL" for error in parser.error_log):  # the rest of the page would be missing
        raise unreadable(UnreadableReason.HOSTILE, detail="depth")
    walk = _HtmlWalker(MarkdownWriter(limits))
    title = root.findtext(".//title")
    if title and root.find(".//h1") is None:
        walk.out.write_heading(1, title)
    walk.walk(root)
    walk.end_block()
    return walk.out.finish()


def _html_parser(content: bytes) -> html.HTMLParser:
    """A parser without network and comments; UTF-8 if the bytes are valid, else the encoding that the page declares."""
    try:
        content.decode("utf-8")
        encoding: str | None = "utf-8"
    except UnicodeDecodeError:
        encoding = "utf-8" if bom_encoding(content) else None
    return html.HTMLParser(encoding=encoding, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)


def _to_utf8(content: bytes) -> bytes:
    """The page as UTF-8 if a byte order mark names its encoding, which lxml ignores."""
    return decode_text(content).encode("utf-8", "replace") if bom_encoding(content) else content


class _HtmlWalker:
    """Walks the elements in order and collects the text of the current block."""

    def __init__(self, out: MarkdownWriter) -> None:
        self.out = out
        self._text_parts: list[str] = []
        self._lists: list[str] = []
        self._marker = "-"
        self._in_item = False
        self._list_continues = False

    def walk(self, element: Any, depth: int = 0) -> None:
        """The element and all below it."""
        tag = element.tag if isinstance(element.tag, str) else ""
        if not tag or tag in _SKIPPED_TAGS or _is_hidden(element):
            return
        if depth > _MAX_DEPTH:
            raise unreadable(UnreadableReason.HOSTILE, detail="depth")
        if tag in _HEADINGS:
            self.end_block()
            self.out.write_heading(_HEADINGS[tag], _inner_text(element))
        elif tag == "pre":
            self.end_block()
            self.out.write_code(_inner_text(element))
        elif tag == "table" and not element.findall(".//table"):
            self.end_block()
            self.out.write_table(_rows(element))
        elif tag in _LISTS:
            self._walk_list(element, tag, depth)
        elif tag == "br":
            self._text_parts.append("\n")
        else:
            self._walk_children(element, tag, depth)

    def _walk_children(self, element: Any, tag: str, depth: int) -> None:
        apart = tag in _BLOCKS or tag in ("li", "tr", "td", "th", "table", "tbody", "hr")
        if apart and not self._in_item:
            self.end_block()
        elif apart:
            self._text_parts.append(" ")
        self._add_text(element.text)
        for child in element:
            self.walk(child, depth + 1)
            self._add_text(child.tail)
        if apart and not self._in_item:
            self.end_block()
        elif apart:
            self._text_parts.append(" ")

    def _walk_list(self, element: Any, tag: str, depth: int) -> None:
        """Write the items; a nested list ends the text of its item."""
        self.end_block()
        outermost, self._lists = not self._lists, [*self._lists, tag]
        self._list_continues = self._list_continues and not outermost
        number = 0
        for child in element:
            was_in_item, self._in_item = self._in_item, True
            if child.tag == "li":
                number += 1
                self._marker = f"{number}." if tag == "ol" else "-"
            self.walk(child, depth + 1)
            self.end_block()
            self._in_item = was_in_item
        self._lists = self._lists[:-1]

    def _add_text(self, text: str | None) -> None:
        if text:
            self._text_parts.append(_SPACE.sub(" ", text))

    def end_block(self) -> None:
        """Write the current block."""
        text = "\n".join(line.strip() for line in "".join(self._text_parts).split("\n")).strip()
        self._text_parts = []
        if not text:
            return
        if self._lists:
            self.out.write_list_item(
                text, depth=len(self._lists) - 1, marker=self._marker, first=not self._list_continues
            )
            self._list_continues = True
        else:
            self.out.write_paragraph(text)


def _is_hidden(element: Any) -> bool:
    style = element.get("style") or ""
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or (bool(style) and _HIDDEN_STYLE.search(style) is not None)
    )


def _inner_text(element: Any) -> str:
    """All visible text inside."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag not in _SKIPPED_TAGS and not _is_hidden(child):
            parts.append("\n" if child.tag == "br" else _inner_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _rows(table: Any) -> list[list[str]]:
    return [[_inner_text(cell) for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
