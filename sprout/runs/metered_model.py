"""Metered model: one wrapper around the model, through which budget, gate and telemetry follow each call."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from sprout.events import Usage
from sprout.loop.model import ChatModel, ModelRequest, ReplyPart, UsagePart


class MeteredCall(Protocol):
    """One call under way; `request` is what the meters inside this one and the model receive."""

    @property
    def request(self) -> ModelRequest: ...

    def observe(self, part: ReplyPart) -> None:
        """Take in a part of the reply, before the reader has it."""
        ...


@dataclass(frozen=True, slots=True)
class UnmeteredCall:
    """A call that is not measured."""

    request: ModelRequest

    def observe(self, part: ReplyPart) -> None:
        pass


@dataclass(slots=True)
class OpenCallUsage:
    """A meter of what the call under way has cost so far, for a run that is cut before it is reported."""

    usage: Usage = Usage()

    @asynccontextmanager
    async def meter(self, request: ModelRequest) -> AsyncIterator[MeteredCall]:
        yield _ObservedCall(request, self)


@dataclass(frozen=True, slots=True)
class _ObservedCall:
    request: ModelRequest
    open_call: OpenCallUsage

    def observe(self, part: ReplyPart) -> None:
        if isinstance(part, UsagePart):
            self.open_call.usage = part.usage


Meter = Callable[[ModelRequest], AbstractAsyncContextManager[MeteredCall]]


class MeteredModel:
    """A ChatModel whose calls are made inside the contexts of its meters.

    A meter must not open a timeout or a task group: its context spans the parts of the reply.

    Args:
        meters: the outermost first.
    """

    def __init__(self, model: ChatModel, *meters: Meter) -> None:
        self._model = model
        self._meters = meters

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        async with AsyncExitStack() as stack:
            calls: list[MeteredCall] = []
            for meter in self._meters:
                calls.insert(0, await stack.enter_async_context(meter(request)))
                request = calls[0].request
            async for part in await stack.enter_async_context(aclosing(self._model.reply(request))):
                for call in calls:
                    call.observe(part)
                yield part
