"""Process that holds a database open: writes topics, reports it, and waits for a signal or a kill.

Usage: python -m harness.database.holder URL TOPICS.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from harness.builders import a_topic
from harness.prefork.python import prefork_python
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import open_database
from sprout.store.paths.paths import SqlPaths

TOP = Path(__file__).parents[2]


@asynccontextmanager
async def holding(url: str, *, topics: int = 0) -> AsyncIterator[Process]:
    """The process, from when it has written; killed at the end of the block, as by kill -9."""
    process = await asyncio.create_subprocess_exec(
        *(prefork_python(), "-m", "harness.database.holder", url, str(topics)), cwd=TOP, stdin=PIPE, stdout=PIPE
    )
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"open\n"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def hold(url: str, topics: int) -> None:
    async with open_database(url) as database:
        paths = SqlPaths(database, lambda _: None, storage=LocalStorage(Path(url).parent))
        for n in range(topics):
            await a_topic(paths, f"Topic {n}")
        sys.stdout.write("open\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(hold(sys.argv[1], int(sys.argv[2])))
