"""Local storage: the bytes of learners' documents in one folder, under random names."""

import asyncio
import errno
import secrets
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from sprout.errors import StorageFull, StorageUnavailable, UnreadableDocument

FILE_MISSING = "The file is not there any more. Remove it, and add it again."


class LocalStorage:
    """Storage in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def save(self, contents: Sequence[bytes]) -> list[str]:
        return await asyncio.to_thread(self._save, contents)

    async def read(self, name: str) -> bytes:
        return await asyncio.to_thread(self._read, name)

    async def remove(self, names: Iterable[str]) -> None:
        await asyncio.to_thread(self._remove, list(names))

    async def remove_all_but(self, names: Iterable[str], *, older_than_s: float) -> None:
        known = set(names)
        there = await asyncio.to_thread(self._names, time.time() - older_than_s)
        await self.remove(name for name in there if name not in known)

    def _save(self, contents: Sequence[bytes]) -> list[str]:
        names: list[str] = []
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for content in contents:
                names.append(secrets.token_hex(16))
                (self._folder / names[-1]).write_bytes(content)
        except OSError as error:
            with suppress(StorageUnavailable):
                self._remove(names)
            if error.errno == errno.ENOSPC:
                raise StorageFull("There is no room on the server's disk: nothing was stored.") from error
            raise StorageUnavailable(f"Documents cannot be stored: {error.strerror}.") from error
        return names

    def _read(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            raise UnreadableDocument(FILE_MISSING, code="file_missing") from None
        except OSError as error:
            raise StorageUnavailable(f"Documents cannot be read: {error.strerror}.") from error

    def _remove(self, names: Sequence[str]) -> None:
        try:
            for name in names:
                (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise StorageUnavailable(f"Documents cannot be removed: {error.strerror}.") from error

    def _names(self, made_before: float) -> list[str]:
        if not self._folder.is_dir():
            return []
        return [path.name for path in self._folder.iterdir() if path.stat().st_mtime <= made_before]
