"""Stored files: each is there whole or not at all, so that a process may be killed at any time."""

from pathlib import Path
from tempfile import NamedTemporaryFile

from sprout.errors import SetupError


def read_stored(path: Path) -> str | None:
    """The text of a file; None if there is none, or if it is no text. Raises SetupError: it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    except OSError as error:
        raise SetupError(f"{path} cannot be read: {error.strerror}") from None


def write_stored(path: Path, text: str) -> None:
    """Write a file in one step. Raises SetupError: it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            file.write(text)
        Path(file.name).replace(path)
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}") from None
