"""Watchdog of the event loop: logs the stack of a blocked loop, so that the code at fault can be found."""

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


class LoopWatchdog:
    """Logs `loop.stalled` once for each time that the loop does not tick for `limit_s`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, limit_s: float) -> None:
        self._loop = loop
        self._limit_s = limit_s
        self._loop_thread_id = threading.get_ident()
        self._last_tick_s = time.monotonic()
        self._stopping = threading.Event()
        self._next: asyncio.TimerHandle | None = None
        self._watcher = threading.Thread(target=self._watch, name="stalls", daemon=True)

    def start(self) -> None:
        """Call this, as well as `stop`, in the loop's thread."""
        self._tick()
        self._watcher.start()

    def stop(self) -> None:
        if self._next is not None:
            self._next.cancel()
        self._stopping.set()

    def _tick(self) -> None:
        self._last_tick_s = time.monotonic()
        self._next = self._loop.call_later(TICK_S, self._tick)

    def _watch(self) -> None:
        reported_s = 0.0  # the last tick before the reported stall
        while not self._stopping.wait(TICK_S):
            last_tick_s = self._last_tick_s
            if last_tick_s != reported_s and time.monotonic() - last_tick_s > self._limit_s:
                reported_s = last_tick_s
                log.error("loop.stalled", extra={"frames": self._loop_stack(), "duration_s": self._limit_s})

    def _loop_stack(self) -> str:
        """The innermost frames of the loop's thread, the innermost first; names of our code, never its values."""
        frame = sys._current_frames().get(self._loop_thread_id)
        places = [f"{Path(one.f_code.co_filename).name}:{line} {one.f_code.co_name}" for one, line in walk_stack(frame)]
        return " < ".join(places[:FRAMES_MAX])


@asynccontextmanager
async def watch_event_loop(*, limit_s: float = 2.0) -> AsyncIterator[None]:
    """Log a loop that is blocked for longer than `limit_s` while this is held."""
    watchdog = LoopWatchdog(asyncio.get_running_loop(), limit_s=limit_s)
    watchdog.start()
    try:
        yield
    finally:
        watchdog.stop()
