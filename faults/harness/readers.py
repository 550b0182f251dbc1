"""Readers of a run's events who come back for ever, and keep every byte that they were told."""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

from faults.harness.wire import Cut, connected, content, sent

BACK_S = 0.2
SILENCE_S = 40.0  # two heartbeats and some


@dataclass(frozen=True, slots=True)
class Seen:
    """A stored event as a reader was told of it."""

    seq: int
    kind: str
    data: bytes


class Seer(Protocol):
    """Whoever has followed a root run, and kept what was told."""

    @property
    def root_id(self) -> str: ...

    @property
    def seen(self) -> Sequence[Seen]: ...

    @property
    def at_end(self) -> bool: ...


@dataclass(slots=True)
class Reader:
    """Follows one root run to its end, through as many connections as that takes.

    Args:
        cuts: connections that ended without the run's end.
        goodbyes: how often the server said that it goes away.
        resyncs: how often it could not go on from where the reader was.
        open: whether a server is telling it just now.
        refused: how often it was answered with something else than a stream.
        back_s: when it comes back where nobody has told it when.
        told_s: when it was told to come back, each time.
    """

    port: int
    root_id: str
    seen: list[Seen] = field(default_factory=list)
    cuts: int = 0
    goodbyes: int = 0
    resyncs: int = 0
    open: bool = False
    refused: int = 0
    back_s: float = BACK_S
    told_s: list[float] = field(default_factory=list)
    _heeded: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def at_end(self) -> bool:
        return bool(self.seen) and self.seen[-1].kind == "run_done"

    async def to_the_end(self) -> None:
        """Read until the run is done."""
        while not self.at_end:
            try:
                await self._stream()
            except (Cut, TimeoutError):
                self.cuts += 1
            self.open = False
            self._changed.set()
            if not self.at_end:
                told = self.told_s[self._heeded :]
                self._heeded = len(self.told_s)
                await asyncio.sleep(told[-1] if told else self.back_s)

    async def until(self, told: Callable[["Reader"], bool]) -> None:
        """Wait until what was told is enough."""
        while not told(self):
            self._changed.clear()
            await self._changed.wait()

    async def grown(self, by: int) -> None:
        """Wait for so many events more, or for the end."""
        had = len(self.seen)
        await self.until(lambda reader: reader.at_end or len(reader.seen) >= had + by)

    def has(self, kind: str) -> bool:
        return any(seen.kind == kind for seen in self.seen)

    async def _stream(self) -> None:
        cursor = {"Last-Event-ID": str(self.seen[-1].seq)} if self.seen else {}
        async with connected(self.port) as (reader, writer):
            head = await sent(reader, writer, "GET", f"/api/runs/{self.root_id}/events", headers=cursor)
            if head.status != 200:
                self.refused += 1
                return
            self.open = True
            self._changed.set()
            waiting = b""
            async with aclosing(content(reader, head)) as parts:
                while True:
                    async with asyncio.timeout(SILENCE_S):
                        part = await anext(parts, None)
                    if part is None:
                        return
                    *frames, waiting = (waiting + part).split(b"\n\n")
                    for frame in frames:
                        self._take(frame)

    def _take(self, frame: bytes) -> None:
        fields = dict(line.split(b": ", 1) for line in frame.split(b"\n") if not line.startswith(b":"))
        kind = fields.get(b"event", b"").decode()
        if b"id" in fields:
            self.seen.append(Seen(int(fields[b"id"]), kind, fields[b"data"]))
        elif kind == "reconnect":
            self.goodbyes += 1
            self.told_s.append(json.loads(fields[b"data"])["retryMs"] / 1_000)
        elif kind == "resync":
            self.resyncs += 1
        self._changed.set()
