"""A process that has a database open: it writes topics, says so, and waits until it is told to leave or is killed.

Usage: python -m tests.store.holder URL TOPICS.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sprout.store.database import open_database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from tests.builders import a_topic
from tests.warm import warm_python

TOP = Path(__file__).parents[2]


@asynccontextmanager
async def holding(url: str, *, topics: int = 0) -> AsyncIterator[Process]:
    """The process, from when it has written; killed at the end of the block, as by kill -9."""
    process = await asyncio.create_subprocess_exec(
        *(warm_python(), "-m", "tests.store.holder", url, str(topics)), cwd=TOP, stdin=PIPE, stdout=PIPE
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
        library = SqlLibrary(database, lambda _: None, files=Files(Path(url).parent))
        for n in range(topics):
            await a_topic(library, f"Topic {n}")
        sys.stdout.write("open\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(hold(sys.argv[1], int(sys.argv[2])))
