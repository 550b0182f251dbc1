"""A watchdog of the event loop: where it stands while it stands still, so that the code at fault can be found."""

import asyncio
import logging
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from traceback import walk_stack

TICK_S = 0.25
FRAMES_MAX = 12

log = logging.getLogger(__name__)


class Stalls:
    """Hears the loop tick, and logs `loop.stalled` once for each time that it does not for `limit_s`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, limit_s: float) -> None:
        self._loop = loop
        self._limit_s = limit_s
        self._thread_of_loop = threading.get_ident()
        self._heard_s = time.monotonic()
        self._leaving = threading.Event()
        self._next: asyncio.TimerHandle | None = None
        self._watcher = threading.Thread(target=self._watch, name="stalls", daemon=True)

    def start(self) -> None:
        """To be called in the loop's thread, as `stop` is."""
        self._tick()
        self._watcher.start()

    def stop(self) -> None:
        if self._next is not None:
            self._next.cancel()
        self._leaving.set()

    def _tick(self) -> None:
        self._heard_s = time.monotonic()
        self._next = self._loop.call_later(TICK_S, self._tick)

    def _watch(self) -> None:
        told_s = 0.0  # which tick was the last before a stall that was told of
        while not self._leaving.wait(TICK_S):
            heard_s = self._heard_s
            if heard_s != told_s and time.monotonic() - heard_s > self._limit_s:
                told_s = heard_s
                log.error("loop.stalled", extra={"frames": self._where(), "duration_s": self._limit_s})

    def _where(self) -> str:
        """The innermost frames of the loop's thread, the innermost first; names of our code, never its values."""
        frame = sys._current_frames().get(self._thread_of_loop)
        places = [f"{Path(one.f_code.co_filename).name}:{line} {one.f_code.co_name}" for one, line in walk_stack(frame)]
        return " < ".join(places[:FRAMES_MAX])


@asynccontextmanager
async def stalls_told(*, limit_s: float = 2.0) -> AsyncIterator[None]:
    """While this is held, a loop that stands still for so long is told of in the log."""
    stalls = Stalls(asyncio.get_running_loop(), limit_s=limit_s)
    stalls.start()
    try:
        yield
    finally:
        stalls.stop()
