"""Flips of one byte of a database file: reported, harmless, or a silently wrong result."""

import logging
import random
import shutil
from collections import Counter
from pathlib import Path

from harness.database.released import Rows, all_rows
from sprout.errors import SproutError
from sprout.store.engine.database import open_database
from sprout.store.sqlite.files import companion_files
from sprout.store.sqlite.lock_file import lock_path

REFUSED, TOLD, REFUSED_LATER, HARMLESS, SILENT = "refused", "told", "refused when read", "harmless", "SILENTLY WRONG"
WARNINGS = ("sqlite.changed_since_closed", "sqlite.last_commit_incomplete")


async def count_outcomes(file: Path, folder: Path, flips: int, *, seed: int, ending: str = "") -> Counter[str]:
    """Count the outcomes of bit flips at places drawn by the seed.

    Args:
        file: a database, with all that stands beside it; it stays as it is.
        ending: which of its files is flipped: "" is the database, "-wal" its log.
    """
    draw = random.Random(seed)
    outcomes: Counter[str] = Counter()
    before = all_rows(f"sqlite:///{copy_database(file, folder / 'sound')}")
    for n in range(flips):
        broken = copy_database(file, folder / f"{n}")
        flip(broken.with_name(broken.name + ending), draw)
        outcomes[await outcome(f"sqlite:///{broken}", before)] += 1
        shutil.rmtree(broken.parent)
    return outcomes


def copy_database(file: Path, folder: Path) -> Path:
    """The database, its log and its lock file in a new folder."""
    folder.mkdir(parents=True)
    for path in (file, *companion_files(file), lock_path(file)):
        if path.exists():
            shutil.copyfile(path, folder / path.name)
    return folder / file.name


def flip(path: Path, draw: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


async def outcome(url: str, before: Rows) -> str:
    """Message of a start with this file, otherwise the result of reading it."""
    with CapturedLog() as words:
        try:
            async with open_database(url):
                pass
        except SproutError:
            return REFUSED
    if any(warning.startswith(WARNINGS) for warning in words.messages):
        return TOLD
    try:
        return HARMLESS if all_rows(url) == before else SILENT
    except Exception:  # noqa: BLE001 - any failure is an answer that is not wrong
        return REFUSED_LATER


class CapturedLog(logging.Handler):
    """Records that the store logs within the block."""

    def __enter__(self) -> "CapturedLog":
        self.messages: list[str] = []
        logging.getLogger("sprout.store").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("sprout.store").removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
