"""Followers of a run's events that always reconnect, and keep every byte that they receive."""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

from harness.clients.raw_http import ConnectionCut, iter_body, open_connection, write_request

RETRY_S = 0.2
SILENCE_S = 40.0  # two heartbeats and some


@dataclass(frozen=True, slots=True)
class ReceivedEvent:
    """A stored event as a reader received it."""

    seq: int
    kind: str
    data: bytes


class EventRecord(Protocol):
    """Events received by a follower of a root run."""

    @property
    def root_id(self) -> str: ...

    @property
    def received(self) -> Sequence[ReceivedEvent]: ...

    @property
    def is_finished(self) -> bool: ...


@dataclass(slots=True)
class RunFollower:
    """Follows one root run to its end, through as many connections as that takes.

    Args:
        cuts: connections that ended without the run's end.
        reconnects: number of `reconnect` events from the server.
        resyncs: number of times that the server could not resume from the reader's cursor.
        open: whether a stream is open now.
        refused: number of responses that were no stream.
        back_s: seconds before a reconnect without a retry hint.
        retry_hints_s: the server's retry hints in seconds, one per shutdown.
    """

    port: int
    root_id: str
    received: list[ReceivedEvent] = field(default_factory=list)
    cuts: int = 0
    reconnects: int = 0
    resyncs: int = 0
    open: bool = False
    refused: int = 0
    back_s: float = RETRY_S
    retry_hints_s: list[float] = field(default_factory=list)
    _hints_used: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_finished(self) -> bool:
        return bool(self.received) and self.received[-1].kind == "run_done"

    async def read_to_end(self) -> None:
        """Read until the run is done."""
        while not self.is_finished:
            try:
                await self._read_stream()
            except (ConnectionCut, TimeoutError):
                self.cuts += 1
            self.open = False
            self._changed.set()
            if not self.is_finished:
                hints = self.retry_hints_s[self._hints_used :]
                self._hints_used = len(self.retry_hints_s)
                await asyncio.sleep(hints[-1] if hints else self.back_s)

    async def wait_until(self, condition: Callable[["RunFollower"], bool]) -> None:
        """Wait until the condition holds for the received events."""
        while not condition(self):
            self._changed.clear()
            await self._changed.wait()

    async def wait_for_events(self, by: int) -> None:
        """Wait for so many events more, or for the end."""
        had = len(self.received)
        await self.wait_until(lambda reader: reader.is_finished or len(reader.received) >= had + by)

    def has(self, kind: str) -> bool:
        return any(seen.kind == kind for seen in self.received)

    async def _read_stream(self) -> None:
        cursor = {"Last-Event-ID": str(self.received[-1].seq)} if self.received else {}
        async with open_connection(self.port) as (reader, writer):
            head = await write_request(reader, writer, "GET", f"/api/runs/{self.root_id}/events", headers=cursor)
            if head.status != 200:
                self.refused += 1
                return
            self.open = True
            self._changed.set()
            waiting = b""
            async with aclosing(iter_body(reader, head)) as parts:
                while True:
                    async with asyncio.timeout(SILENCE_S):
                        part = await anext(parts, None)
                    if part is None:
                        return
                    *frames, waiting = (waiting + part).split(b"\n\n")
                    for frame in frames:
                        self._handle_frame(frame)

    def _handle_frame(self, frame: bytes) -> None:
        fields = dict(line.split(b": ", 1) for line in frame.split(b"\n") if not line.startswith(b":"))
        kind = fields.get(b"event", b"").decode()
        if b"id" in fields:
            self.received.append(ReceivedEvent(int(fields[b"id"]), kind, fields[b"data"]))
        elif kind == "reconnect":
            self.reconnects += 1
            self.retry_hints_s.append(json.loads(fields[b"data"])["retryMs"] / 1_000)
        elif kind == "resync":
            self.resyncs += 1
        self._changed.set()
