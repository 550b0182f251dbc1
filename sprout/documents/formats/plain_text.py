"""Reader of Markdown and plain text: decoded, with plain newlines and no invisible characters."""

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.file_types import bom_encoding, decode_western, is_binary
from sprout.documents.formats.markdown_writer import DocumentText
from sprout.documents.limits import ReadingLimits
from sprout.learning.text.normalization import tidy


def read_plain_text(content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text as it is. Raises UnreadableDocument."""
    text = tidy(decode_text(content))
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
