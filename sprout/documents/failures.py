"""Reasons why a file cannot be read, with what a learner can do about each."""

from enum import StrEnum

from sprout.errors import UnreadableDocument
from sprout.learning.questions.question_files import MAX_FILE_QUESTIONS


class UnreadableReason(StrEnum):
    """The reason, as the log has it."""

    PROTECTED = "protected"
    SCANNED = "scanned"
    EMPTY = "empty"
    BINARY = "binary"
    DAMAGED = "damaged"
    STRICT_OOXML = "strict_ooxml"
    HOSTILE = "hostile"
    TOO_MANY_PAGES = "too_many_pages"
    TOO_MUCH_TEXT = "too_much_text"
    TOO_MUCH_INSIDE = "too_much_inside"
    TOO_MANY_QUESTIONS = "too_many_questions"
    NO_QUESTIONS = "no_file_questions"
    NEW_ANKI = "new_anki"
    TOO_SLOW = "too_slow"
    TOO_MUCH_MEMORY = "too_much_memory"
    INTERRUPTED = "interrupted"
    TIMEOUT = "timeout"


RETRYABLE = frozenset({UnreadableReason.INTERRUPTED, UnreadableReason.TIMEOUT})
MESSAGES = {
    UnreadableReason.PROTECTED: "The file is protected by a password: save a copy without one and upload that.",
    UnreadableReason.SCANNED: "The file looks scanned: it has pictures of text, but no text. "
    "Run text recognition (OCR) on it and upload the result.",
    UnreadableReason.EMPTY: "There is no text in the file: upload one that has some.",
    UnreadableReason.BINARY: "The file isn't text: upload the original document, or a PDF.",
    UnreadableReason.DAMAGED: "The file is damaged or incomplete: open it in the program that made it, "
    "save it again (or as PDF) and upload that.",
    UnreadableReason.STRICT_OOXML: "Strict Open XML isn't supported: save the file as an ordinary .docx or .pptx.",
    UnreadableReason.HOSTILE: "The file is built in a way that could harm a reader, so it wasn't opened: "
    "save it again (or as PDF) in the program that made it.",
    UnreadableReason.TOO_MANY_PAGES: "The file has too many pages: split it and upload what you want to learn.",
    UnreadableReason.TOO_MUCH_TEXT: "There is too much text in the file: split it and upload what you want to learn.",
    UnreadableReason.TOO_MUCH_INSIDE: "The file is too large once unpacked: shrink its images, or save it as PDF.",
    UnreadableReason.TOO_MANY_QUESTIONS: f"The file has more than {MAX_FILE_QUESTIONS:,} questions: split it.",
    UnreadableReason.NO_QUESTIONS: "There are no questions in the file: choose one in QTI, GIFT, Moodle XML or Anki.",
    UnreadableReason.NEW_ANKI: "This file is in Anki's newest format: export it again, and tick "
    "“Support older Anki versions” in Anki's export window.",
    UnreadableReason.TOO_SLOW: "Reading the file takes too long: split it, or save it again (or as PDF).",
    UnreadableReason.TOO_MUCH_MEMORY: "Reading the file takes too much memory: split it, or save it again (or as PDF).",
    UnreadableReason.INTERRUPTED: "Reading the file was interrupted: try again.",
    UnreadableReason.TIMEOUT: "Reading the file took too long while the server was busy: "
    "try again later, or split the file.",
}


def unreadable(reason: UnreadableReason, *, detail: str = "") -> UnreadableDocument:
    """The failure with its sentence; `detail` is for the log."""
    return UnreadableDocument(MESSAGES[reason], code=reason.value, retryable=reason in RETRYABLE, detail=detail)
