"""Event loop with simulated time: nothing waits, and randomness comes from a seed."""

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
RANDOM_MODULES = ("sprout.loop.model_call.retry", "sprout.runs.streaming.follow", "sprout.runs.streaming.poller")

T = TypeVar("T")
Given = TypeVarTuple("Given")


class SimulationDeadlock(Exception):
    """Nothing was left that could ever happen, and the work was not done."""


class TasksLeftRunning(Exception):
    """The work was done, and some of its tasks were not (I11)."""


class _SkippingSelector(selectors.SelectSelector):
    """Waits for nothing: the time until the next deadline is added to the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise SimulationDeadlock
        self.now_s += max(0.0, timeout)
        return super().select(0)


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is the sum of what was waited for in it; work for threads is done in it too."""

    def __init__(self, seed: int) -> None:
        self._selector = _SkippingSelector()
        self._random = random.Random(f"threads {seed}")
        super().__init__(self._selector)

    def time(self) -> float:
        return self._selector.now_s

    def run_in_executor(
        self, _executor: Executor | None, func: Callable[[Unpack[Given]], T], *args: *Given
    ) -> asyncio.Future[T]:
        """Do it after as long as a thread might have taken; who is cancelled before then has nothing done."""
        done: asyncio.Future[T] = self.create_future()
        self.call_later(self._random.uniform(0.0, SLOWEST_S), _complete, done, partial(func, *args))
        return done


def run_simulated(seed: int, work: Callable[[SimulatedLoop], Coroutine[Any, Any, T]], *, longest_s: float) -> T:
    """The result of the work in a loop of its own; ids, times and chance are those of the seed.

    Raises TimeoutError (on the played clock), SimulationDeadlock, TasksLeftRunning.
    """
    loop = SimulatedLoop(seed)
    with _seeded(seed, loop):
        try:
            result = loop.run_until_complete(asyncio.wait_for(work(loop), longest_s))
            if left := asyncio.all_tasks(loop):
                raise TasksLeftRunning(", ".join(sorted(task.get_name() for task in left)))
            return result
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


async def run_each_twice(play: Callable[[int], T], seeds: Iterable[int]) -> AsyncIterator[tuple[int, T, T]]:
    """Each seed with what came of it the first time and the second."""
    for seed in seeds:
        yield seed, await asyncio.to_thread(play, seed), await asyncio.to_thread(play, seed)


@contextmanager
def _seeded(seed: int, loop: SimulatedLoop) -> Iterator[None]:
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
        here.setattr("sprout.loop.tool_calls.batch.time", SimpleNamespace(monotonic=loop.time))
        for module in RANDOM_MODULES:
            here.setattr(f"{module}.random", random.Random(f"{module} {seed}"))
        yield


def _complete(done: asyncio.Future[T], work: Callable[[], T]) -> None:
    if done.done():
        return
    try:
        done.set_result(work())
    except Exception as error:  # noqa: BLE001 - it is raised in the waiting caller
        done.set_exception(error)
