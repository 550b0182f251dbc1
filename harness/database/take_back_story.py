"""A process that dies while a run's changes are taken back: for n = 1, 1 + EVERY, … a child is killed at the n-th step.

Usage: python -m harness.database.take_back_story URL ROOT_RUN_ID EVERY.
Prints a line per child: its number, how many of the run's changes it found from the one before it, "killed" or "lived".
"""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from itertools import count

from harness.builders import RecordingDispatcher
from harness.database.crash_story import Fuse, adding
from sprout.clock import utc_now
from sprout.learning.actor import Actor
from sprout.runs.state import Run
from sprout.store.engine.database import Database, open_database
from sprout.store.paths.adaptation import SqlAdaptationRepository
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore


async def story(url: str, root_id: str, n: int) -> int:
    """Make two changes, and take them back; how many that were."""
    fuse = Fuse(n)
    async with open_database(url) as database:
        run = await SqlRunStore(database, fuse.step, RecordingDispatcher()).run(root_id)
        refining = SqlAdaptationRepository(database, fuse.step)
        actor = Actor(run.user_id, run.label, run.id, run.root_id, epoch=run.epoch)
        found = await refining.undo_run(run.node_id, actor=actor)
        await change(database, run, actor)
        fuse.watch(database)
        sys.stdout.write(f"{n} {found} ")
        sys.stdout.flush()
        fuse.lit = True
        taken = await refining.undo_run(run.node_id, actor=actor)
        fuse.lit = False
    return taken


async def change(database: Database, run: Run, actor: Actor) -> None:
    """A concept and one after it, as two changes."""
    repositories = SqlPathRepository(database, lambda _: None, split=lambda _name, _text: [])
    one = await repositories.edit_graph(run.node_id, adding("One"), actor=actor)
    assert one.node is not None
    first = one.node.id
    await repositories.edit_graph(
        run.node_id, lambda graph: graph.insert_after(first, "Two", None, utc_now()), actor=actor
    )


def tell(url: str, root_id: str, every: int) -> Iterator[str]:
    for n in count(1, every):
        child = os.fork()
        if child == 0:
            os._exit(0 if asyncio.run(story(url, root_id, n)) == 2 else 3)
        _, status = os.waitpid(child, 0)
        if status == 0:
            yield "lived"
            return
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
            sys.exit(f"child {n} did not die as it should: {status}")
        yield "killed"


if __name__ == "__main__":
    for line in tell(sys.argv[1], sys.argv[2], int(sys.argv[3])):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
