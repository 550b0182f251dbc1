"""State that the processes of a deployment share: in Redis where one is configured, else in the one process."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from sprout.config import Settings
from sprout.engines.memory_bus import MemoryBus
from sprout.runs.model_gate import CallGate, ModelGate
from sprout.runs.streaming.bus import EventBus
from sprout.telemetry.metrics import GateFigures
from sprout.web.http.open_streams import LocalStreamCounter, StreamCounter
from sprout.web.http.rate_limits import LocalBuckets, TakeToken


class WatchedGate(CallGate, GateFigures, Protocol):
    """A gate whose figures are shown as metrics."""


@dataclass(frozen=True, slots=True)
class SharedState:
    """The bus of live events, the gate of model calls, and what is counted for each learner.

    Args:
        take_token: of the buckets that limit a learner's rates.
        learner_streams: counts the open streams of each learner.
    """

    bus: EventBus
    gate: WatchedGate
    take_token: TakeToken
    learner_streams: StreamCounter


@asynccontextmanager
async def open_shared_state(settings: Settings, *, prefix: str = "sprout") -> AsyncIterator[SharedState]:
    """The state of this deployment. Raises SetupError, which says what to fix.

    Args:
        prefix: of all keys in Redis; the processes of a deployment have the same.
    """
    local = LocalBuckets()
    per_root, limit = settings.runs.children, settings.runs.model_calls
    if settings.redis_url is None:
        gate = ModelGate(per_root=per_root, limit=limit)
        yield SharedState(MemoryBus(), gate, local.take, LocalStreamCounter())
        return
    # Imported where they are needed: they are in an extra.
    from sprout.engines.redis_bus import open_redis_bus
    from sprout.engines.redis_gate import RedisGate
    from sprout.engines.redis_limits import RedisBuckets, RedisStreamCounter
    from sprout.engines.redis_server import connect

    async with AsyncExitStack() as stack:
        bus = await stack.enter_async_context(open_redis_bus(settings.redis_url, prefix=prefix))
        client = await stack.enter_async_context(connect(settings.redis_url))
        shared_gate = RedisGate(client, per_root=per_root, limit=limit, prefix=f"{prefix}:gate")
        await stack.enter_async_context(shared_gate.running())
        streams = RedisStreamCounter(client, prefix=f"{prefix}:streams")
        await stack.enter_async_context(streams.running())
        buckets = RedisBuckets(client, local.take, prefix=f"{prefix}:rate")
        yield SharedState(bus, shared_gate, buckets.take, streams)
