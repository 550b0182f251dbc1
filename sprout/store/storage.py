"""The Protocol of where the bytes of learners' documents are kept: under random names that say nothing of them."""

from collections.abc import Iterable, Sequence
from typing import Protocol


class Storage(Protocol):
    """Raises StorageAway from every call that does not come through now."""

    async def keep(self, contents: Sequence[bytes]) -> list[str]:
        """The names under which the contents are kept, all or none."""
        ...

    async def read(self, name: str) -> bytes:
        """Raises Unreadable: there is nothing of this name."""
        ...

    async def remove(self, names: Iterable[str]) -> None:
        """Missing is fine."""
        ...

    async def remove_all_but(self, names: Iterable[str], *, older_than_s: float) -> None:
        """Remove what a crash between a file and its row left behind, once it is so old that no row can follow."""
        ...
