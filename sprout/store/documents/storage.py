"""The storage Protocol: bytes of learners' documents under random names."""

from collections.abc import Iterable, Sequence
from typing import Protocol


class Storage(Protocol):
    """Every call raises StorageUnavailable if the storage cannot be reached."""

    async def save(self, contents: Sequence[bytes]) -> list[str]:
        """Store all of the contents or none; their names. Raises StorageFull."""
        ...

    async def read(self, name: str) -> bytes:
        """Raises UnreadableDocument: there is nothing under this name."""
        ...

    async def remove(self, names: Iterable[str]) -> None:
        """Remove it; a missing one is fine."""
        ...

    async def remove_all_but(self, names: Iterable[str], *, older_than_s: float) -> None:
        """Remove what a crash between a file and its row left, once it is too old to get a row."""
        ...
