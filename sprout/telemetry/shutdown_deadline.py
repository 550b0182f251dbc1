"""Deadline of a shutdown: a process that has not ended by then is ended, after its log has said what it waited for."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

FRAMES_MAX = 12
OVERDUE = 1  # exit code

log = logging.getLogger(__name__)


class ShutdownDeadline:
    """Ends the process `within_s` after the first `begin`: a server or a library may hold it up for ever.

    Nothing is lost by it that a kill would not lose: what is acknowledged is stored, and leases expire.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, *, within_s: float) -> None:
        self._loop = loop
        self._within_s = within_s
        self._loop_thread_id = threading.get_ident()
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        """Call this in the loop's thread."""
        if self._timer is None:
            self._timer = threading.Timer(self._within_s, self._end)
            self._timer.daemon = True
            self._timer.start()

    def _end(self) -> None:
        """In a thread of its own, since the loop may be what is held up."""
        for name, frames in self._waiting():
            log.error("shutdown.overdue", extra={"kind": name, "frames": frames, "duration_s": self._within_s})
        logging.shutdown()
        os._exit(OVERDUE)

    def _waiting(self) -> Iterator[tuple[str, str]]:
        """Threads and tasks by name, each with its innermost frames; names of our code, never its values."""
        frames = sys._current_frames()
        for thread in threading.enumerate():
            if thread.ident == self._loop_thread_id or not thread.daemon:
                yield f"thread {thread.name}", _shown(_callers(frames.get(thread.ident or 0)))
        for task in asyncio.all_tasks(self._loop):
            yield f"task {task.get_name()}", _shown(_awaited(task))


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame and those that called it, innermost first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _awaited(task: asyncio.Task[object]) -> Iterator[FrameType]:
    """The frames of a task that is suspended, innermost first."""
    chain: list[object] = [task.get_coro()]
    while (awaited := _attribute(chain[-1], "await")) is not None:
        chain.append(awaited)
    frames = (_attribute(one, "frame") for one in reversed(chain))
    return (frame for frame in frames if isinstance(frame, FrameType))


def _attribute(suspended: object, name: str) -> object:
    """An attribute of a coroutine, an asynchronous generator or a generator; None of anything else."""
    return next((one for kind in ("cr", "ag", "gi") if (one := getattr(suspended, f"{kind}_{name}", None))), None)


def _shown(frames: Iterator[FrameType]) -> str:
    places = [f"{Path(one.f_code.co_filename).name}:{one.f_lineno} {one.f_code.co_name}" for one in frames]
    return " < ".join(places[:FRAMES_MAX])
