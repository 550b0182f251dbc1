"""All root runs of a learner as one stream, without a gap in any of them."""

from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sprout.errors import NotFound
from sprout.runs.bus import RUN_ADMITTED, BusClosed, EventBus, News, learner_channel
from sprout.runs.follow import Log, Snapshots, caught_up, read_on, reconnect, resync
from sprout.runs.log import Logged
from sprout.runs.root_reader import RootReader
from sprout.runs.state import Run
from sprout.runs.watch import LogWatch, Vigil

PAGE = 100  # of one root run, before the next has its turn
ENDED_REMEMBERED = 256  # so that late news of a run's beginning does not tell it all over again


@dataclass(frozen=True, slots=True)
class Told:
    """A piece of news, and after a stored one where its reader is: `root:seq,root:seq` of what has not ended.

    A `run_done` still names its own root: a cursor is never empty, and goes on where nothing is missed.
    """

    news: News
    cursor: str = ""


class LearnersLog(Log, Protocol):
    async def open_roots(self, user_id: str) -> Sequence[Run]:
        """The learner's root runs that have not ended, oldest first."""
        ...


async def multiplexed(
    store: LearnersLog,
    bus: EventBus,
    flights: Snapshots,
    user_id: str,
    cursors: Mapping[str, int] | None,
    *,
    watch: LogWatch | None = None,
    on: bool = True,
) -> AsyncGenerator[list[Told], None]:
    """Batches of news of the learner's root runs, each run in its order, new ones from their first event.

    Unfinished runs that `cursors` does not name come from their start, named ones from their number on, also where
    they have ended meanwhile; a name that is no root run of the learner is left out. Ends with `reconnect`.

    Args:
        cursors: by root run the last number that the reader has; None where they could not be read: then a `resync`
            goes before each run.
        watch: shared by the streams of the process; one of its own by default.
        on: whether to go on with what comes; else it ends after what there is, without `reconnect`.
    """
    watch = watch or LogWatch(store)
    try:
        async with bus.tail(learner_channel(user_id)) as tail:
            readers: dict[str, RootReader] = {}
            vigil = Vigil(tail, readers, watch.end_of_life_s(), user_id, due=False)
            desk = _Desk(store, bus, flights, vigil, readers, user_id)
            async with watch.over(vigil):
                told = await desk.opened(cursors)
                while not vigil.over:
                    if told:
                        yield told
                    if not (on or desk.is_behind):
                        return
                    told = await desk.next()
    except BusClosed:
        pass  # whoever comes back is told what there is
    yield [Told(reconnect())]


class _Desk:
    """One learner's stream: a reader for each root run, and who of them has to read the log."""

    def __init__(
        self,
        store: LearnersLog,
        bus: EventBus,
        flights: Snapshots,
        vigil: Vigil,
        readers: dict[str, RootReader],
        user_id: str,
    ) -> None:
        self._store = store
        self._bus = bus
        self._flights = flights
        self._vigil = vigil
        self._readers = readers
        self._user_id = user_id
        self._behind: deque[RootReader] = deque()
        self._places: dict[str, str] = {}  # by root, as the cursor has them
        self._ended: dict[str, None] = {}

    async def opened(self, cursors: Mapping[str, int] | None) -> list[Told]:
        """Take up what is unfinished and what the cursors name; what is to be said before anything of it."""
        named = cursors or {}
        for root_id, seq in named.items():
            await self._take_up(root_id, seq)
        for run in await self._store.open_roots(self._user_id):
            await self._begin(run, 0)
        return [Told(resync(root_id)) for root_id in self._readers] if cursors is None else []

    @property
    def is_behind(self) -> bool:
        """Whether there is a log of which more is to be read."""
        return bool(self._behind)

    async def next(self) -> list[Told]:
        """What comes next: a page of a log that is to be read, each in turn, and news. Raises BusClosed."""
        told: list[Told] = []
        if self._behind:
            told += await self._page(self._behind.popleft())
            self._vigil.tail.nudge()  # what waits is told between two pages, and what does not is not waited for
        batch = await self._vigil.next_batch()
        if self._vigil.due:
            self._vigil.due = False
            await self._look()
        return told + await self._sorted_out(batch)

    async def _page(self, reader: RootReader) -> list[Told]:
        try:
            news, more = await read_on(self._store, self._bus, reader, PAGE)
        except NotFound:
            self._retire(reader)
            return []
        if more and not reader.at_end:
            self._behind.append(reader)
        else:
            news += reader.unseen(self._flights.snapshots(reader.root_id))
        return self._told(reader, news)

    async def _look(self) -> None:
        """Nothing was heard, or too much: which root runs are there, and which of their logs have grown?"""
        ends = {run.id: run for run in await self._store.open_roots(self._user_id)}
        for reader in list(self._readers.values()):
            if reader.root_id not in ends or ends[reader.root_id].last_seq > reader.cursor:
                self._read_later(reader)
        for run in ends.values():
            await self._begin(run, 0)

    async def _sorted_out(self, batch: Sequence[News]) -> list[Told]:
        by_root: dict[str, list[News]] = {}
        for news in batch:
            by_root.setdefault(news.root_id, []).append(news)
        for news in by_root.pop(learner_channel(self._user_id), ()):
            if news.kind == RUN_ADMITTED:
                await self._take_up(news.data, 0)
        told: list[Told] = []
        for root_id, its_news in by_root.items():
            reader = self._readers.get(root_id)
            if reader is None or reader in self._behind:
                continue  # it has ended, or its log is read anyway
            if reader.misses_some(its_news):
                self._read_later(reader)
            else:
                told += self._told(reader, caught_up(reader, its_news, self._flights))
        return told

    async def _take_up(self, root_id: str, after: int) -> None:
        """Follow a root run that was named, if it is one of this learner's."""
        try:
            run = await self._store.run(root_id, user_id=self._user_id)
        except NotFound:
            return
        if run.id == run.root_id and not (run.ended and after == run.last_seq):
            await self._begin(run, after)

    async def _begin(self, run: Run, after: int) -> None:
        if run.id in self._readers or run.id in self._ended:
            return
        reader = self._readers[run.id] = RootReader(run.id, cursor=after)
        self._places[run.id] = f"{run.id}:{after}"
        await self._vigil.tail.listen(run.id)
        self._read_later(reader)

    def _read_later(self, reader: RootReader) -> None:
        if reader not in self._behind:
            self._behind.append(reader)

    def _told(self, reader: RootReader, batch: Sequence[News]) -> list[Told]:
        told = [Told(news, self._cursor(news) if isinstance(news, Logged) else "") for news in batch]
        if reader.at_end:
            self._retire(reader)
        return told

    def _cursor(self, news: Logged) -> str:
        self._places[news.root_id] = f"{news.root_id}:{news.seq}"
        return ",".join(self._places.values())

    def _retire(self, reader: RootReader) -> None:
        self._vigil.tail.leave(reader.root_id)
        del self._readers[reader.root_id]
        del self._places[reader.root_id]
        self._ended[reader.root_id] = None
        if len(self._ended) > ENDED_REMEMBERED:
            del self._ended[next(iter(self._ended))]
