"""Event streams over HTTP: frames exactly as the contract has them, on sse-starlette."""

import asyncio
import json
import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, nullcontext
from functools import lru_cache
from typing import TypeVar, cast

import anyio
from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import EventSourceResponse, SendTimeoutError
from starlette.types import Message, Receive, Scope, Send

from sprout.events import Event, Reconnect, Resync, wire_data
from sprout.runs.bus import News
from sprout.runs.log import Logged
from sprout.web.parts import Limits

log = logging.getLogger(__name__)

RETRY_MS = 2000
RETRY_AFTER_BUG_MS = 5000
PING_SPREAD = 0.2  # streams that were opened together, after a restart say, would ping together for ever
CURSOR_MAX_DIGITS = 18
FRAMES_KEPT = 256

T = TypeVar("T")


def cursor_of(header: str | None, parameter: str | None) -> int | None:
    """The number after which a client wants to go on; 0 where it names none, None where what it names is no number.

    The header is the newer of the two: a browser that reconnects keeps the address and adds the header.
    """
    text = (header or parameter or "0").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= CURSOR_MAX_DIGITS else None


@lru_cache(maxsize=FRAMES_KEPT)
def frame(news: News) -> bytes:
    """One SSE frame: a stored event carries its number as id, a passing one none; a `reconnect` says when to come back.

    Made once, however many read it: they do so at nearly the same time.
    """
    head = f"id: {news.seq}\n" if isinstance(news, Logged) else retry_head(news)
    return f"{head}event: {news.kind}\ndata: {news.data}\n\n".encode()


def retry_head(news: News) -> str:
    """What tells a browser when to come back, before a `reconnect`; nothing before anything else."""
    return f"retry: {json.loads(news.data)['retryMs']}\n" if news.kind == "reconnect" else ""


def passing_frame(event: Event) -> bytes:
    """The frame of an event that is not stored."""
    return f"event: {event.kind}\ndata: {wire_data(event)}\n\n".encode()


class EventStream(EventSourceResponse):
    """Batches as a response, each written at once.

    A client that goes away ends nothing but its own stream, unless `on_disconnect` says otherwise. A failure on
    the way is logged and told as `reconnect`: what the client has is right, it only has to ask for the rest.

    Args:
        batches: of what `frame` makes frames of.
        counted: held while the stream is open; what it raises on entering is answered instead of the stream.
        opening: a frame that goes before all others.
        named: for the log.
    """

    def __init__(
        self,
        batches: AsyncIterator[Sequence[T]],
        frame: Callable[[T], bytes],
        *,
        limits: Limits,
        counted: AbstractContextManager[None],
        headers: Mapping[str, str],
        named: Mapping[str, str],
        opening: bytes = b"",
        on_disconnect: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        super().__init__(
            self._bytes(batches, frame, opening),
            headers={**headers, "Cache-Control": "no-cache, no-transform"},
            ping=limits.ping_s * random.uniform(1 - PING_SPREAD, 1),
            sep="\n",
            ping_message_factory=lambda: ServerSentEvent(comment="ping", sep="\n"),
            send_timeout=limits.send_timeout_s,
            client_close_handler_callable=self._disconnected,
            shutdown_event=anyio.Event(),
            shutdown_grace_period=limits.shutdown_grace_s,
        )
        self._named = dict(named)
        self._counted = counted
        self._complete = False
        self._on_disconnect = on_disconnect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._counted:
                await super().__call__(scope, receive, send)
        except SendTimeoutError:
            log.info("stream.reader_too_slow", extra=self._named)

    async def _bytes(
        self, batches: AsyncIterator[Sequence[T]], frame: Callable[[T], bytes], opening: bytes
    ) -> AsyncGenerator[bytes, None]:
        yield f"retry: {RETRY_MS}\n\n".encode() + opening
        try:
            async with aclosing(cast(AsyncGenerator[Sequence[T], None], batches)):
                async for batch in batches:
                    yield b"".join(map(frame, batch))
                    if len(batch) > 1:
                        await asyncio.sleep(0)  # a replay never really waits: let the others have a turn
        except Exception:
            log.exception("stream.broke", extra=self._named)
            yield passing_frame(Reconnect(retry_ms=RETRY_AFTER_BUG_MS))
        self._complete = True

    async def _disconnected(self, message: Message) -> None:
        if self._on_disconnect is not None and not self._complete:
            await self._on_disconnect()


class RunStream(EventStream):
    """The news of a run as a response; `resync` where the client's cursor was unreadable, so that it starts over."""

    def __init__(
        self,
        batches: AsyncIterator[Sequence[News]],
        *,
        run_id: str,
        limits: Limits,
        counted: AbstractContextManager[None] = nullcontext(),
        resync: bool = False,
        on_disconnect: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        super().__init__(
            batches,
            frame,
            limits=limits,
            counted=counted,
            headers={"X-Run-Id": run_id},
            named={"run": run_id},
            opening=passing_frame(Resync(why="The event id was not a number.")) if resync else b"",
            on_disconnect=on_disconnect,
        )
