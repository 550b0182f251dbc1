"""Files that mean harm, each through a reader of its own: text or a plain refusal, and the server never waits."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import psutil

from faults.core.loop_faults import ProofFigure
from harness.documents.hostile_office_files import hostile
from harness.documents.hostile_pdf_files import noise, quick, slow, truncated
from harness.documents.listener import listener
from harness.documents.phoning_home import phoning_home_files
from harness.documents.reader_processes import readers
from sprout.documents.document_worker import MAX_CONCURRENT
from sprout.documents.file_types import FileType
from sprout.documents.sandbox.extractor import Extractor
from sprout.errors import UnreadableDocument

NOISE = 20
TICK_S, LOOK_S = 0.005, 0.1


@dataclass
class _Findings:
    """Outcome for the files: endings by reason, seconds from call to answer, violations.

    Args:
        peak_bytes: most resident memory of a reader that was seen. What the system keeps of children that have ended
            begins with the memory of the process that started them.
    """

    endings: Counter[str] = field(default_factory=Counter)
    wall_s: dict[str, float] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    lag_s: float = 0.0
    peak_bytes: int = 0


async def documents(seed: int = 1) -> list[ProofFigure]:
    """Every hostile file through a reader of its own: wall time, memory, and how long the server's loop stood still."""
    found = _Findings()
    extractor = Extractor()
    async with listener() as (url, asked):
        queue = await asyncio.to_thread(_corpus, url, seed)
        watching = [asyncio.create_task(_measure_lag(found)), asyncio.create_task(_measure_memory(found))]
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(MAX_CONCURRENT):
                    tasks.create_task(_read_all(extractor, found, queue))
        finally:
            for task in watching:
                task.cancel()
    left = len(readers())
    slowest = max(found.wall_s, key=lambda name: found.wall_s[name])
    peak, limit = found.peak_bytes / 1024**2, extractor.limits.memory_bytes / 1024**2
    return [
        ProofFigure("documents", "files", f"{found.endings.total()}"),
        *(ProofFigure("documents", f"ended: {ending}", f"{times}") for ending, times in found.endings.most_common()),
        ProofFigure("documents", "neither read nor refused", ", ".join(found.broken) or "0", not found.broken),
        ProofFigure("documents", "longest reading", f"{found.wall_s[slowest]:.1f} s ({slowest})"),
        ProofFigure("documents", "peak memory of a reader, limit", f"{peak:.0f} MB, {limit:.0f} MB", 0 < peak <= limit),
        ProofFigure("documents", "the loop stood still for at most", f"{found.lag_s * 1000:.0f} ms"),
        ProofFigure("documents", "readers left behind", f"{left}", left == 0),
        ProofFigure("documents", "connections tried", f"{len(asked)}", not asked),
    ]


def _corpus(url: str, seed: int) -> list[tuple[str, FileType, bytes]]:
    pdfs = {
        **quick(),
        **slow(),
        **{f"cut {number}": content for number, content in enumerate(truncated())},
        **{f"noise {number}": content for number, content in enumerate(noise(NOISE, seed))},
    }
    return [
        *((name, FileType.PDF, content) for name, content in pdfs.items()),
        *((name, kind, content) for name, (kind, content) in hostile().items()),
        *((f"asking {kind}", kind, content) for kind, content in phoning_home_files(url).items()),
    ]


async def _read_all(extractor: Extractor, found: _Findings, queue: list[tuple[str, FileType, bytes]]) -> None:
    while queue:
        await _read(extractor, found, *queue.pop())


async def _read(extractor: Extractor, found: _Findings, name: str, kind: FileType, content: bytes) -> None:
    began_s = time.monotonic()
    try:
        extract = await extractor.extract(name, kind, content)
    except UnreadableDocument as refusal:
        found.endings[refusal.code] += 1
    else:
        found.endings["read"] += 1
        if not extract.text.strip():
            found.broken.append(name)
    found.wall_s[name] = time.monotonic() - began_s


async def _measure_lag(found: _Findings) -> None:
    while True:
        before_s = time.monotonic()
        await asyncio.sleep(TICK_S)
        found.lag_s = max(found.lag_s, time.monotonic() - before_s - TICK_S)


async def _measure_memory(found: _Findings) -> None:
    while True:
        found.peak_bytes = max(found.peak_bytes, await asyncio.to_thread(_largest_reader))
        await asyncio.sleep(LOOK_S)


def _largest_reader() -> int:
    """Resident bytes of the largest reader that is at work."""
    sizes = [0]
    for reader in readers():
        with suppress(psutil.NoSuchProcess):  # it ended between the two looks
            sizes.append(reader.memory_info().rss)
    return max(sizes)


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"documents": documents}
