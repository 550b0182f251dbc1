"""Reader of Markdown and plain text: decoded, with plain newlines, links as words, and no invisible characters."""

import re

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.file_types import bom_encoding, decode_western, is_binary
from sprout.documents.formats.markdown_writer import DocumentText
from sprout.documents.limits import ReadingLimits
from sprout.learning.structure.plain_entries import with_entries_apart
from sprout.learning.text.normalization import tidy

_DATA = re.compile(r"[\s'\"$-]|[\d\s.,+]*$|\S{1,20},")
_WIKI_LINK = re.compile(r"(?<![\w)\]])(!?)\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\](?![(\[])")
_TIGHT_HEADING = re.compile(  # one "#" is a tag
    r"^( {0,3}|[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+)(#{2,6})(?=[^\W\d_][^#\n]{0,100}$)", re.MULTILINE
)


def read_plain_text(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text as it is, but for links between notes, which are their words, headings that lack the space after their
    marks, which get it, and lists of terms, whose lines are paragraphs. Raises UnreadableDocument."""
    text = tidy(_WIKI_LINK.sub(_link_words, decode_text(content)))
    text = with_entries_apart(_TIGHT_HEADING.sub(r"\1\2 ", text))
    if not text:
        raise unreadable(UnreadableReason.EMPTY)
    if len(text) > limits.characters:
        raise unreadable(UnreadableReason.TOO_MUCH_TEXT)
    return DocumentText(text)


def decode_text(content: bytes) -> str:
    """The characters of a text file, whatever its encoding. Raises UnreadableDocument."""
    encoding = bom_encoding(content)
    try:
        text = content.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        if encoding is not None:
            raise unreadable(UnreadableReason.BINARY) from None
        text = decode_western(content)
    if is_binary(text):
        raise unreadable(UnreadableReason.BINARY)
    return text


def _link_words(link: re.Match[str]) -> str:
    """The words of "[[note#heading|words]]", its note's name without any; nothing of an embedded file. A list of lists,
    as in a program, stays."""
    embedded, target, words = link.groups()
    if embedded:
        return ""
    return words or (link[0] if _DATA.match(target) else target.partition("#")[0] or target.lstrip("#^"))
