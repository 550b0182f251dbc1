"""Child process that reads one question file: bytes on standard input, one JSON object on standard output."""

import json
import os
import sys
from dataclasses import asdict
from typing import Any

from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.file_types import QuestionFileType
from sprout.documents.question_files.readers import QuestionReader, question_reader, read_questions
from sprout.errors import UnreadableDocument
from sprout.sandbox.confinement import ProcessLimits, confine
from sprout.sandbox.seccomp import refuse_outside_calls


def child_arguments(kind: QuestionFileType, limits: ReadingLimits) -> list[str]:
    """The arguments of `main`, but for the parent's id."""
    return [kind.value, json.dumps(asdict(limits))]


def main(kind: str, limits_json: str, parent_pid: str) -> None:
    """Import the reader, drop all privileges, and only then read the file."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # what libraries print
        os.dup2(nowhere, stream)
    limits = ReadingLimits(**json.loads(limits_json))
    reader = question_reader(QuestionFileType(kind))
    refused = confine(ProcessLimits(limits.cpu_s, limits.memory_bytes), int(parent_pid), refuse_outside_calls)
    answer = questions_to_json(reader, sys.stdin.buffer.read(), limits) | {"unconfined": refused}
    with os.fdopen(answers, "wb") as outgoing:
        outgoing.write(json.dumps(answer).encode())
    os._exit(0)  # freeing a large heap would take long


def questions_to_json(reader: QuestionReader, content: bytes, limits: ReadingLimits) -> dict[str, Any]:
    """The questions of the file, or why it cannot be read, as JSON."""
    try:
        return asdict(read_questions(reader, content, limits))
    except UnreadableDocument as failure:
        return {"failed": failure.code, "detail": failure.detail}
