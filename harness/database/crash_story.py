"""A process that dies: for n = 1, 2, 3, … a child begins calls and is killed at the n-th step of their effects.

With several calls at a time their effects wait together, and are written in one batch where the database does that.

Usage: python -m harness.database.crash_story URL ROOT_RUN_ID CALLS.
Prints a line per child: its number, "killed" or "lived".
"""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Iterator
from itertools import count
from typing import Any

from sqlalchemy import event

from harness.builders import RecordingDispatcher
from sprout.clock import utc_now
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.runs.run_store import CallBegun
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore


class Fuse:
    """Kills this process, as kill -9 would, when it burns down; before `lit` nothing happens."""

    def __init__(self, steps: int) -> None:
        self.lit = False
        self._left = steps

    def step(self, *_: Any) -> None:
        if self.lit:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def watch(self, database: Database) -> None:
        """A step before and after every statement, and before the commit."""
        for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
            event.listen(database.writer.engine, name, self.step)


async def story(url: str, root_id: str, n: int, calls: int) -> None:
    """Save concepts named after n as tool calls would, and die at step n; publishing each is one of the last steps."""
    fuse = Fuse(n)
    async with open_database(url) as database:
        runs = SqlRunStore(database, fuse.step, RecordingDispatcher())
        run = await runs.run(root_id)
        names = [f"{n}.{call}" for call in range(calls)]
        await runs.append(run, [CallBegun(f"call {name}", "save_concept", "{}", "write") for name in names])
        fuse.watch(database)
        repositories = SqlPathRepository(database, fuse.step, split=lambda _name, _text: [])

        async def save(name: str) -> None:
            actor = Actor(run.user_id, run.label, run.id, run.root_id, f"call {name}", epoch=run.epoch)
            await repositories.edit_graph(run.node_id, adding(f"Concept {name}"), actor=actor)

        started, go_on = threading.Event(), threading.Event()

        def hold_up(_write: WriteTransaction) -> None:
            started.set()
            go_on.wait()

        async with asyncio.TaskGroup() as tasks:
            if calls > 1:
                tasks.create_task(database.write_tx(hold_up))
                await asyncio.to_thread(started.wait)
            for name in names:
                tasks.create_task(save(name))
            await asyncio.sleep(0)  # now all of them wait
            fuse.lit = True
            go_on.set()
        fuse.lit = False


def adding(title: str) -> Any:
    def operation(graph: ConceptGraph) -> Edit:
        return graph.add(title, None, utc_now())

    return operation


def tell(url: str, root_id: str, calls: int) -> Iterator[str]:
    for n in count(1):
        child = os.fork()
        if child == 0:
            asyncio.run(story(url, root_id, n, calls))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            yield f"{n} lived"
            return
        if os.WTERMSIG(status) != signal.SIGKILL:
            sys.exit(f"child {n} did not die as it should: {status}")
        yield f"{n} killed"


if __name__ == "__main__":
    for line in tell(sys.argv[1], sys.argv[2], int(sys.argv[3])):
        sys.stdout.write(f"{line}\n")
