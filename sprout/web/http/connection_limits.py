"""Connection limits: how many connections, in all and per address, and how long and large a request's head may be.

uvicorn limits none of this: a client that sends half of a head would keep its connection for good.
"""

import asyncio
import ipaddress
import json
from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus
from typing import TypeAlias

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from sprout.web.http.middleware import SECURITY_HEADERS

HEAD_MAX_BYTES = 64 * 1024
RETRY_AFTER_S = 10
MESSAGES = {
    "server_full": "The server has too many open connections. Try again in a few seconds.",
    "address_full": "You have too many open connections. Close some pages and try again.",
    "head_stalled": "The request's headers did not arrive in time.",
    "head_too_long": f"The request's headers are too large: at most {HEAD_MAX_BYTES:,} bytes.",
}

ProtocolClass: TypeAlias = type[asyncio.Protocol]


class ConnectionLimits:
    """Counts open connections.

    Args:
        total: connections in all.
        per_address: connections of one address.
        head_timeout_s: for the head of a request, from its first byte or the start of the connection.
        proxies: addresses and networks of reverse proxies, which bring the connections of many.
    """

    def __init__(self, *, total: int, per_address: int, head_timeout_s: float, proxies: Sequence[str] = ()) -> None:
        self.head_timeout_s = head_timeout_s
        self._proxies = [ipaddress.ip_network(each) for each in proxies]
        self._total = total
        self._per_address = per_address
        self._open: Counter[str] = Counter()

    def acquire(self, address: str) -> tuple[HTTPStatus, str] | None:
        """None if the connection is accepted, to be released later; else status and code of the refusal."""
        if self._open.total() >= self._total:
            return HTTPStatus.SERVICE_UNAVAILABLE, "server_full"
        if self._open[address] >= self._per_address and not self._is_proxy(address):
            return HTTPStatus.TOO_MANY_REQUESTS, "address_full"
        self._open[address] += 1
        return None

    def _is_proxy(self, address: str) -> bool:
        return any(ipaddress.ip_address(address) in network for network in self._proxies)

    def release(self, address: str) -> None:
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]


def limited_protocol(limits: ConnectionLimits) -> ProtocolClass:
    """uvicorn's protocol under these limits: the `http` of its configuration."""

    class Limited(_LimitedProtocol):
        connection_limits = limits

    return Limited


class _LimitedProtocol(HttpToolsProtocol):
    connection_limits: ConnectionLimits
    address: str | None = None
    head_timer: asyncio.TimerHandle | None = None
    head_bytes = 0
    in_head = True  # between the end of a request and the end of the next head

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        if (refusal := self.connection_limits.acquire(address)) is not None:
            self._refuse(*refusal)
            return
        self.address = address
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        if self.address is not None:
            self.connection_limits.release(self.address)
            self.address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.in_head:
            self.head_bytes += len(data)
            if self.head_timer is None:
                self._start_head_timer()
        super().data_received(data)
        if self.in_head and self.head_bytes > HEAD_MAX_BYTES and not self.transport.is_closing():
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "head_too_long")

    def on_headers_complete(self) -> None:
        self.in_head = False
        self._stop_head_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self.in_head, self.head_bytes = True, 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(HTTPStatus.BAD_REQUEST, "bad_http", f"{msg} This server speaks HTTP/1.1.")

    def _start_head_timer(self) -> None:
        self.head_timer = self.loop.call_later(self.connection_limits.head_timeout_s, self._on_head_timeout)

    def _stop_head_timer(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None

    def _on_head_timeout(self) -> None:
        self.head_timer = None
        if self.transport.is_closing():
            return
        if self._is_answering():
            self.cycle.keep_alive = False  # close after the response that is being sent
        elif self.head_bytes:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "head_stalled")
        else:
            self.transport.close()

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # uvicorn's annotation lacks the initial None
        return cycle is not None and not cycle.response_complete

    def _refuse(self, status: HTTPStatus, code: str, message: str | None = None) -> None:
        self._stop_head_timer()
        body = json.dumps({"error": message or MESSAGES[code], "code": code}).encode()
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
