"""The bytes of learners' documents, in one folder under random names."""

import asyncio
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

from sprout.errors import SetupError


class Files:
    """A folder that is ours alone; a name says nothing about what it holds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, contents: Sequence[bytes]) -> list[str]:
        """The names under which the contents are kept, all or none. Raises SetupError: the folder cannot be written."""
        return await asyncio.to_thread(self._keep, contents)

    def path(self, name: str) -> Path:
        """Where the content of this name is."""
        return self._folder / name

    async def remove(self, names: Iterable[str]) -> None:
        """Missing is fine. Raises SetupError: the folder cannot be written."""
        await asyncio.to_thread(self._remove, list(names))

    async def remove_all_but(self, names: Iterable[str]) -> None:
        """Remove what a crash between a file and its row left behind."""
        known = set(names)
        there = await asyncio.to_thread(self._names)
        await self.remove(name for name in there if name not in known)

    def _keep(self, contents: Sequence[bytes]) -> list[str]:
        names: list[str] = []
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for content in contents:
                names.append(secrets.token_hex(16))
                (self._folder / names[-1]).write_bytes(content)
        except OSError as error:
            self._remove(names)
            raise SetupError(f"Documents cannot be stored: {error.strerror}") from error
        return names

    def _remove(self, names: Sequence[str]) -> None:
        try:
            for name in names:
                (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise SetupError(f"Documents cannot be removed: {error.strerror}") from error

    def _names(self) -> list[str]:
        return [path.name for path in self._folder.iterdir()] if self._folder.is_dir() else []
