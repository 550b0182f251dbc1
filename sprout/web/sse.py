"""The event stream of a run over HTTP: frames exactly as the contract has them, on sse-starlette."""

import asyncio
import json
import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, aclosing, nullcontext
from typing import cast

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
RETRY_JITTER_MS = 1000
CURSOR_MAX_DIGITS = 18


def cursor_of(header: str | None, parameter: str | None) -> int | None:
    """The number after which a client wants to go on; 0 where it names none, None where what it names is no number.

    The header is the newer of the two: a browser that reconnects keeps the address and adds the header.
    """
    text = (header or parameter or "0").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= CURSOR_MAX_DIGITS else None


def frame(news: News) -> bytes:
    """One SSE frame: a stored event carries its number as id, a passing one none."""
    head = f"id: {news.seq}\n" if isinstance(news, Logged) else ""
    if news.kind == "reconnect":
        head = f"retry: {json.loads(news.data)['retryMs'] + random.randrange(RETRY_JITTER_MS)}\n"
    return f"{head}event: {news.kind}\ndata: {news.data}\n\n".encode()


def passing_frame(event: Event) -> bytes:
    """The frame of an event that is not stored."""
    return f"event: {event.kind}\ndata: {wire_data(event)}\n\n".encode()


class RunStream(EventSourceResponse):
    """The news of a run as a response.

    A client that goes away ends nothing but its own stream, unless `on_disconnect` says otherwise. A failure on
    the way is logged and told as `reconnect`: what the client has is right, it only has to ask for the rest.

    Args:
        batches: what `follow` gives.
        counted: held while the stream is open.
        resync: the client's cursor was unreadable, so what it shows is dropped before the replay.
    """

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
            self._bytes(batches, resync),
            headers={"X-Run-Id": run_id, "Cache-Control": "no-cache"},
            ping=limits.ping_s,
            sep="\n",
            ping_message_factory=lambda: ServerSentEvent(comment="ping", sep="\n"),
            send_timeout=limits.send_timeout_s,
            client_close_handler_callable=self._disconnected,
            shutdown_event=anyio.Event(),
            shutdown_grace_period=limits.shutdown_grace_s,
        )
        self._run_id = run_id
        self._counted = counted
        self._complete = False
        self._on_disconnect = on_disconnect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._counted:
                await super().__call__(scope, receive, send)
        except SendTimeoutError:
            log.info("stream.reader_too_slow", extra={"run": self._run_id})

    async def _bytes(self, batches: AsyncIterator[Sequence[News]], resync: bool) -> AsyncGenerator[bytes, None]:
        opening = f"retry: {RETRY_MS}\n\n".encode()
        yield opening + (passing_frame(Resync(why="The event id was not a number.")) if resync else b"")
        try:
            async with aclosing(cast(AsyncGenerator[Sequence[News], None], batches)):
                async for batch in batches:
                    yield b"".join(map(frame, batch))
                    await asyncio.sleep(0)  # a replay never really waits: let the others have a turn
        except Exception:
            log.exception("stream.broke", extra={"run": self._run_id})
            yield passing_frame(Reconnect(retry_ms=RETRY_AFTER_BUG_MS))
        self._complete = True

    async def _disconnected(self, message: Message) -> None:
        if self._on_disconnect is not None and not self._complete:
            await self._on_disconnect()
