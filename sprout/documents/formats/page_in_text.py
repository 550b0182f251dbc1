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
_PARAGRAPH = re.compile(r"\n[ \t]*\n(?=[ \t]*[^\s<])")


def read_text(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text of a file of Markdown or plain text; one whose lines begin with tags, and next to none with marks of
    Markdown, is read as a web page, in which an empty line ends a paragraph. Raises UnreadableDocument."""
    text = decode_text(content)
    tags = sum(1 for _ in _BLOCK_TAG.finditer(text))
    if tags < max(LEAST_TAGS, TAGS_A_MARK * sum(1 for _ in _MARK.finditer(text))):
        return read_plain_text(content, limits)
    page = _PARAGRAPH.sub("\n\n<p>", text.replace("\r\n", "\n"))
    return read_web_page(page.encode("utf-8", "replace"), limits)
