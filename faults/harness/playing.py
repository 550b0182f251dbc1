"""An event loop whose time is played: nobody waits for it, and what is drawn by chance comes from a seed."""

import asyncio
import random
import selectors
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeVar, TypeVarTuple, Unpack

import pytest

EPOCH = datetime(2030, 1, 1, tzinfo=UTC)
SLOWEST_S = 0.05  # what is asked of a thread, until its answer
CHANCY = ("sprout.loop.recovery", "sprout.runs.follow", "sprout.runs.watch")

T = TypeVar("T")
Given = TypeVarTuple("Given")


class StoodStill(Exception):
    """Nothing was left that could ever happen, and the work was not done."""


class LeftBehind(Exception):
    """The work was done, and some of its tasks were not (I11)."""


class _Skipping(selectors.SelectSelector):
    """Waits for nothing: the time until the next deadline is added to the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise StoodStill
        self.now_s += max(0.0, timeout)
        return super().select(0)


class PlayedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is the sum of what was waited for in it; work for threads is done in it too."""

    def __init__(self, seed: int) -> None:
        self._skipping = _Skipping()
        self._chance = random.Random(f"threads {seed}")
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now_s

    def run_in_executor(
        self, _executor: Executor | None, func: Callable[[Unpack[Given]], T], *args: *Given
    ) -> asyncio.Future[T]:
        """Do it after as long as a thread might have taken; who is cancelled before then has nothing done."""
        done: asyncio.Future[T] = self.create_future()
        self.call_later(self._chance.uniform(0.0, SLOWEST_S), _do, done, partial(func, *args))
        return done


def played(seed: int, work: Callable[[PlayedLoop], Coroutine[Any, Any, T]], *, longest_s: float) -> T:
    """The result of the work in a loop of its own; ids, times and chance are those of the seed.

    Raises TimeoutError (on the played clock), StoodStill, LeftBehind.
    """
    loop = PlayedLoop(seed)
    with _seeded(seed, loop):
        try:
            result = loop.run_until_complete(asyncio.wait_for(work(loop), longest_s))
            if left := asyncio.all_tasks(loop):
                raise LeftBehind(", ".join(sorted(task.get_name() for task in left)))
            return result
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


async def each_twice(play: Callable[[int], T], seeds: Iterable[int]) -> AsyncIterator[tuple[int, T, T]]:
    """Each seed with what came of it the first time and the second."""
    for seed in seeds:
        yield seed, await asyncio.to_thread(play, seed), await asyncio.to_thread(play, seed)


@contextmanager
def _seeded(seed: int, loop: PlayedLoop) -> Iterator[None]:
    def at_us() -> int:
        return round(loop.time() * 1e6)

    epoch_us = round(EPOCH.timestamp() * 1e6)
    with pytest.MonkeyPatch.context() as here:
        secrets = random.Random(f"secrets {seed}")
        here.setattr("secrets.randbits", secrets.getrandbits)
        here.setattr("secrets.token_hex", lambda count: secrets.randbytes(count).hex())
        here.setattr("sprout.ids.time", SimpleNamespace(time_ns=lambda: (epoch_us + at_us()) * 1_000))
        here.setattr("sprout.ids._last", 0)
        here.setattr(
            "sprout.clock.datetime", SimpleNamespace(now=lambda _zone: EPOCH + timedelta(microseconds=at_us()))
        )
        here.setattr("sprout.loop.execution.time", SimpleNamespace(monotonic=loop.time))
        for module in CHANCY:
            here.setattr(f"{module}.random", random.Random(f"{module} {seed}"))
        yield


def _do(done: asyncio.Future[T], work: Callable[[], T]) -> None:
    if done.done():
        return
    try:
        done.set_result(work())
    except Exception as error:  # noqa: BLE001 - it is raised where somebody waits for it
        done.set_exception(error)
