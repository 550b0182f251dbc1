"""A process that dies while a path is copied for a class: for n = 1, 1 + EVERY, … a child is killed at the n-th step.

Usage: python -m harness.database.giving_story URL EVERY.
Prints a line per child: its number, how many learners still lacked a copy when it began, "killed" or "lived".
"""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from itertools import count

from harness.database.crash_story import Fuse
from sprout.accounts.given_paths import PathGiver
from sprout.store.accounts.given_paths import SqlGivenPaths
from sprout.store.engine.database import open_database


async def story(url: str, n: int) -> None:
    """Give all that is lacking, as each process does every minute."""
    fuse = Fuse(n)
    async with open_database(url) as database:
        given = SqlGivenPaths(database)
        lacking = sum(len(one.learners) for one in await given.lacking())
        fuse.watch(database)
        sys.stdout.write(f"{n} {lacking} ")
        sys.stdout.flush()
        fuse.lit = True
        await PathGiver(given).give_lacking()
        fuse.lit = False


def tell(url: str, every: int) -> Iterator[str]:
    for n in count(1, every):
        child = os.fork()
        if child == 0:
            asyncio.run(story(url, n))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            yield "lived"
            return
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
            sys.exit(f"child {n} did not die as it should: {status}")
        yield "killed"


if __name__ == "__main__":
    for line in tell(sys.argv[1], int(sys.argv[2])):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
