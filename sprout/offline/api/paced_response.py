"""Responses at the model's pace, whole or broken off."""

import asyncio
import socket
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sprout.offline.api.encoding import PING, Frame, sse_event
from sprout.offline.api.errors import error_body
from sprout.offline.faults.scenarios import Fault, Scenario
from sprout.offline.pace import Pace

CHUNK_BYTES = 16_384
TRANSPORT = "sprout.transport"


class ConnectionEnd(Enum):
    WHOLE = auto()
    RESET = auto()
    STALL = auto()


@dataclass(frozen=True, slots=True)
class ResponsePlan:
    """Chunks to send and the ending; `headers_sent` is false if the connection breaks before them."""

    frames: Sequence[Frame]
    ending: ConnectionEnd = ConnectionEnd.WHOLE
    headers_sent: bool = True
    ping_every_s: float | None = None


def plan_response(frames: Sequence[Frame], fault: Fault | None, request_id: str) -> ResponsePlan:
    """The frames as the fault lets them through."""
    if fault is None:
        return ResponsePlan(frames)
    match fault.scenario:
        case Scenario.RESET:
            before_headers = fault.after_bytes is None and fault.after_events is None
            return ResponsePlan(
                _frames_before_fault(frames, fault, 0), ConnectionEnd.RESET, headers_sent=not before_headers
            )
        case Scenario.CUT:
            return ResponsePlan(_frames_before_fault(frames, fault, len(frames) // 2))
        case Scenario.ERROR_EVENT:
            error = sse_event("error", **_without_type(error_body(529, "Overloaded", request_id)))
            frames_sent = _frames_before_fault(frames, fault, len(frames) // 2)
            return ResponsePlan([*frames_sent, Frame(error, frames_sent[-1].tokens if frames_sent else 0.0)])
        case Scenario.STALL:
            return ResponsePlan(
                _frames_before_fault(frames, fault, 0),
                ConnectionEnd.STALL,
                ping_every_s=fault.ping_every_s if fault.pings else None,
            )
        case _:
            return ResponsePlan(frames)


class PacedResponse(Response):
    """Sends a parcel, and notices when the client goes away before its end.

    Args:
        closed_early: called once if it does.
    """

    def __init__(
        self,
        content: ResponsePlan,
        pace: Pace,
        media_type: str,
        headers: dict[str, str],
        closed_early: Callable[[], None],
    ) -> None:
        super().__init__(None, 200, headers, media_type)
        del self.headers["content-length"]
        self._parcel = content
        self._pace = pace
        self._closed_early = closed_early
        self._over = False
        self._gone = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._pace.immediate and self._parcel.ending is ConnectionEnd.WHOLE:
            await self._send_all(scope, send)
            return
        async with asyncio.TaskGroup() as tasks:
            sending = tasks.create_task(self._send_all(scope, send))
            watching = tasks.create_task(self._watch_disconnect(receive, sending))
            sending.add_done_callback(lambda _: watching.cancel())

    async def _watch_disconnect(self, receive: Receive, sending: asyncio.Task[None]) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone.set()
        if not self._over:
            self._closed_early()
            sending.cancel()

    async def _send_all(self, scope: Scope, send: Send) -> None:
        if self._parcel.headers_sent:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        if self._pace.immediate:
            await self._send_at_once(send)
        else:
            await self._send_paced(send)
        match self._parcel.ending:
            case ConnectionEnd.RESET:
                await self._reset(scope)
            case ConnectionEnd.STALL:
                await self._stall(send)
            case ConnectionEnd.WHOLE:
                self._over = True
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_at_once(self, send: Send) -> None:
        chunk = bytearray()
        for frame in self._parcel.frames:
            chunk += frame.data
            if len(chunk) >= CHUNK_BYTES:
                await _send_body(send, chunk)
                chunk.clear()
                await asyncio.sleep(0)
        await _send_body(send, chunk)

    async def _send_paced(self, send: Send) -> None:
        clock = asyncio.get_running_loop().time
        started = clock()
        frames, at = self._parcel.frames, 0
        while at < len(frames):
            await asyncio.sleep(max(0.0, started + self._pace.due_s(frames[at].tokens) - clock()))
            now_s = clock() - started
            due = at + 1
            while due < len(frames) and self._pace.due_s(frames[due].tokens) <= now_s:
                due += 1
            await _send_body(send, b"".join(frame.data for frame in frames[at:due]))
            at = due

    async def _stall(self, send: Send) -> None:
        """Hold the connection until the client leaves it, which cancels this."""
        every_s = self._parcel.ping_every_s
        while every_s is not None:
            await asyncio.sleep(every_s)
            await _send_body(send, PING)
        await self._gone.wait()

    async def _reset(self, scope: Scope) -> None:
        self._over = True
        transport: asyncio.Transport | None = scope.get(TRANSPORT)
        if transport is None:
            raise RuntimeError("a reset needs the connection: serve the app with running_offline_server")
        while transport.get_write_buffer_size() and not transport.is_closing():  # noqa: ASYNC110 - nothing announces an empty buffer
            await asyncio.sleep(0.001)
        # A lingering time of 0 makes closing send RST instead of FIN.
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
        await self._gone.wait()


async def _send_body(send: Send, body: bytes | bytearray) -> None:
    if body:
        await send({"type": "http.response.body", "body": bytes(body), "more_body": True})


def _frames_before_fault(frames: Sequence[Frame], fault: Fault, events: int) -> Sequence[Frame]:
    """The frames up to where the fault breaks off; `events` counts where it does not say."""
    if fault.after_bytes is None:
        return frames[: events if fault.after_events is None else fault.after_events]
    frames_sent, left = [], fault.after_bytes
    for frame in frames:
        if left <= 0:
            break
        frames_sent.append(Frame(frame.data[:left], frame.tokens))
        left -= len(frame.data)
    return frames_sent


def _without_type(body: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != "type"}
