"""Extraction of text and passages from a file, in a confined child process with limits of its own."""

import asyncio
import json
import logging
import re
import signal
import sys
from dataclasses import dataclass
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.file_types import FileType
from sprout.documents.limits import MEBIBYTE, ReadingLimits
from sprout.documents.sandbox.child_process import child_arguments
from sprout.errors import UnreadableDocument
from sprout.learning.paths.passages import Passage
from sprout.sandbox.child import OutputTooLong, run_child
from sprout.sandbox.confinement import SYSTEM_CALLS

CHILD_MODULE = "sprout.documents.sandbox.child_process"
MAX_BYTES_PER_CHARACTER = 6  # the worst that UTF-8 and JSON make of one
MAX_BYTES_PER_PASSAGE = 4_096  # its path of headings
MAX_HEADING = 1_000
MAX_DETAIL = 60
_NOT_LETTERS = re.compile(r"[^A-Za-z_ ]+")
_NETWORK_STEPS = frozenset({"namespaces", SYSTEM_CALLS})

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
        try:
            answer = await _run_child(kind, content, self.limits)
            return await asyncio.to_thread(parse_child_output, name, answer, self.limits)
        except UnreadableDocument as failure:
            fields = {"kind": kind.value, "reason": failure.code, "cause": failure.detail}
            log.info("document.unreadable", extra=fields)
            raise


async def _run_child(kind: FileType, content: bytes, limits: ReadingLimits) -> bytes:
    """The raw output of the child process. Raises UnreadableDocument if it fails."""
    max_bytes = MAX_BYTES_PER_CHARACTER * limits.characters + MAX_BYTES_PER_PASSAGE * limits.passages + MEBIBYTE
    arguments = child_arguments(kind, limits)
    try:
        child = await run_child(CHILD_MODULE, arguments, content, wall_s=limits.wall_s, max_bytes=max_bytes)
    except TimeoutError:  # an OSError too, but another cause
        raise unreadable(UnreadableReason.TIMEOUT) from None
    except OSError as error:  # no resources for another process
        raise unreadable(UnreadableReason.INTERRUPTED, detail=type(error).__name__) from None
    except OutputTooLong:
        raise unreadable(UnreadableReason.DAMAGED, detail="answer too long") from None
    if child.status != 0:
        raise unreadable(_failure_reason(child.status), detail=f"exit status {child.status}")
    return child.output


def _failure_reason(status: int) -> UnreadableReason:
    if sys.platform != "win32":
        if status == -signal.SIGXCPU:
            return UnreadableReason.TOO_SLOW
        if status == -signal.SIGKILL:
            return UnreadableReason.INTERRUPTED
        if status == -signal.SIGABRT:  # what libraries in C++ do without memory
            return UnreadableReason.TOO_MUCH_MEMORY
    return UnreadableReason.DAMAGED


def parse_child_output(name: str, output: bytes, limits: ReadingLimits) -> ExtractedDocument:
    """The validated output, which is as untrusted as the file: the file may have taken over the process."""
    try:
        fields = json.loads(output)
        if "failed" in fields:
            raise unreadable(
                UnreadableReason(fields["failed"]), detail=_NOT_LETTERS.sub("", str(fields["detail"]))[:MAX_DETAIL]
            )
        if set(fields["unconfined"]) >= _NETWORK_STEPS:
            log.warning("document.sandbox_has_network", extra={"cause": "the kernel refused to isolate the process"})
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
