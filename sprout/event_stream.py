"""Event stream of a run for a client: every event once and in order, through as many connections as it takes."""

import asyncio
import json
import logging
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx2
from pydantic import ValidationError

from sprout.events import EVENT, Event, Reconnect, Resync, RunDone

log = logging.getLogger(__name__)

FIRST_DELAY_S, MAX_DELAY_S = 0.25, 30.0
SILENCE_S = 45.0  # three pings of a server
NO_CONTENT = 204  # the run is over, and all of it was received
MAX_EVENT_BYTES = 16 * 1024 * 1024
TRANSIENT_STATUSES = frozenset({408, 429, 500, 502, 503, 504})  # asking again may help


class ClientError(Exception):
    """A request that brought no answer of use; `code` names the reason, for programs."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


class ServerError(ClientError):
    """A request that the server has refused, or answered with what is not Sprout's.

    Args:
        status: of the response.
        retry_after_s: what the server asks to wait before another try, where it does.
    """

    def __init__(self, status: int, message: str, *, code: str, retry_after_s: float | None = None) -> None:
        super().__init__(message, code=code)
        self.status = status
        self.retry_after_s = retry_after_s


class ServerUnreachable(ClientError):
    """A server that does not answer."""

    def __init__(self, error: httpx2.TransportError) -> None:
        super().__init__(f"The server does not answer: {str(error) or type(error).__name__}.", code="unreachable")


async def check_response(response: httpx2.Response) -> None:
    """Raises ServerError for a refusal, in the server's words if it has any."""
    if response.is_success:
        return
    await response.aread()
    try:
        body = response.json()
        message, code = str(body["error"]), str(body["code"])
    except (ValueError, KeyError, TypeError):  # a proxy's page
        message, code = f"The server answered {response.status_code} {response.reason_phrase}.", "http_error"
    wait = response.headers.get("retry-after", "")
    raise ServerError(response.status_code, message, code=code, retry_after_s=float(wait) if wait.isdigit() else None)


class RunEvents:
    """The events of a run, to be iterated once: those after `last_id`, then live, to its end.

    Where a connection is lost, or the server is away for a while, it goes on behind the last event that it had. A
    `Resync` says that the log begins again, as after a backup was restored. Events of a kind that this version does not
    know are left out.

    Args:
        last_id: the number of the newest stored event that was received; kept, it continues elsewhere.
        give_up_s: how long the server may be away; None for ever.
    """

    def __init__(self, http: httpx2.AsyncClient, run_id: str, *, after: int = 0, give_up_s: float | None) -> None:
        self.last_id = after
        self._http = http
        self._address = f"/api/runs/{run_id}/events"
        self._give_up_s = give_up_s
        self._ended = False
        self._losses = 0
        self._lost_at_s: float | None = None
        self._retry_s: float | None = None

    async def __aiter__(self) -> AsyncGenerator[Event, None]:
        """Raises ServerError (there is no such run, or no right to it), ServerUnreachable."""
        while not self._ended:
            try:
                async with aclosing(self._connection()) as events:
                    async for event in events:
                        yield event
            except httpx2.SSEError as error:  # asking again would bring the same
                raise ServerError(200, f"{error}", code="no_event_stream") from None
            except httpx2.TransportError as error:
                self._lose(ServerUnreachable(error))
            except ServerError as error:
                if error.status not in TRANSIENT_STATUSES:
                    raise
                self._lose(error, error.retry_after_s)
            if not self._ended:
                await asyncio.sleep(self._delay_s())

    async def _connection(self) -> AsyncGenerator[Event, None]:
        """The events that one connection brings."""
        cursor = {"Last-Event-ID": str(self.last_id)}
        timeout = httpx2.Timeout(SILENCE_S, connect=10)
        async with self._http.sse(
            self._address, headers=cursor, timeout=timeout, max_event_size=MAX_EVENT_BYTES
        ) as source:
            await check_response(source.response)
            self._lost_at_s = None
            self._ended = source.response.status_code == NO_CONTENT
            if self._ended:
                return
            async for sent in source:
                event = self._accept(sent)
                if event is not None:
                    self._losses = 0
                    yield event
                if isinstance(event, RunDone | Reconnect):
                    return

    def _accept(self, sent: httpx2.ServerSentEvent) -> Event | None:
        """The event that a client has not had; what is not stored repeats the number of what was stored before it."""
        seq = int(sent.id or 0)
        is_new = seq > self.last_id
        self.last_id = max(seq, self.last_id)
        try:
            event = EVENT.validate_python({"kind": sent.event, **json.loads(sent.data or "null")}, extra="ignore")
        except (ValidationError, TypeError):
            log.info("client.unknown_event", extra={"kind": sent.event})
            return None
        if isinstance(event, Resync):
            self.last_id = 0
        if isinstance(event, Reconnect):
            self._retry_s = event.retry_ms / 1000
        self._ended = isinstance(event, RunDone)
        return event if is_new or not event.durable else None

    def _lose(self, error: ClientError, retry_s: float | None = None) -> None:
        """Raises the error once the server has been away for too long."""
        self._losses += 1
        self._retry_s = retry_s
        now_s = asyncio.get_running_loop().time()
        self._lost_at_s = now_s if self._lost_at_s is None else self._lost_at_s
        if self._give_up_s is not None and now_s - self._lost_at_s >= self._give_up_s:
            raise error

    def _delay_s(self) -> float:
        """As the server asks for, else twice as long each time, with jitter: many clients lose one server."""
        if self._retry_s is not None:
            delay_s, self._retry_s = self._retry_s, None
            return delay_s
        return random.uniform(0.5, 1) * min(FIRST_DELAY_S * 2.0**self._losses, MAX_DELAY_S)
