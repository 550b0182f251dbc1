"""Server-sent events: frames, cursors and streaming responses, on sse-starlette."""

import asyncio
import json
import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from functools import lru_cache
from typing import TypeVar, cast

import anyio
from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import EventSourceResponse, SendTimeoutError
from starlette.types import Message, Receive, Scope, Send

from sprout.errors import DatabaseUnavailable
from sprout.events import Event, Reconnect, Resync, wire_data
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusMessage
from sprout.web.http.limits import WebLimits

log = logging.getLogger(__name__)

RETRY_MS = 2000
RETRY_AFTER_BUG_MS = 5000
PING_JITTER = 0.2  # else streams opened together, as after a restart, would ping together
CURSOR_MAX_DIGITS = 18
FRAME_CACHE_SIZE = 256

T = TypeVar("T")


def parse_cursor(header: str | None, parameter: str | None) -> int | None:
    """The number after which the client continues; 0 by default, None if it is not a number.

    The header is newer than the parameter: a browser that reconnects keeps the address and adds the header.
    """
    text = (header or parameter or "0").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= CURSOR_MAX_DIGITS else None


@lru_cache(maxsize=FRAME_CACHE_SIZE)
def frame(message: BusMessage) -> bytes:
    """One SSE frame: a stored event has its number as id, an ephemeral one none; a `reconnect` sets the retry time.

    Cached, because all readers of a run need it at nearly the same time.
    """
    head = f"id: {message.seq}\n" if isinstance(message, StoredEvent) else retry_field(message)
    return f"{head}event: {message.kind}\ndata: {message.data}\n\n".encode()


def retry_field(message: BusMessage) -> str:
    """The retry field of a `reconnect`; empty for other events."""
    return f"retry: {json.loads(message.data)['retryMs']}\n" if message.kind == "reconnect" else ""


def ephemeral_frame(event: Event) -> bytes:
    """The frame of an ephemeral event."""
    return f"event: {event.kind}\ndata: {wire_data(event)}\n\n".encode()


def reconnect_frame() -> bytes:
    """The end of a stream that failed."""
    return ephemeral_frame(Reconnect(retry_ms=RETRY_AFTER_BUG_MS))


class EventStream(EventSourceResponse):
    """A streaming response that writes each batch at once.

    A client that disconnects ends only its own stream, unless `on_disconnect` does more. A failure is logged and
    sent, by default as `reconnect`: the client keeps what it has and asks for the rest.

    Args:
        frame: formats an item of a batch.
        tracking: entered while the stream is open; an error on entering is the response instead of the stream.
        opening: a frame before all others.
        failure: makes the last frame of a stream that fails.
        log_fields: for the log.
    """

    def __init__(
        self,
        batches: AsyncIterator[Sequence[T]],
        frame: Callable[[T], bytes],
        *,
        limits: WebLimits,
        tracking: AbstractAsyncContextManager[None],
        headers: Mapping[str, str],
        log_fields: Mapping[str, str],
        opening: bytes = b"",
        failure: Callable[[], bytes] = reconnect_frame,
        on_disconnect: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self._failure = failure
        super().__init__(
            self._frames(batches, frame, opening),
            headers={**headers, "Cache-Control": "no-cache, no-transform"},
            ping=limits.ping_s * random.uniform(1 - PING_JITTER, 1),
            sep="\n",
            ping_message_factory=lambda: ServerSentEvent(comment="ping", sep="\n"),
            send_timeout=limits.send_timeout_s,
            client_close_handler_callable=self._handle_disconnect,
            shutdown_event=anyio.Event(),
            shutdown_grace_period=limits.shutdown_grace_s,
        )
        self._log_fields = dict(log_fields)
        self._tracking = tracking
        self._complete = False
        self._on_disconnect = on_disconnect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        open_ = False

        async def watched(message: Message) -> None:
            nonlocal open_
            open_ = message["type"] == "http.response.start" or bool(message.get("more_body"))
            await send(message)

        try:
            async with self._tracking:
                await super().__call__(scope, receive, watched)
                open_ = False
            if open_:  # its reader may no longer have it: it ends like any other, and asking again is refused
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except SendTimeoutError:
            log.info("stream.reader_too_slow", extra=self._log_fields)

    async def _frames(
        self, batches: AsyncIterator[Sequence[T]], frame: Callable[[T], bytes], opening: bytes
    ) -> AsyncGenerator[bytes, None]:
        yield f"retry: {RETRY_MS}\n\n".encode() + opening
        try:
            async with aclosing(cast(AsyncGenerator[Sequence[T], None], batches)):
                async for batch in batches:
                    yield b"".join(map(frame, batch))
                    if len(batch) > 1:
                        await asyncio.sleep(0)  # a replay never really waits: yield to other tasks
        except Exception as error:  # the status is sent already: the client is asked to reconnect
            if not isinstance(error, DatabaseUnavailable):  # the database reports its own loss
                log.exception("stream.failed", extra=self._log_fields)
            yield self._failure()
        self._complete = True

    async def _handle_disconnect(self, message: Message) -> None:
        if self._on_disconnect is not None and not self._complete:
            await self._on_disconnect()


class RunStream(EventStream):
    """The events of a run as a response; `resync` makes a client with an unreadable cursor start over."""

    def __init__(
        self,
        batches: AsyncIterator[Sequence[BusMessage]],
        *,
        run_id: str,
        limits: WebLimits,
        tracking: AbstractAsyncContextManager[None] = nullcontext(),
        resync: bool = False,
        on_disconnect: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        super().__init__(
            batches,
            frame,
            limits=limits,
            tracking=tracking,
            headers={"X-Run-Id": run_id},
            log_fields={"run": run_id},
            opening=ephemeral_frame(Resync(why="The event id was not a number.")) if resync else b"",
            on_disconnect=on_disconnect,
        )
