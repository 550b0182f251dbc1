"""Reading of question files in a confined child process, a few at a time."""

import asyncio
import json
import logging

from pydantic import TypeAdapter

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.limits import MEBIBYTE, ReadingLimits
from sprout.documents.question_files.file_types import QuestionFileType, detect_question_file
from sprout.documents.sandbox.confined_reading import reader_arguments
from sprout.documents.sandbox.reader_run import raise_failure, run_reader
from sprout.errors import UnreadableDocument
from sprout.learning.questions.question_files import MAX_FILE_QUESTIONS, QuestionFile, check_file

CHILD_MODULE = "sprout.documents.question_files.readers"
LIMITS = ReadingLimits(cpu_s=10, wall_s=30.0, inflated_bytes=64 * MEBIBYTE)
MAX_ANSWER_BYTES = 32 * MEBIBYTE
MAX_CONCURRENT = 2

_FILE = TypeAdapter(QuestionFile)

log = logging.getLogger(__name__)


class QuestionFileReader:
    """Reads question files within limits, two at a time."""

    def __init__(self, limits: ReadingLimits = LIMITS) -> None:
        self._limits = limits
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)

    async def read(self, filename: str, content: bytes) -> QuestionFile:
        """The questions that can be asked, and those that are left out; cancelling it ends its process.

        Raises UnsupportedType, UnreadableDocument.
        """
        kind = await asyncio.to_thread(detect_question_file, filename, content)
        try:
            async with self._slots:
                return await self._read(kind, content)
        except UnreadableDocument as failure:
            fields = {"kind": kind.value, "reason": failure.code, "cause": failure.detail}
            log.info("question_file.unreadable", extra=fields)
            raise

    async def _read(self, kind: QuestionFileType, content: bytes) -> QuestionFile:
        arguments = reader_arguments(kind, self._limits)
        answer = await run_reader(CHILD_MODULE, arguments, content, self._limits.wall_s, MAX_ANSWER_BYTES)
        return await asyncio.to_thread(lambda: check_file(parse_child_output(answer)))


def parse_child_output(output: bytes) -> QuestionFile:
    """The validated output, which is as untrusted as the file: the file may have taken over the process.

    Raises UnreadableDocument.
    """
    try:
        fields = json.loads(output)
        raise_failure(fields)
        found = _FILE.validate_python({name: fields[name] for name in ("questions", "left_out")})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise unreadable(UnreadableReason.DAMAGED, detail=f"answer: {type(error).__name__}") from None
    if len(found.questions) + len(found.left_out) > MAX_FILE_QUESTIONS:
        raise unreadable(UnreadableReason.TOO_MANY_QUESTIONS, detail="answer")
    return found
