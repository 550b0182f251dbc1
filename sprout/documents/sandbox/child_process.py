"""Child process that reads one file: bytes on standard input, one JSON object on standard output."""

import json
import os
import sys
from dataclasses import asdict
from typing import Any

from sprout.documents.failures import UnreadableReason
from sprout.documents.file_types import FileType
from sprout.documents.formats.readers import Reader, read_document, reader_for
from sprout.documents.limits import ReadingLimits
from sprout.documents.splitting.passage_spans import split_into_spans
from sprout.errors import UnreadableDocument
from sprout.sandbox.confinement import ProcessLimits, confine
from sprout.sandbox.seccomp import refuse_outside_calls


def child_arguments(kind: FileType, limits: ReadingLimits) -> list[str]:
    """The arguments of `main`, but for the parent's id."""
    return [kind.value, json.dumps(asdict(limits))]


def main(kind: str, limits_json: str, parent_pid: str) -> None:
    """Import the reader, drop all privileges, and only then read the file."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # what libraries print
        os.dup2(nowhere, stream)
    limits = ReadingLimits(**json.loads(limits_json))
    reader = reader_for(FileType(kind))
    process_limits = ProcessLimits(limits.cpu_s, limits.memory_bytes)
    refused = confine(process_limits, int(parent_pid), refuse_outside_calls)
    content = sys.stdin.buffer.read()
    answer = extract_to_json(reader, content, limits) | {"unconfined": refused}
    with os.fdopen(answers, "wb") as outgoing:
        outgoing.write(json.dumps(answer, ensure_ascii=False).encode())
    os._exit(0)  # freeing a large heap would take long


def extract_to_json(reader: Reader, content: bytes, limits: ReadingLimits) -> dict[str, Any]:
    """The extracted document, or why it cannot be read, as JSON."""
    try:
        draft = read_document(reader, content, limits)
        del content
        pieces = [
            (piece.heading, piece.start, piece.end, piece.page)
            for piece in split_into_spans(draft.text, draft.page_starts)
        ]
    except UnreadableDocument as failure:
        return {"failed": failure.code, "detail": failure.detail}
    except MemoryError:
        return {"failed": UnreadableReason.TOO_MUCH_MEMORY, "detail": "pieces"}
    if len(pieces) > limits.passages:
        return {"failed": UnreadableReason.TOO_MUCH_TEXT, "detail": "passages"}
    return {
        "text": draft.text,
        "pieces": pieces,
        "pages": len(draft.page_starts) or None,
        "unread": draft.unread_pages,
    }
