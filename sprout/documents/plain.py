"""Markdown and plain text: decoded, with plain newlines and no invisible characters."""

from sprout.documents.kinds import encoding_mark, in_western_encoding, is_binary
from sprout.documents.limits import ReadingLimits
from sprout.documents.manuscript import Draft
from sprout.documents.reasons import Reason, unreadable
from sprout.learning.text.words import tidy


def plain_draft(content: bytes, limits: ReadingLimits) -> Draft:
    """The text as it is. Raises Unreadable."""
    text = tidy(decoded(content))
    if not text:
        raise unreadable(Reason.EMPTY)
    if len(text) > limits.characters:
        raise unreadable(Reason.TOO_MUCH_TEXT)
    return Draft(text)


def decoded(content: bytes) -> str:
    """The characters of a text file, whatever its encoding. Raises Unreadable."""
    encoding = encoding_mark(content)
    try:
        text = content.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        if encoding is not None:
            raise unreadable(Reason.BINARY) from None
        text = in_western_encoding(content)
    if is_binary(text):
        raise unreadable(Reason.BINARY)
    return text
