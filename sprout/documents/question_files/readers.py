"""Readers of question files by format, imported when they are needed, and the child process that reads one file."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.file_types import QuestionFileType
from sprout.documents.sandbox.confined_reading import answer_confined
from sprout.errors import UnreadableDocument
from sprout.learning.questions.question_files import MAX_FILE_QUESTIONS, LeftOutQuestion, QuestionFile
from sprout.learning.questions.questions import QuestionDraft

Read = Iterator[QuestionDraft | LeftOutQuestion]
QuestionReader = Callable[[bytes, ReadingLimits], Read]


def main(kind: str, limits_json: str, parent_pid: str) -> None:
    """Read the question file of standard input in this process, and write its questions to standard output."""
    answer_confined(
        lambda: partial(_questions_to_json, question_reader(QuestionFileType(kind))), limits_json, parent_pid
    )


def question_reader(kind: QuestionFileType) -> QuestionReader:
    """The reader of this format; all that it imports is imported here, since later no file can be opened."""
    match kind:
        case QuestionFileType.GIFT:
            from sprout.documents.question_files.gift import read_gift as reader
        case QuestionFileType.MOODLE_XML:
            from sprout.documents.question_files.moodle_xml import read_moodle_xml as reader
        case QuestionFileType.QTI_ITEM:
            from sprout.documents.question_files.qti_items import read_qti_item as reader
        case QuestionFileType.QTI_PACKAGE:
            from sprout.documents.question_files.qti_package import read_qti_package as reader
        case QuestionFileType.ANKI_PACKAGE:
            from sprout.documents.question_files.anki_package import read_anki_package as reader
        case QuestionFileType.ANKI_TEXT:
            from sprout.documents.question_files.anki_text import read_anki_text as reader
    return reader


def read_questions(reader: QuestionReader, content: bytes, limits: ReadingLimits) -> QuestionFile:
    """The questions of the file, and those that are left out. Raises UnreadableDocument for any failure."""
    try:
        return _gather(reader(content, limits))
    except UnreadableDocument:
        raise
    except MemoryError:
        raise unreadable(UnreadableReason.TOO_MUCH_MEMORY) from None
    except Exception as error:  # noqa: BLE001 - libraries raise anything at all when a file is broken
        raise unreadable(UnreadableReason.DAMAGED, detail=type(error).__name__) from None


def _gather(found: Read) -> QuestionFile:
    questions: list[QuestionDraft] = []
    left_out: list[LeftOutQuestion] = []
    for one in found:
        if isinstance(one, QuestionDraft):
            questions.append(one)
        else:
            left_out.append(one)
        if len(questions) + len(left_out) > MAX_FILE_QUESTIONS:
            raise unreadable(UnreadableReason.TOO_MANY_QUESTIONS)
    if not questions and not left_out:
        raise unreadable(UnreadableReason.NO_QUESTIONS)
    return QuestionFile(tuple(questions), tuple(left_out))


def _questions_to_json(reader: QuestionReader, content: bytes, limits: ReadingLimits) -> dict[str, Any]:
    return asdict(read_questions(reader, content, limits))
