"""A web page as text: its headings, paragraphs, lists, code and tables; nothing that is hidden, run or fetched."""

import re
from typing import Any

from lxml import html

from sprout.documents.kinds import encoding_mark
from sprout.documents.limits import ReadingLimits
from sprout.documents.manuscript import Draft, Manuscript
from sprout.documents.plain import decoded
from sprout.documents.reasons import Reason, unreadable

_LEFT_OUT = frozenset(
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
_DEEPEST = 300


def page_draft(content: bytes, limits: ReadingLimits) -> Draft:
    """What a reader of the page would see. Raises Unreadable."""
    parser = _parser(content)
    root = html.document_fromstring(_bytes(content), parser=parser, ensure_head_body=True)
    if any(error.level_name == "FATAL" for error in parser.error_log):  # the rest of the page would be missing
        raise unreadable(Reason.HOSTILE, detail="depth")
    walk = _Walk(Manuscript(limits))
    title = root.findtext(".//title")
    if title and root.find(".//h1") is None:
        walk.out.heading(1, title)
    walk.through(root)
    walk.end_block()
    return walk.out.finished()


def _parser(content: bytes) -> html.HTMLParser:
    """What neither fetches nor keeps comments; UTF-8 where the bytes are, else what the page says of itself."""
    try:
        content.decode("utf-8")
        encoding: str | None = "utf-8"
    except UnicodeDecodeError:
        encoding = "utf-8" if encoding_mark(content) else None
    return html.HTMLParser(encoding=encoding, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)


def _bytes(content: bytes) -> bytes:
    """UTF-8 where a mark at the beginning names the encoding, which lxml does not look for."""
    return decoded(content).encode("utf-8", "replace") if encoding_mark(content) else content


class _Walk:
    """Goes through the elements in order and keeps the words of the block that is growing."""

    def __init__(self, out: Manuscript) -> None:
        self.out = out
        self._words: list[str] = []
        self._lists: list[str] = []
        self._mark = "-"
        self._in_item = False
        self._list_goes_on = False

    def through(self, element: Any, depth: int = 0) -> None:
        """The element and all below it."""
        tag = element.tag if isinstance(element.tag, str) else ""
        if not tag or tag in _LEFT_OUT or _hidden(element):
            return
        if depth > _DEEPEST:
            raise unreadable(Reason.HOSTILE, detail="depth")
        if tag in _HEADINGS:
            self.end_block()
            self.out.heading(_HEADINGS[tag], _inner_text(element))
        elif tag == "pre":
            self.end_block()
            self.out.code(_inner_text(element))
        elif tag == "table" and not element.findall(".//table"):
            self.end_block()
            self.out.table(_rows(element))
        elif tag in _LISTS:
            self._list(element, tag, depth)
        elif tag == "br":
            self._words.append("\n")
        else:
            self._inside(element, tag, depth)

    def _inside(self, element: Any, tag: str, depth: int) -> None:
        apart = tag in _BLOCKS or tag in ("li", "tr", "td", "th", "table", "tbody", "hr")
        if apart and not self._in_item:
            self.end_block()
        elif apart:
            self._words.append(" ")
        self._text(element.text)
        for child in element:
            self.through(child, depth + 1)
            self._text(child.tail)
        if apart and not self._in_item:
            self.end_block()
        elif apart:
            self._words.append(" ")

    def _list(self, element: Any, tag: str, depth: int) -> None:
        """Its items one by one; a list within an item ends what the item has said so far."""
        self.end_block()
        outermost, self._lists = not self._lists, [*self._lists, tag]
        self._list_goes_on = self._list_goes_on and not outermost
        number = 0
        for child in element:
            was_in_item, self._in_item = self._in_item, True
            if child.tag == "li":
                number += 1
                self._mark = f"{number}." if tag == "ol" else "-"
            self.through(child, depth + 1)
            self.end_block()
            self._in_item = was_in_item
        self._lists = self._lists[:-1]

    def _text(self, text: str | None) -> None:
        if text:
            self._words.append(_SPACE.sub(" ", text))

    def end_block(self) -> None:
        """Write down what has grown."""
        text = "\n".join(line.strip() for line in "".join(self._words).split("\n")).strip()
        self._words = []
        if not text:
            return
        if self._lists:
            self.out.item(text, depth=len(self._lists) - 1, mark=self._mark, first=not self._list_goes_on)
            self._list_goes_on = True
        else:
            self.out.paragraph(text)


def _hidden(element: Any) -> bool:
    style = element.get("style") or ""
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or (bool(style) and _HIDDEN_STYLE.search(style) is not None)
    )


def _inner_text(element: Any) -> str:
    """All that is shown inside, in one."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag not in _LEFT_OUT and not _hidden(child):
            parts.append("\n" if child.tag == "br" else _inner_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _rows(table: Any) -> list[list[str]]:
    return [[_inner_text(cell) for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
