"""One byte of a database file is flipped: is it told, is it harmless, or does somebody get a wrong answer?"""

import logging
import random
import shutil
from collections import Counter
from pathlib import Path

from sprout.errors import SproutError
from sprout.store.database import open_database
from sprout.store.lock_file import lock_path
from sprout.store.sqlite_files import beside
from tests.store.released import Rows, all_rows

REFUSED, TOLD, REFUSED_LATER, HARMLESS, SILENT = "refused", "told", "refused when read", "harmless", "SILENTLY WRONG"
WARNINGS = ("sqlite.changed_since_closed", "sqlite.last_commit_not_whole")


async def flipped(file: Path, folder: Path, flips: int, *, seed: int, ending: str = "") -> Counter[str]:
    """What came of each flip, at places drawn by the seed.

    Args:
        file: a database, with all that stands beside it; it stays as it is.
        ending: which of its files is flipped: "" is the database, "-wal" its log.
    """
    draw = random.Random(seed)
    outcomes: Counter[str] = Counter()
    before = all_rows(f"sqlite:///{copied(file, folder / 'sound')}")
    for n in range(flips):
        broken = copied(file, folder / f"{n}")
        flip(broken.with_name(broken.name + ending), draw)
        outcomes[await outcome(f"sqlite:///{broken}", before)] += 1
        shutil.rmtree(broken.parent)
    return outcomes


def copied(file: Path, folder: Path) -> Path:
    """The database, its log and its lock file in a new folder."""
    folder.mkdir(parents=True)
    for path in (file, *beside(file), lock_path(file)):
        if path.exists():
            shutil.copyfile(path, folder / path.name)
    return folder / file.name


def flip(path: Path, draw: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


async def outcome(url: str, before: Rows) -> str:
    """What a start with this file says, and otherwise what somebody who reads it gets."""
    with heard() as words:
        try:
            async with open_database(url):
                pass
        except SproutError:
            return REFUSED
    if any(said.startswith(WARNINGS) for said in words.said):
        return TOLD
    try:
        return HARMLESS if all_rows(url) == before else SILENT
    except Exception:  # noqa: BLE001 - any failure is an answer that is not wrong
        return REFUSED_LATER


class heard(logging.Handler):  # noqa: N801 - used as a context
    """What the store logs in the block."""

    def __enter__(self) -> "heard":
        self.said: list[str] = []
        logging.getLogger("sprout.store").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("sprout.store").removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())
