"""Files that mean harm, each through a reader of its own: text or a plain refusal, and the server never waits."""

import asyncio
import resource
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from faults.figures import Figure
from sprout.documents.extracting import Extractor
from sprout.documents.intake import AT_ONCE
from sprout.documents.kinds import Kind
from sprout.errors import Unreadable
from tests.documents.asking import asking
from tests.documents.children import readers
from tests.documents.hostile_offices import hostile
from tests.documents.hostile_pdfs import noise, quick, slow, truncated
from tests.documents.listening import listener

NOISE = 20
TICK_S = 0.005
PEAK_UNITS = 1024 * 1024 if sys.platform == "darwin" else 1024


@dataclass
class _Found:
    """What came of the files: their endings by reason, seconds from call to answer, and what should not be."""

    endings: Counter[str] = field(default_factory=Counter)
    wall_s: dict[str, float] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    lag_s: float = 0.0


async def documents(seed: int = 1) -> list[Figure]:
    """Every hostile file through a reader of its own: wall time, memory, and how long the server's loop stood still."""
    found = _Found()
    extractor = Extractor()
    async with listener() as (url, asked):
        queue = await asyncio.to_thread(_corpus, url, seed)
        ticking = asyncio.create_task(_tick(found))
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(AT_ONCE):
                    tasks.create_task(_read_all(extractor, found, queue))
        finally:
            ticking.cancel()
    left = len(readers())
    slowest = max(found.wall_s, key=lambda name: found.wall_s[name])
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / PEAK_UNITS
    limit = extractor.limits.memory_bytes / 1024**2
    return [
        Figure("documents", "files", f"{found.endings.total()}"),
        *(Figure("documents", f"ended: {ending}", f"{times}") for ending, times in found.endings.most_common()),
        Figure("documents", "neither read nor refused", ", ".join(found.broken) or "0", not found.broken),
        Figure("documents", "longest reading", f"{found.wall_s[slowest]:.1f} s ({slowest})"),
        Figure("documents", "peak memory of a reader, limit", f"{peak:.0f} MB, {limit:.0f} MB", peak <= limit),
        Figure("documents", "the loop stood still for at most", f"{found.lag_s * 1000:.0f} ms"),
        Figure("documents", "readers left behind", f"{left}", left == 0),
        Figure("documents", "connections tried", f"{len(asked)}", not asked),
    ]


def _corpus(url: str, seed: int) -> list[tuple[str, Kind, bytes]]:
    pdfs = {
        **quick(),
        **slow(),
        **{f"cut {number}": content for number, content in enumerate(truncated())},
        **{f"noise {number}": content for number, content in enumerate(noise(NOISE, seed))},
    }
    return [
        *((name, Kind.PDF, content) for name, content in pdfs.items()),
        *((name, kind, content) for name, (kind, content) in hostile().items()),
        *((f"asking {kind}", kind, content) for kind, content in asking(url).items()),
    ]


async def _read_all(extractor: Extractor, found: _Found, queue: list[tuple[str, Kind, bytes]]) -> None:
    while queue:
        await _read(extractor, found, *queue.pop())


async def _read(extractor: Extractor, found: _Found, name: str, kind: Kind, content: bytes) -> None:
    began_s = time.monotonic()
    try:
        extract = await extractor.extracted(name, kind, content)
    except Unreadable as refusal:
        found.endings[refusal.reason] += 1
    else:
        found.endings["read"] += 1
        if not extract.text.strip():
            found.broken.append(name)
    found.wall_s[name] = time.monotonic() - began_s


async def _tick(found: _Found) -> None:
    while True:
        before_s = time.monotonic()
        await asyncio.sleep(TICK_S)
        found.lag_s = max(found.lag_s, time.monotonic() - before_s - TICK_S)


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"documents": documents}
