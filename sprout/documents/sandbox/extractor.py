"""Extraction of text and passages from a file, in a confined child process with limits of its own."""

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.file_types import FileType
from sprout.documents.limits import MEBIBYTE, ReadingLimits
from sprout.documents.sandbox.confined_reading import reader_arguments
from sprout.documents.sandbox.reader_run import raise_failure, run_reader
from sprout.errors import UnreadableDocument
from sprout.learning.paths.passages import Passage

CHILD_MODULE = "sprout.documents.sandbox.child_process"
MAX_BYTES_PER_CHARACTER = 6  # the worst that UTF-8 and JSON make of one
MAX_BYTES_PER_PASSAGE = 4_096  # its path of headings
MAX_HEADING = 1_000

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """The text of a file and its passages.

    Args:
        pages: their number, if the file has pages.
        unread_pages: those that could not be read, counted from 1; the text has nothing of them.
    """

    text: str
    passages: tuple[Passage, ...]
    pages: int | None = None
    unread_pages: tuple[int, ...] = ()


class Extractor:
    """Extracts files within limits; the caller limits how many at once."""

    def __init__(self, limits: ReadingLimits = ReadingLimits()) -> None:
        self.limits = limits

    async def extract(self, name: str, kind: FileType, content: bytes) -> ExtractedDocument:
        """Text and passages; cancelling it ends its process. Raises UnreadableDocument.

        Args:
            name: the document that the passages cite.
        """
        limits = self.limits
        max_bytes = MAX_BYTES_PER_CHARACTER * limits.characters + MAX_BYTES_PER_PASSAGE * limits.passages + MEBIBYTE
        try:
            answer = await run_reader(CHILD_MODULE, reader_arguments(kind, limits), content, limits.wall_s, max_bytes)
            return await asyncio.to_thread(parse_child_output, name, answer, limits)
        except UnreadableDocument as failure:
            fields = {"kind": kind.value, "reason": failure.code, "cause": failure.detail}
            log.info("document.unreadable", extra=fields)
            raise


def parse_child_output(name: str, output: bytes, limits: ReadingLimits) -> ExtractedDocument:
    """The validated output, which is as untrusted as the file: the file may have taken over the process."""
    try:
        fields = json.loads(output)
        raise_failure(fields)
        return _parse_document(name, fields, limits)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise unreadable(UnreadableReason.DAMAGED, detail=f"answer: {type(error).__name__}") from None


def _parse_document(name: str, fields: dict[str, Any], limits: ReadingLimits) -> ExtractedDocument:
    text, pages = fields["text"], fields["pages"]
    if not isinstance(text, str) or len(text) > limits.characters or len(fields["pieces"]) > limits.passages:
        raise ValueError
    if pages is not None and not (type(pages) is int and 0 < pages <= limits.pages):
        raise ValueError
    text.encode()
    unread = tuple(int(page) for page in fields["unread"])
    return ExtractedDocument(text, tuple(_parse_passages(name, text, fields["pieces"], pages)), pages, unread)


def _parse_passages(name: str, text: str, pieces: list[Any], pages: int | None) -> list[Passage]:
    reached = 0
    found = []
    for heading, start, end, page in pieces:
        whole = type(start) is int and type(end) is int and reached <= start < end <= len(text)
        named = heading is None or (isinstance(heading, str) and len(heading) <= MAX_HEADING)
        paged = page is None if pages is None else type(page) is int and 1 <= page <= pages
        if not (whole and named and paged):
            raise ValueError
        found.append(Passage(name, heading, text[start:end], start, end, page=page))
        reached = end
    return found
