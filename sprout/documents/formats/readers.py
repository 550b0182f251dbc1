"""Readers by file type, imported when they are needed."""

from collections.abc import Callable

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.file_types import FileType
from sprout.documents.formats.markdown_writer import DocumentText
from sprout.documents.limits import ReadingLimits
from sprout.errors import UnreadableDocument

Reader = Callable[[bytes, ReadingLimits], DocumentText]


def reader_for(kind: FileType) -> Reader:
    """The reader of this type; importing it takes long."""
    match kind:
        case FileType.PDF:
            from sprout.documents.formats.pdf.reader import read_pdf as reader
        case FileType.DOCX:
            from sprout.documents.formats.word import read_word as reader
        case FileType.PPTX:
            from sprout.documents.formats.powerpoint import read_powerpoint as reader
        case FileType.HTML:
            from sprout.documents.formats.web_page import read_web_page as reader
        case FileType.MARKDOWN | FileType.TEXT:
            from sprout.documents.formats.page_in_text import read_text as reader
    return reader


def read_document(reader: Reader, content: bytes, limits: ReadingLimits) -> DocumentText:
    """The text of the file. Raises UnreadableDocument for any failure of the reader."""
    try:
        return reader(content, limits)
    except UnreadableDocument:
        raise
    except MemoryError:
        raise unreadable(UnreadableReason.TOO_MUCH_MEMORY) from None
    except Exception as error:  # noqa: BLE001 - libraries raise anything at all when a file is broken
        raise unreadable(UnreadableReason.DAMAGED, detail=type(error).__name__) from None
