"""Child process that reads one document and splits it into passages."""

from functools import partial
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.file_types import FileType
from sprout.documents.formats.readers import Reader, read_document, reader_for
from sprout.documents.limits import ReadingLimits
from sprout.documents.sandbox.confined_reading import answer_confined
from sprout.documents.splitting.passage_spans import split_into_spans


def main(kind: str, limits_json: str, parent_pid: str) -> None:
    """Read the document of standard input, as `extract_to_json` does."""
    answer_confined(lambda: partial(extract_to_json, reader_for(FileType(kind))), limits_json, parent_pid)


def extract_to_json(reader: Reader, content: bytes, limits: ReadingLimits) -> dict[str, Any]:
    """The extracted document as JSON. Raises UnreadableDocument."""
    draft = read_document(reader, content, limits)
    del content
    try:
        pieces = [
            (piece.heading, piece.start, piece.end, piece.page)
            for piece in split_into_spans(draft.text, draft.page_starts)
        ]
    except MemoryError:
        raise unreadable(UnreadableReason.TOO_MUCH_MEMORY, detail="pieces") from None
    if len(pieces) > limits.passages:
        raise unreadable(UnreadableReason.TOO_MUCH_TEXT, detail="passages")
    return {
        "text": draft.text,
        "pieces": pieces,
        "pages": len(draft.page_starts) or None,
        "unread": draft.unread_pages,
    }
