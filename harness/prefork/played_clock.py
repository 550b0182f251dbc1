"""Played clock of a server process: it stands still, and moves when its harness says so, back as well as ahead."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

from sprout import clock

_BYTES = 8  # microseconds since 1970
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class PlayedClock:
    """A clock in a file, which the processes of a server read at each look.

    It is the clock of what is stored and shown. Ids, waits and timeouts go by the machine's, which do not jump.
    """

    def __init__(self, file: Path, moment: datetime) -> None:
        self.file = file
        self.moment = moment
        self.set(moment)

    def set(self, moment: datetime) -> None:
        """Jump to a moment."""
        self.moment = moment
        microseconds = (moment - _EPOCH) // timedelta(microseconds=1)
        descriptor = os.open(self.file, os.O_WRONLY | os.O_CREAT, 0o600)
        os.pwrite(descriptor, microseconds.to_bytes(_BYTES, "big"), 0)
        os.close(descriptor)

    def move(self, **delta: float) -> None:
        self.set(self.moment + timedelta(**delta))


def play_clock(file: Path) -> None:
    """Have this process live by the clock in the file, to its end."""
    descriptor = os.open(file, os.O_RDONLY)

    def now(_zone: object) -> datetime:
        return _EPOCH + timedelta(microseconds=int.from_bytes(os.pread(descriptor, _BYTES, 0), "big"))

    vars(clock)["datetime"] = SimpleNamespace(now=now)
