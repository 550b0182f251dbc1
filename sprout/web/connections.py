"""Connections before they are requests: how many there may be, and how long and large the head of a request may be.

uvicorn has a limit for none of this: a client that sends half of a head keeps its connection for good.
"""

import asyncio
import json
from collections import Counter
from http import HTTPStatus
from typing import TypeAlias

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from sprout.web.middleware import SECURITY_HEADERS

HEAD_MAX_BYTES = 64 * 1024
RETRY_AFTER_S = 10
FULL = "This server has as many connections open as it may have. Try again in a few seconds."
FULL_FOR_ADDRESS = "You have as many connections open as you may have. Close some pages, and try again."
LATE = "The head of the request did not arrive in time."
LONG = f"The head of the request is too long: at most {HEAD_MAX_BYTES:,} bytes are read."

GuardedProtocol: TypeAlias = type[asyncio.Protocol]


class Doors:
    """Who is connected, and whether there is room for one more.

    Args:
        most: connections in all.
        per_address: connections of one address.
        head_s: how long the head of a request may take, from its first byte or that of the connection.
    """

    def __init__(self, *, most: int, per_address: int, head_s: float) -> None:
        self.head_s = head_s
        self._most = most
        self._per_address = per_address
        self._inside: Counter[str] = Counter()

    def enter(self, address: str) -> tuple[HTTPStatus, str] | None:
        """None for who is let in, to leave again; else the answer to give."""
        if self._inside.total() >= self._most:
            return HTTPStatus.SERVICE_UNAVAILABLE, FULL
        if self._inside[address] >= self._per_address:
            return HTTPStatus.TOO_MANY_REQUESTS, FULL_FOR_ADDRESS
        self._inside[address] += 1
        return None

    def leave(self, address: str) -> None:
        self._inside[address] -= 1
        if not self._inside[address]:
            del self._inside[address]


def guarded(shared: Doors) -> GuardedProtocol:
    """uvicorn's protocol behind these doors: the `http` of its configuration."""

    class Guarded(_Guarded):
        doors = shared

    return Guarded


class _Guarded(HttpToolsProtocol):
    doors: Doors
    address: str | None = None
    head_timer: asyncio.TimerHandle | None = None
    head_bytes = 0
    in_head = True  # of a request: from the end of the one before to that of its own head

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        if (refusal := self.doors.enter(address)) is not None:
            self._refuse(*refusal)
            return
        self.address = address
        self._time_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_over()
        if self.address is not None:
            self.doors.leave(self.address)
            self.address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.in_head:
            self.head_bytes += len(data)
            if self.head_timer is None:
                self._time_head()
        super().data_received(data)
        if self.in_head and self.head_bytes > HEAD_MAX_BYTES and not self.transport.is_closing():
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, LONG)

    def on_headers_complete(self) -> None:
        self.in_head = False
        self._head_is_over()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self.in_head, self.head_bytes = True, 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(HTTPStatus.BAD_REQUEST, f"{msg} This server speaks HTTP/1.1.")

    def _time_head(self) -> None:
        self.head_timer = self.loop.call_later(self.doors.head_s, self._too_late)

    def _head_is_over(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None

    def _too_late(self) -> None:
        self.head_timer = None
        if self.transport.is_closing():
            return
        if self._is_answering():
            self.cycle.keep_alive = False  # an earlier request is still being answered: that is the last answer
        elif self.head_bytes:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, LATE)
        else:
            self.transport.close()

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # which uvicorn declares without the None that it begins with
        return cycle is not None and not cycle.response_complete

    def _refuse(self, status: HTTPStatus, says: str) -> None:
        self._head_is_over()
        body = json.dumps({"error": says}).encode()
        headers = {
            **SECURITY_HEADERS,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Connection": "close",
        }
        if status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
            headers["Retry-After"] = str(RETRY_AFTER_S)
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(f"HTTP/1.1 {status.value} {status.phrase}\r\n{head}\r\n".encode() + body)
        self.transport.close()
