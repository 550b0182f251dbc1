"""The CallGate of many processes: places for model calls in Redis, given to lessons first and to learners in turn."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from importlib.resources import files
from typing import TYPE_CHECKING

from sprout.engines.redis_server import EXPECTED, TIMEOUT_S
from sprout.ids import new_id
from sprout.runs.cancellation import end_tasks, raise_if_cancelled
from sprout.runs.fair_queue import Urgency
from sprout.runs.model_gate import INITIAL_WIDTH, ModelGate

if TYPE_CHECKING:
    from redis.asyncio import Redis

log = logging.getLogger(__name__)

EXPIRY_S = 15.0  # until a call that its process does not renew gives its place back
RENEWAL_S = 3.0
RETRY_S = 1.0
_KEYS = ("waiting", "active", "callers", "turns", "state")


class RedisGate:
    """As `ModelGate`, but its width, its places and the order of learners are those of the whole deployment.

    While Redis is away, the process goes by a gate of its own.

    Args:
        per_root: concurrent calls of one root run and its children.
        limit: concurrent calls of the whole deployment.
        prefix: begins the names of its keys and of its channel.
    """

    def __init__(self, redis: "Redis", *, per_root: int, limit: int, prefix: str = "sprout:gate") -> None:
        self._redis = redis
        self._script = redis.register_script(files("sprout.engines").joinpath("redis_gate.lua").read_text("utf-8"))
        self._keys = [f"{{{prefix}}}:{name}" for name in _KEYS]  # the braces keep them on one node of a cluster
        self._channel = f"{prefix}:admitted"
        self._limits = (min(INITIAL_WIDTH, limit), limit, per_root)
        self._width = min(INITIAL_WIDTH, limit)
        self._waiting: dict[str, asyncio.Future[bool]] = {}  # whether there is a place, or Redis is away
        self._calls: dict[str, tuple[str, str, Urgency]] = {}  # those of this process that wait or have a place
        self._alone = ModelGate(per_root=per_root, limit=limit)
        self._reports: set[asyncio.Task[None]] = set()

    @property
    def width(self) -> int:
        """The deployment's, as it was last heard."""
        return self._width

    @property
    def active(self) -> int:
        """Number of this process's calls under way."""
        return len(self._calls) - len(self._waiting) + self._alone.active

    @property
    def waiting(self) -> int:
        """Number of this process's calls that wait for a place."""
        return len(self._waiting) + self._alone.waiting

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Listen for the admissions of calls, and renew those of this process, while this is open."""
        tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._renew())]
        try:
            yield
        finally:
            await end_tasks(tasks)
            await asyncio.gather(*self._reports)

    def record_success(self) -> None:
        self._alone.record_success()
        self._report("success")

    def record_overload(self) -> None:
        self._alone.record_overload()
        self._report("overload")

    @asynccontextmanager
    async def slot(
        self,
        learner: str,
        root_id: str,
        *,
        urgency: Urgency = Urgency.GROWING,
        idle: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
    ) -> AsyncIterator[None]:
        call, admitted = new_id(), asyncio.get_running_loop().create_future()
        self._calls[call], self._waiting[call] = (learner, root_id, urgency), admitted
        try:
            await self._try("wait", call)
            if not admitted.done():
                async with idle():
                    await admitted
            if admitted.result():
                yield
                return
            del self._calls[call]
            async with self._alone.slot(learner, root_id, urgency=urgency, idle=idle):
                yield
        finally:
            self._waiting.pop(call, None)
            if self._calls.pop(call, None) is not None:
                await asyncio.shield(self._try("release", call))

    async def _try(self, operation: str, call: str = "") -> None:
        """Have Redis do this; while it is away, a call that waits goes by the process's own gate."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await self._run(operation, call)
        except EXPECTED as error:
            log.warning("model_gate.alone", extra={"reason": str(error)})
            if operation == "wait":
                self._settle([call], has_place=False)

    async def _run(self, operation: str, call: str) -> None:
        learner, root_id, urgency = self._calls.get(call, ("", "", Urgency.GROWING))
        arguments: list[str | float] = [operation, *self._limits, EXPIRY_S, call, learner, root_id, int(urgency)]
        width, is_active, admitted = await self._script(keys=self._keys, args=arguments)
        self._width = int(width)
        ids = [_text(one) for one in admitted]
        self._settle([*ids, *([call] if is_active else ())], has_place=True)
        if others := [one for one in ids if one not in self._calls]:
            await self._redis.publish(self._channel, json.dumps(others))

    def _settle(self, calls: Iterable[str], *, has_place: bool) -> None:
        for call in calls:
            admitted = self._waiting.pop(call, None)
            if admitted is not None and not admitted.done():
                admitted.set_result(has_place)

    def _report(self, operation: str) -> None:
        task = asyncio.create_task(self._try(operation))
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)

    async def _listen(self) -> None:
        while True:
            try:
                async with self._redis.pubsub(ignore_subscribe_messages=True) as heard:
                    await heard.subscribe(self._channel)
                    async for message in heard.listen():
                        self._settle(json.loads(message["data"]), has_place=True)
            except (*EXPECTED, ValueError) as error:
                raise_if_cancelled()
                log.warning("model_gate.deaf", extra={"reason": str(error)})
                await asyncio.sleep(RETRY_S)

    async def _renew(self) -> None:
        """Renew every call; one whose admission was not heard, or that Redis has lost, is admitted by this."""
        while True:
            await asyncio.sleep(RENEWAL_S)
            for call in list(self._calls):
                if call in self._calls:
                    await self._try("wait" if call in self._waiting else "hold", call)
                    raise_if_cancelled()


def _text(raw: bytes | str) -> str:
    return raw.decode() if isinstance(raw, bytes) else raw
