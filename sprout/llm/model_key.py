"""Model key: where it comes from, and the file of the data folder that keeps one that was entered on the page."""

import asyncio
import os
import re
import stat
from pathlib import Path
from typing import Literal

from sprout.errors import BadInput, Conflict, SetupError, StorageUnavailable

KeySource = Literal["environment", "data_folder"]

FILE_NAME = "model-key"
OTHERS = stat.S_IRWXG | stat.S_IRWXO
_KEY = re.compile(r"[!-~]{1,300}")  # printable ASCII without spaces: it goes into a header
ADVICE = "Remove the file and enter the key again, or set ANTHROPIC_API_KEY."


def read_kept_key(folder: Path) -> str | None:
    """The key that the data folder keeps, None if it keeps none; others lose their access to its file.

    Raises SetupError: the file cannot be read or protected, or holds no key.
    """
    file = folder / FILE_NAME
    try:
        content = file.read_bytes()
        if stat.S_IMODE(file.stat().st_mode) & OTHERS:
            file.chmod(0o600)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SetupError(f"The model key in {file} cannot be used: {error.strerror}. {ADVICE}") from None
    key = content.decode("ascii", errors="replace").strip()
    if _KEY.fullmatch(key) is None:
        raise SetupError(f"There is no model key in {file}. {ADVICE}")
    return key


class ModelKey:
    """The key of an installation as it will be at the next start, beside the one that is in use now.

    Args:
        in_use: the key that the models are asked with, from `source`.
        many_processes: whether others share the work, which do not see this data folder.
    """

    def __init__(self, folder: Path, in_use: str | None, source: KeySource | None, *, many_processes: bool) -> None:
        self._file = folder / FILE_NAME
        self._in_use = self._next = in_use
        self._source = source
        self._many_processes = many_processes
        self._lock = asyncio.Lock()

    @property
    def source(self) -> KeySource | None:
        """The place that the key of the next start comes from."""
        return self._source

    @property
    def waits_for_restart(self) -> bool:
        """Whether the key of the next start is another than the one in use."""
        return self._next != self._in_use

    async def keep(self, key: str) -> None:
        """Keep the key, in place of an earlier one. Raises BadInput, Conflict, StorageUnavailable."""
        if _KEY.fullmatch(key) is None:
            raise BadInput(
                "A model key has 1 to 300 letters, digits and signs without spaces.", code="model_key_malformed"
            )
        await self._change(key)

    async def forget(self) -> bool:
        """Remove the kept key; whether there was one. Raises Conflict, StorageUnavailable."""
        return await self._change(None)

    async def _change(self, key: str | None) -> bool:
        """Replace the kept key; whether there was one."""
        if self._source == "environment":
            raise Conflict(
                "The environment sets the model key (ANTHROPIC_API_KEY): change it there, and restart Sprout.",
                code="model_key_in_environment",
            )
        if self._many_processes:
            raise Conflict(
                "Several processes share the work here, so none keeps a model key for the others: set "
                "ANTHROPIC_API_KEY for each of them.",
                code="model_key_of_many",
            )
        async with self._lock:
            try:
                await asyncio.to_thread(_write, self._file, key)
            except OSError as error:
                raise StorageUnavailable(
                    "The file of the model key cannot be written: {reason}.",
                    code="model_key_not_written",
                    reason=error.strerror or "unknown",
                ) from error
            was_kept = self._source is not None
            self._next = key
            self._source = None if key is None else "data_folder"
            return was_kept


def _write(file: Path, key: str | None) -> None:
    """Replace the file at once, so that a crash leaves the old key or the new one; None removes it."""
    new = file.with_suffix(".new")
    new.unlink(missing_ok=True)  # a crash may have left it
    if key is None:
        file.unlink(missing_ok=True)
    else:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as written:
            written.write(key.encode("ascii"))
            written.flush()
            os.fsync(written.fileno())
        new.replace(file)
    _sync_folder(file.parent)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # has no such call
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
