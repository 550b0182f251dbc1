"""Following a run: the log past a cursor, then the news, merged by number without a seam."""

import random
from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from sprout.errors import NotFound
from sprout.events import Reconnect, Resync, wire_data
from sprout.runs.bus import BusClosed, EventBus, News, Passing
from sprout.runs.log import Logged
from sprout.runs.root_reader import RootReader
from sprout.runs.state import Run
from sprout.runs.watch import LogEnds, LogWatch, Vigil

PAGE = 500
RETRY_MS = 1_000
UNKNOWN = "The log has no such event: here it is from its start."
OLD = "This run is so old that only its end is kept."
RETRY_JITTER_MS = 1_000


class Log(LogEnds, Protocol):
    """What a stream reads of the store."""

    async def run(self, run_id: str, *, user_id: str | None = None) -> Run:
        """Raises NotFound; also, where a user is given, for somebody else's run."""
        ...

    async def events(self, root_id: str, *, after: int = 0, limit: int = 500) -> list[Logged]: ...


class Snapshots(Protocol):
    def snapshots(self, root_id: str) -> Sequence[Passing]:
        """Each block in flight of a root run as one event, as far as this process knows them."""
        ...


async def followed(
    store: Log, bus: EventBus, flights: Snapshots, root_id: str, after: int, *, watch: LogWatch | None = None
) -> AsyncGenerator[list[News], None]:
    """Batches of news of a root run: first what is stored past `after`, then what happens; ends after `run_done`.

    It lives on the log alone where the bus tells nothing, and on neither the process nor the life of who carries
    the run. The last word is `reconnect` where the server goes away, the stream is too old or the run is gone.

    Args:
        watch: shared by the streams of the process; one of its own by default.
    """
    reader = RootReader(root_id, cursor=after)
    watch = watch or LogWatch(store)
    try:
        async with bus.tail(root_id) as tail:
            vigil = Vigil(tail, {root_id: reader}, watch.end_of_life_s())
            async with watch.over(vigil):
                batch: list[News] = []
                while not vigil.over:
                    # Subscribed first, then read: what is appended meanwhile comes twice and is told once.
                    if vigil.due or reader.misses_some(batch):
                        vigil.due, more = False, True
                        while more:
                            news, more = await read_on(store, bus, reader, PAGE)
                            if news:
                                yield news
                        batch = [*flights.snapshots(root_id), *batch]
                    if news := caught_up(reader, batch, flights):
                        yield news
                    if reader.at_end:
                        return
                    batch = await vigil.next_batch()
    except (BusClosed, NotFound):
        pass  # there is no more of it here: whoever comes back is told what there is
    yield [reconnect(root_id)]


async def read_on(store: Log, bus: EventBus, reader: RootReader, limit: int) -> tuple[list[News], bool]:
    """The next events of the reader's log, and whether there may be more; what the bus remembers is not asked for.

    A `resync` goes first where the reader is ahead of the log, and where what comes next for it is not kept any more.
    Raises NotFound: the run is gone.
    """
    if recent := bus.recent(reader.root_id, reader.cursor):
        return reader.unseen(recent), False
    rows = await store.events(reader.root_id, after=reader.cursor, limit=limit) if reader.cursor >= 0 else []
    if rows and rows[0].seq > reader.cursor + 1:
        return [resync(reader.root_id, OLD), *reader.unseen(rows)], len(rows) == limit
    if rows:
        return reader.unseen(rows), len(rows) == limit
    run = await store.run(reader.root_id)
    if 0 <= reader.cursor <= run.last_seq:
        reader.at_end = run.ended and reader.cursor == run.last_seq
        return [], False
    reader.start_over()
    return [resync(reader.root_id)], True


def caught_up(reader: RootReader, batch: Sequence[News], flights: Snapshots) -> list[News]:
    """What is new in a batch without a hole; text that got lost on the way is given anew from the block's start."""
    news = reader.unseen(batch)
    return news + reader.mended(flights.snapshots(reader.root_id)) if reader.torn else news


def resync(root_id: str, why: str = UNKNOWN) -> Passing:
    """The word that a reader's cursor cannot be continued."""
    return Passing(root_id, "resync", wire_data(Resync(why=why)))


def reconnect(root_id: str = "") -> Passing:
    """The word that a reader shall come back, each after another while."""
    retry_ms = RETRY_MS + random.randrange(RETRY_JITTER_MS)
    return Passing(root_id, "reconnect", wire_data(Reconnect(retry_ms=retry_ms)))
