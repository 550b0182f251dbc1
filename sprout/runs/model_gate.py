"""Model gate: adaptive limit of concurrent model calls, shared fairly between learners."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.failpoints import failpoint
from sprout.loop.model import ModelRequest, ReplyPart
from sprout.runs.fair_queue import FairQueue, Urgency
from sprout.runs.metered_model import MeteredCall

INITIAL_WIDTH = 3
NARROWING_KINDS = frozenset({ModelFailureKind.RATE_LIMITED, ModelFailureKind.OVERLOADED})


class CallGate(Protocol):
    """Limit of concurrent model calls."""

    def slot(
        self,
        learner: str,
        root_id: str,
        *,
        urgency: Urgency = Urgency.GROWING,
        idle: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
    ) -> AbstractAsyncContextManager[None]:
        """Hold a slot for the length of a call; lessons go first, and among equals learners who wait take turns.

        Args:
            idle: held while there is no slot yet.
        """
        ...

    def record_success(self) -> None:
        """A call was answered: one more may go at once."""
        ...

    def record_overload(self) -> None:
        """The provider takes fewer calls than this: half as many may go at once."""
        ...


@dataclass(frozen=True, slots=True)
class _Waiter:
    learner: str
    root_id: str
    urgency: Urgency
    admitted: asyncio.Future[None]


class ModelGate:
    """The CallGate of one process.

    Its width starts at 3, grows by one with each answered call and halves at each overload.

    Args:
        per_root: concurrent calls of one root run and its children.
        limit: concurrent calls of the whole deployment.
    """

    def __init__(self, *, per_root: int, limit: int) -> None:
        self._per_root = per_root
        self._limit = limit
        self._width = min(INITIAL_WIDTH, limit)
        self._active: dict[str, int] = {}
        self._waiting = FairQueue[_Waiter]()

    @property
    def width(self) -> int:
        return self._width

    @property
    def active(self) -> int:
        """Number of calls under way."""
        return sum(self._active.values())

    @property
    def waiting(self) -> int:
        """Number of calls that wait for a slot."""
        return len(self._waiting)

    def record_success(self) -> None:
        self._width = min(self._width + 1, self._limit)
        self._admit()

    def record_overload(self) -> None:
        self._width = max(1, self._width // 2)

    @asynccontextmanager
    async def slot(
        self,
        learner: str,
        root_id: str,
        *,
        urgency: Urgency = Urgency.GROWING,
        idle: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
    ) -> AsyncIterator[None]:
        waiter = _Waiter(learner, root_id, urgency, asyncio.get_running_loop().create_future())
        self._waiting.add(waiter, learner=learner, urgency=urgency)
        self._admit()
        try:
            if not waiter.admitted.done():
                async with idle():
                    await waiter.admitted
            yield
        finally:
            self._release(waiter)

    def _release(self, waiter: _Waiter) -> None:
        if waiter.admitted.done() and not waiter.admitted.cancelled():
            self._active[waiter.root_id] -= 1
            if not self._active[waiter.root_id]:
                del self._active[waiter.root_id]
        else:
            self._waiting.remove(waiter, learner=waiter.learner, urgency=waiter.urgency)
        self._admit()

    def _admit(self) -> None:
        while self.active < self._width and (chosen := self._waiting.take(self._may_go)) is not None:
            self._active[chosen.root_id] = self._active.get(chosen.root_id, 0) + 1
            chosen.admitted.set_result(None)

    def _may_go(self, waiter: _Waiter) -> bool:
        """Whether its root run has a place left; one that was cancelled is on its way out, and takes no place."""
        return not waiter.admitted.cancelled() and self._active.get(waiter.root_id, 0) < self._per_root


@dataclass(slots=True)
class _AdmittedCall:
    """A call that has a slot; its first part counts as a success."""

    request: ModelRequest
    gate: CallGate
    answered: bool = False

    def observe(self, part: ReplyPart) -> None:
        if not self.answered:
            self.answered = True
            self.gate.record_success()


@dataclass(frozen=True, slots=True)
class RunGate:
    """The gate for the calls of one root run of one learner.

    Args:
        idle: held while a call waits for its slot.
    """

    gate: CallGate
    learner: str
    root_id: str
    urgency: Urgency = Urgency.GROWING
    idle: Callable[[], AbstractAsyncContextManager[None]] = nullcontext

    @asynccontextmanager
    async def admit(self, request: ModelRequest) -> AsyncIterator[MeteredCall]:
        """Hold a slot for the length of a call; the gate widens by answers and narrows by overloads."""
        async with self.gate.slot(self.learner, self.root_id, urgency=self.urgency, idle=self.idle):
            failpoint("before_model_call")
            try:
                yield _AdmittedCall(request, self.gate)
                failpoint("after_model_call")
            except ModelFailure as failure:
                if failure.kind in NARROWING_KINDS:
                    self.gate.record_overload()
                raise
