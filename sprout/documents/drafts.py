"""Any file to its draft: the reader of its kind, imported when it is needed."""

from collections.abc import Callable

from sprout.documents.kinds import Kind
from sprout.documents.limits import ReadingLimits
from sprout.documents.manuscript import Draft
from sprout.documents.reasons import Reason, unreadable
from sprout.errors import Unreadable

Reader = Callable[[bytes, ReadingLimits], Draft]


def reader_of(kind: Kind) -> Reader:
    """What reads files of this kind; importing it is what takes long."""
    match kind:
        case Kind.PDF:
            from sprout.documents.pdf import pdf_draft as reader
        case Kind.DOCX:
            from sprout.documents.word import word_draft as reader
        case Kind.PPTX:
            from sprout.documents.slides import slides_draft as reader
        case Kind.HTML:
            from sprout.documents.web_page import page_draft as reader
        case Kind.MARKDOWN | Kind.TEXT:
            from sprout.documents.plain import plain_draft as reader
    return reader


def draft_of(reader: Reader, content: bytes, limits: ReadingLimits) -> Draft:
    """What the file says. Raises Unreadable, whatever the file does to its reader."""
    try:
        return reader(content, limits)
    except Unreadable:
        raise
    except MemoryError:
        raise unreadable(Reason.TOO_MUCH_MEMORY) from None
    except Exception as error:  # noqa: BLE001 - libraries raise anything at all when a file is broken
        raise unreadable(Reason.DAMAGED, detail=type(error).__name__) from None
