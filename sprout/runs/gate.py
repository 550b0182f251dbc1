"""How many model calls run at once: as many as the provider takes, shared fairly between learners."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass

from sprout.crashing import crash_point
from sprout.errors import ModelFailure, ModelFailureKind
from sprout.loop.model import ChatModel, ModelRequest, ReplyPart

FIRST_WIDTH = 3
TOO_MUCH = frozenset({ModelFailureKind.RATE_LIMITED, ModelFailureKind.OVERLOADED})


@dataclass(frozen=True, slots=True)
class _Waiter:
    root_id: str
    admitted: asyncio.Future[None]


class ModelGate:
    """Admits calls up to a width that starts at 3, grows by one with every answered call and halves when the provider
    says that it is too much.

    Args:
        per_root: calls at once of one root run and its children.
        most: calls at once of the whole deployment.
    """

    def __init__(self, *, per_root: int, most: int) -> None:
        self._per_root = per_root
        self._most = most
        self._width = min(FIRST_WIDTH, most)
        self._going: dict[str, int] = {}
        self._waiting: dict[str, deque[_Waiter]] = {}

    @property
    def width(self) -> int:
        return self._width

    @property
    def going(self) -> int:
        """How many calls go on."""
        return sum(self._going.values())

    @property
    def waiting(self) -> int:
        """How many calls wait for a place."""
        return sum(len(waiters) for waiters in self._waiting.values())

    def answered(self) -> None:
        self._width = min(self._width + 1, self._most)
        self._admit()

    def too_much(self) -> None:
        self._width = max(1, self._width // 2)

    @asynccontextmanager
    async def place(
        self, learner: str, root_id: str, *, waiting: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    ) -> AsyncIterator[None]:
        """Hold one of the places for the length of a call; learners who wait take turns.

        Args:
            waiting: held while there is no place yet.
        """
        waiter = _Waiter(root_id, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(learner, deque()).append(waiter)
        self._admit()
        try:
            if not waiter.admitted.done():
                async with waiting():
                    await waiter.admitted
            yield
        finally:
            self._leave(learner, waiter)

    def _leave(self, learner: str, waiter: _Waiter) -> None:
        if waiter.admitted.done() and not waiter.admitted.cancelled():
            self._going[waiter.root_id] -= 1
            if not self._going[waiter.root_id]:
                del self._going[waiter.root_id]
        else:
            self._waiting[learner].remove(waiter)
            if not self._waiting[learner]:
                del self._waiting[learner]
        self._admit()

    def _admit(self) -> None:
        while self.going < self._width and (chosen := self._next_waiter()) is not None:
            self._going[chosen.root_id] = self._going.get(chosen.root_id, 0) + 1
            chosen.admitted.set_result(None)

    def _next_waiter(self) -> _Waiter | None:
        """The first waiter that may go; its learner moves to the end of the line.

        One that was cancelled is on its way out, and takes no place.
        """
        for learner, waiters in list(self._waiting.items()):
            for waiter in waiters:
                if not waiter.admitted.cancelled() and self._going.get(waiter.root_id, 0) < self._per_root:
                    waiters.remove(waiter)
                    del self._waiting[learner]
                    if waiters:
                        self._waiting[learner] = waiters
                    return waiter
        return None


class GatedModel:
    """A ChatModel whose calls go through the gate, for one root run of one learner.

    Args:
        waiting: held while a call waits for its place.
    """

    def __init__(
        self,
        model: ChatModel,
        gate: ModelGate,
        *,
        learner: str,
        root_id: str,
        waiting: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
    ) -> None:
        self._model = model
        self._gate = gate
        self._learner = learner
        self._root_id = root_id
        self._waiting = waiting

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        place = self._gate.place(self._learner, self._root_id, waiting=self._waiting)
        async with place, aclosing(self._model.reply(request)) as parts:
            answered = False
            crash_point("before_model_call")
            try:
                async for part in parts:
                    if not answered:
                        self._gate.answered()
                        answered = True
                    yield part
                crash_point("after_model_call")
            except ModelFailure as failure:
                if failure.kind in TOO_MUCH:
                    self._gate.too_much()
                raise
