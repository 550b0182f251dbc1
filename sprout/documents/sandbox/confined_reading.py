"""Confined reading of one file in a child process: bytes on standard input, one JSON object on standard output."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from typing import Any, NoReturn

from sprout.documents.limits import ReadingLimits
from sprout.errors import UnreadableDocument
from sprout.sandbox.confinement import ProcessLimits, confine
from sprout.sandbox.seccomp import refuse_outside_calls

JsonReader = Callable[[bytes, ReadingLimits], dict[str, Any]]


def reader_arguments(kind: StrEnum, limits: ReadingLimits) -> list[str]:
    """The arguments of a reader's `main`, but for the parent's id."""
    return [kind.value, json.dumps(asdict(limits))]


def answer_confined(import_reader: Callable[[], JsonReader], limits_json: str, parent_pid: str) -> NoReturn:
    """Import the reader, drop all privileges, and only then read the file and write what the reader makes of it."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # what libraries print
        os.dup2(nowhere, stream)
    limits = ReadingLimits(**json.loads(limits_json))
    read = import_reader()
    refused = confine(ProcessLimits(limits.cpu_s, limits.memory_bytes), int(parent_pid), refuse_outside_calls)
    answer = _read(read, sys.stdin.buffer.read(), limits) | {"unconfined": refused}
    with os.fdopen(answers, "wb") as outgoing:
        outgoing.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    os._exit(0)  # freeing a large heap would take long


def _read(read: JsonReader, content: bytes, limits: ReadingLimits) -> dict[str, Any]:
    """The reader's result, or the reason why the file cannot be read."""
    try:
        return read(content, limits)
    except UnreadableDocument as failure:
        return {"failed": failure.code, "detail": failure.detail}
