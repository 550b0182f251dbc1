"""Reader of text files that hold a page of HTML, as sites that are generated keep them: "posts/water.md"."""

import re

from sprout.documents.formats.markdown_writer import DocumentText
from sprout.documents.formats.plain_text import decode_text, read_plain_text
from sprout.documents.formats.web_page import read_web_page
from sprout.documents.limits import ReadingLimits

LEAST_TAGS, TAGS_A_MARK = 10, 8

_BLOCK_TAG = re.compile(
    r"^[ \t]*</?(?:p|div|ul|ol|li|h[1-6]|table|tr|t[dh]|dl|d[td]|section|article|blockquote|center|strong|b|em)\b",
    re.IGNORECASE | re.MULTILINE,
)
_MARK = re.compile(r"^ {0,3}(?:#{1,6} |[-*+] |\d{1,3}[.)] |\||>|```|~~~)", re.MULTILINE)
_HEADING, _HEADING_TAG = re.compile(r"^#{1,6} \S", re.MULTILINE), re.compile(r"<h[1-6]\b", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n(?=[ \t]*[^\s<])")


def read_text(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text of a file of Markdown or plain text; one whose lines begin with tags, and next to none with marks of
    Markdown, is read as a web page, in which an empty line ends a paragraph. Raises UnreadableDocument."""
    text = decode_text(content)
    is_tagged = _count(_BLOCK_TAG, text) >= max(LEAST_TAGS, TAGS_A_MARK * _count(_MARK, text))
    if not is_tagged or _count(_HEADING, text) > _count(_HEADING_TAG, text):  # Markdown with a large table
        return read_plain_text(content, limits)
    page = _PARAGRAPH.sub("\n\n<p>", text.replace("\r\n", "\n"))
    return read_web_page(page.encode("utf-8", "replace"), limits)


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))
