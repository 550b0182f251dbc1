"""Files that the command line names: read with errors of one line."""

from pathlib import Path

from sprout.errors import SetupError
from sprout.learning.paths.repository import NewDocument


def read_text(path: Path) -> str:
    """The text of a file. Raises SetupError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SetupError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SetupError(f"{path} is not UTF-8 text") from None


def read_document(path: Path, max_bytes: int) -> NewDocument:
    """A document with its type. Raises SetupError, BadInput."""
    from sprout.documents.file_types import detect_file_type  # what it needs is slow to import

    try:
        content = path.read_bytes()
    except OSError as error:
        raise SetupError(f"{path} cannot be read: {error.strerror}") from None
    name, kind = detect_file_type(path.name, "", content, max_bytes=max_bytes)
    return NewDocument(name, kind.media_type, content)
