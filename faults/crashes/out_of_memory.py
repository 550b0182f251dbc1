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

from faults.core.loop_faults import ProofFigure
from faults.crashes.figures import violation_figures
from harness.clients.raw_http import HOST
from harness.invariants.database_check import InvariantReport, check_database
from harness.servers.deployment import USER, Deployment, open_deployment
from sprout.offline.pace import Pace

MIB = 1024 * 1024
PACE = Pace(0.02, 2_000.0)
ENDS_WITHIN_S = 120.0
ANSWER_S = 60.0
UPLOAD = b"# Light\n\n" + b"Light is fast, and goes straight on. " * (19 * MIB // 37)
REFUSED = {413, 503, 507}
NO_MEMORY = "out_of_memory"


@dataclass(slots=True)
class StarvedServer:
    """Outcome of a server with too little memory.

    Args:
        statuses: of requests during the shortage; 0 if the connection was cut.
        alive: whether the same process was there at the end; `lines` counts its log lines with the reason of a refusal.
        runs_after: the status of a refused request, repeated once there was memory.
    """

    spare_mib: int
    statuses: Counter[int]
    alive: bool
    lines: int
    runs_after: int
    peak_mib: float
    verdict: InvariantReport

    @property
    def broken(self) -> int:
        return sum(times for status, times in self.statuses.items() if status >= 500 and status not in REFUSED)


async def memory(spare_mib: tuple[int, ...] = (4, 8, 24, 64)) -> list[ProofFigure]:
    """Uploads, runs and reads of a server that may have hardly more memory than at its start; then it may."""
    figures: list[ProofFigure] = []
    for spare in spare_mib:
        one = await starve_server(spare)
        name = f"{spare} MiB to spare"
        figures += [
            ProofFigure(
                "memory",
                f"{name}: statuses (0: cut)",
                f"{dict(sorted(one.statuses.items()))}",
                not one.broken,
            ),
            ProofFigure("memory", f"{name}: same process, lines that say why", f"{one.alive}, {one.lines}", one.alive),
            ProofFigure("memory", f"{name}: an upload once there is room", f"{one.runs_after}", one.runs_after == 201),
            ProofFigure("memory", f"{name}: most that was resident", f"{one.peak_mib:.0f} MiB"),
            *violation_figures("memory", one.verdict),
        ]
    return figures


async def starve_server(spare_mib: int, *, uploads: int = 6, fork_server: Process | None = None) -> StarvedServer:
    """Let a server that is at work have only so much more address space; then lift the limit."""
    async with open_deployment(PACE, fork_server=fork_server) as stage:
        life = await stage.server.start()
        topics = [await stage.create_topic() for _ in range(uploads + 1)]
        reader = stage.add_reader(await stage.start_run())
        await reader.read_to_end()
        size = _process_stat(life.pid, "VmSize")
        _, most = resource.prlimit(life.pid, resource.RLIMIT_AS)
        resource.prlimit(life.pid, resource.RLIMIT_AS, (size + spare_mib * MIB, most))
        statuses: Counter[int] = Counter()
        async with stage.time_limit(ENDS_WITHIN_S):
            asked = [
                *(_upload(stage, topic) for topic in topics[:uploads]),
                *(_get(stage, path) for path in ("/healthz", "/readyz", "/", "/openapi.json") * 3),
            ]
            statuses.update(await asyncio.gather(*asked))
        peak_mib = _process_stat(life.pid, "VmHWM") / MIB if not life.exit_task.done() else 0.0
        alive = not life.exit_task.done()
        if alive:
            resource.prlimit(life.pid, resource.RLIMIT_AS, (most, most))
        else:
            await stage.server.start()
        async with stage.time_limit(ENDS_WITHIN_S):
            after = await _upload(stage, topics[-1])
            await stage.add_reader(await stage.start_run()).read_to_end()
        lines = sum(NO_MEMORY in line for line in stage.server.errors())
        for one in stage.server.processes:
            await one.kill()
        verdict = await asyncio.to_thread(check_database, stage.server.database, stage.readers)
    return StarvedServer(spare_mib, statuses, alive, lines, after, peak_mib, verdict)


async def _upload(stage: Deployment, topic: str) -> int:
    files = {"files": ("notes.md", UPLOAD, "text/markdown")}
    async with httpx2.AsyncClient(base_url=f"http://{HOST}:{stage.server.port}", timeout=ANSWER_S) as client:
        try:
            return (await client.post(f"/api/nodes/{topic}/documents", files=files, data=USER)).status_code
        except httpx2.TransportError:
            return 0


async def _get(stage: Deployment, path: str) -> int:
    async with httpx2.AsyncClient(base_url=f"http://{HOST}:{stage.server.port}", timeout=ANSWER_S) as client:
        try:
            return (await client.get(path)).status_code
        except httpx2.TransportError:
            return 0


def _process_stat(pid: int, name: str) -> int:
    """One of a process's own figures, in bytes."""
    found = re.search(rf"^{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"memory": memory}
