"""A server that may have no more memory than it has: it refuses what is too much for it, and is whole afterwards."""

import asyncio
import re
import resource
from asyncio.subprocess import Process
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import httpx2

from faults.figures import Figure
from faults.harness.checker import Verdict, check
from faults.harness.figures import zeros
from faults.harness.scene import WHO, Scene, scene
from faults.harness.wire import HOST
from sprout.offline.pace import Pace

MIB = 1024 * 1024
PACE = Pace(0.02, 2_000.0)
ENDS_WITHIN_S = 120.0
ANSWER_S = 60.0
UPLOAD = b"# Light\n\n" + b"Light is fast, and goes straight on. " * (19 * MIB // 37)
REFUSED = {413, 503, 507}
NO_MEMORY = "no_memory"


@dataclass(slots=True)
class Starved:
    """What came of a server without memory.

    Args:
        statuses: of what was asked of it meanwhile; 0 where the connection was cut.
        alive: whether the same process was there at the end; `lines` are those of its log that say why it refused.
        after: the status of what it had refused, once it had memory.
    """

    spare_mib: int
    statuses: Counter[int]
    alive: bool
    lines: int
    after: int
    peak_mib: float
    verdict: Verdict

    @property
    def broken(self) -> int:
        return sum(times for status, times in self.statuses.items() if status >= 500 and status not in REFUSED)


async def memory(spare_mib: tuple[int, ...] = (4, 8, 24, 64)) -> list[Figure]:
    """P4: uploads, runs and reads of a server that may have hardly more memory than at its start; then it may."""
    figures: list[Figure] = []
    for spare in spare_mib:
        one = await starved(spare)
        name = f"{spare} MiB to spare"
        figures += [
            Figure(
                "memory",
                f"{name}: statuses (0: cut)",
                f"{dict(sorted(one.statuses.items()))}",
                not one.broken,
            ),
            Figure("memory", f"{name}: same process, lines that say why", f"{one.alive}, {one.lines}", one.alive),
            Figure("memory", f"{name}: an upload once there is room", f"{one.after}", one.after == 201),
            Figure("memory", f"{name}: most that was resident", f"{one.peak_mib:.0f} MiB"),
            *zeros("memory", one.verdict),
        ]
    return figures


async def starved(spare_mib: int, *, uploads: int = 6, cradle: Process | None = None) -> Starved:
    """Let a server that is at work have only so much more address space; then lift the limit."""
    async with scene(PACE, cradle=cradle) as stage:
        life = await stage.place.born()
        topics = [await stage.topic() for _ in range(uploads + 1)]
        reader = stage.reader(await stage.ordered())
        await reader.to_the_end()
        size = _measured(life.pid, "VmSize")
        _, most = resource.prlimit(life.pid, resource.RLIMIT_AS)
        resource.prlimit(life.pid, resource.RLIMIT_AS, (size + spare_mib * MIB, most))
        statuses: Counter[int] = Counter()
        async with stage.within(ENDS_WITHIN_S):
            asked = [
                *(_upload(stage, topic) for topic in topics[:uploads]),
                *(_get(stage, path) for path in ("/healthz", "/readyz", "/", "/openapi.json") * 3),
            ]
            statuses.update(await asyncio.gather(*asked))
        peak_mib = _measured(life.pid, "VmHWM") / MIB if not life.ending.done() else 0.0
        alive = not life.ending.done()
        if alive:
            resource.prlimit(life.pid, resource.RLIMIT_AS, (most, most))
        else:
            await stage.place.born()
        async with stage.within(ENDS_WITHIN_S):
            after = await _upload(stage, topics[-1])
            await stage.reader(await stage.ordered()).to_the_end()
        lines = sum(NO_MEMORY in line for line in stage.place.errors())
        for one in stage.place.lives:
            await one.killed()
        verdict = await asyncio.to_thread(check, stage.place.database, stage.readers)
    return Starved(spare_mib, statuses, alive, lines, after, peak_mib, verdict)


async def _upload(stage: Scene, topic: str) -> int:
    files = {"files": ("notes.md", UPLOAD, "text/markdown")}
    async with httpx2.AsyncClient(base_url=f"http://{HOST}:{stage.place.port}", timeout=ANSWER_S) as client:
        try:
            return (await client.post(f"/api/nodes/{topic}/documents", files=files, data=WHO)).status_code
        except httpx2.TransportError:
            return 0


async def _get(stage: Scene, path: str) -> int:
    async with httpx2.AsyncClient(base_url=f"http://{HOST}:{stage.place.port}", timeout=ANSWER_S) as client:
        try:
            return (await client.get(path)).status_code
        except httpx2.TransportError:
            return 0


def _measured(pid: int, name: str) -> int:
    """One of a process's own figures, in bytes."""
    found = re.search(rf"^{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"memory": memory}
