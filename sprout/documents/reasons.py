"""Why a file cannot be read, and what a learner can do about it."""

from enum import StrEnum

from sprout.errors import Unreadable


class Reason(StrEnum):
    """What was found while a file was read."""

    PROTECTED = "protected"
    SCANNED = "scanned"
    EMPTY = "empty"
    BINARY = "binary"
    DAMAGED = "damaged"
    STRICT = "strict"
    HOSTILE = "hostile"
    TOO_MANY_PAGES = "too_many_pages"
    TOO_MUCH_TEXT = "too_much_text"
    TOO_MUCH_INSIDE = "too_much_inside"
    TOO_SLOW = "too_slow"
    TOO_MUCH_MEMORY = "too_much_memory"
    INTERRUPTED = "interrupted"
    LATE = "late"


MAY_HELP_AGAIN = frozenset({Reason.INTERRUPTED, Reason.LATE})
SENTENCES = {
    Reason.PROTECTED: "The file is protected by a password: save a copy without one and upload that.",
    Reason.SCANNED: "The file looks scanned, there are pictures of text in it but no text: "
    "run text recognition (OCR) on it and upload the result.",
    Reason.EMPTY: "There is no text in the file: upload one that has some.",
    Reason.BINARY: "The file is not text: upload it in the form that it was made in, or as PDF.",
    Reason.DAMAGED: "The file is damaged or incomplete: open it in the program that it was made with, save it anew "
    "(or as PDF) and upload that.",
    Reason.STRICT: "The file is saved as Strict Open XML, which is not read: save it as an ordinary .docx or .pptx.",
    Reason.HOSTILE: "The file is built in a way that could harm a reader, so it was not opened: save it anew (or as "
    "PDF) in the program that it was made with.",
    Reason.TOO_MANY_PAGES: "The file has too many pages: split it, and upload the part that you want to learn.",
    Reason.TOO_MUCH_TEXT: "There is too much text in the file: split it, and upload the part that you want to learn.",
    Reason.TOO_MUCH_INSIDE: "The file is too large once unpacked: make its pictures smaller, or save it as PDF.",
    Reason.TOO_SLOW: "Reading the file takes too long: split it, or save it anew (or as PDF) and upload that.",
    Reason.TOO_MUCH_MEMORY: "Reading the file takes too much memory: split it, or save it anew (or as PDF).",
    Reason.INTERRUPTED: "Reading the file was interrupted: try again.",
    Reason.LATE: "Reading the file took too long while the server was busy: try again later, or split the file.",
}


def unreadable(reason: Reason, *, detail: str = "") -> Unreadable:
    """The failure with its sentence; `detail` is for the log."""
    return Unreadable(SENTENCES[reason], again=reason in MAY_HELP_AGAIN, reason=reason.value, detail=detail)
