"""The bytes of learners' documents, in one folder under random names."""

import asyncio
import errno
import secrets
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from sprout.errors import StorageAway, StorageFull, Unreadable

GONE = "The file is not there any more. Remove it, and add it again."


class Files:
    """Storage in a folder that is ours alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, contents: Sequence[bytes]) -> list[str]:
        """The names under which the contents are kept, all or none. Raises StorageAway, StorageFull."""
        return await asyncio.to_thread(self._keep, contents)

    async def read(self, name: str) -> bytes:
        """Raises Unreadable (there is none), StorageAway."""
        return await asyncio.to_thread(self._read, name)

    async def remove(self, names: Iterable[str]) -> None:
        """Missing is fine. Raises StorageAway."""
        await asyncio.to_thread(self._remove, list(names))

    async def remove_all_but(self, names: Iterable[str], *, older_than_s: float) -> None:
        """Remove what a crash between a file and its row left behind. Raises StorageAway."""
        known = set(names)
        there = await asyncio.to_thread(self._names, time.time() - older_than_s)
        await self.remove(name for name in there if name not in known)

    def _keep(self, contents: Sequence[bytes]) -> list[str]:
        names: list[str] = []
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for content in contents:
                names.append(secrets.token_hex(16))
                (self._folder / names[-1]).write_bytes(content)
        except OSError as error:
            with suppress(StorageAway):
                self._remove(names)
            if error.errno == errno.ENOSPC:
                raise StorageFull("There is no room on the server's disk: nothing was stored.") from error
            raise StorageAway(f"Documents cannot be stored: {error.strerror}.") from error
        return names

    def _read(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            raise Unreadable(GONE, again=False) from None
        except OSError as error:
            raise StorageAway(f"Documents cannot be read: {error.strerror}.") from error

    def _remove(self, names: Sequence[str]) -> None:
        try:
            for name in names:
                (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise StorageAway(f"Documents cannot be removed: {error.strerror}.") from error

    def _names(self, made_before: float) -> list[str]:
        if not self._folder.is_dir():
            return []
        return [path.name for path in self._folder.iterdir() if path.stat().st_mtime <= made_before]
