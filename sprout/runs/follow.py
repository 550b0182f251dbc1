"""Following a run: the log past a cursor, then the news, merged by number without a seam."""

import json
from collections.abc import AsyncGenerator, Sequence

from sprout.events import Reconnect, Resync, wire_data
from sprout.runs.bus import EventBus, News, Overflow, Passing
from sprout.runs.log import Logged, RunStore
from sprout.runs.writer import Flights

PAGE = 500
RETRY_MS = 1_000
END = "run_done"
ENDS_A_BLOCK = frozenset({"agent_reasoning", "thinking", "message", "message_reset"})


async def followed(
    store: RunStore, bus: EventBus, flights: Flights, root_id: str, after: int
) -> AsyncGenerator[list[News], None]:
    """Batches of news of a root run: first what is stored past `after`, then what happens; ends after `run_done`."""
    reader = _Reader(root_id, cursor=after)
    if after and not 0 <= after <= (await store.run(root_id)).last_seq:
        reader.cursor = 0
        yield [
            Passing(root_id, "resync", wire_data(Resync(why="The log has no such event: here it is from its start.")))
        ]
    while not reader.at_end():
        try:
            async with bus.tail(root_id) as tail:
                # Subscribed first, then read: what is appended meanwhile comes twice and is told once.
                async for rows in _stored(store, reader):
                    yield rows
                if reader.at_end():
                    return
                if snapshots := reader.unseen(flights.snapshots(root_id)):
                    yield snapshots
                async for batch in tail:
                    if reader.misses_some(batch):
                        async for rows in _stored(store, reader):
                            yield rows
                    if news := reader.unseen(batch):
                        yield news
                    if reader.at_end():
                        return
        except Overflow:
            continue
        yield [Passing(root_id, "reconnect", wire_data(Reconnect(retry_ms=RETRY_MS)))]
        return


async def _stored(store: RunStore, reader: "_Reader") -> AsyncGenerator[list[News], None]:
    while True:
        rows = await store.events(reader.root_id, after=reader.cursor, limit=PAGE)
        if news := reader.unseen(rows):
            yield news
        if len(rows) < PAGE:
            return


class _Reader:
    """What one reader has seen: the last number, and how far it has the text of each block in flight."""

    def __init__(self, root_id: str, *, cursor: int) -> None:
        self.root_id = root_id
        self.cursor = cursor
        self._at_end = False
        self._told: dict[str, int] = {}
        self._whole: set[str] = set()

    def at_end(self) -> bool:
        return self._at_end

    def misses_some(self, batch: list[News]) -> bool:
        """Whether there is a hole between the cursor and the first new number of a batch."""
        numbers = [news.seq for news in batch if isinstance(news, Logged) and news.seq > self.cursor]
        return bool(numbers) and numbers[0] > self.cursor + 1

    def unseen(self, batch: Sequence[News]) -> list[News]:
        """The part of a batch that is new to the reader, who has then seen it."""
        return [news for news in batch if (self._logged(news) if isinstance(news, Logged) else self._passing(news))]

    def _logged(self, news: Logged) -> bool:
        if news.seq <= self.cursor:
            return False
        self.cursor = news.seq
        self._at_end = news.kind == END
        if news.kind in ENDS_A_BLOCK:
            self._whole.add(json.loads(news.data)["blockId"])
        return True

    def _passing(self, news: Passing) -> bool:
        if news.block_id in self._whole:
            return False
        if news.kind == "block_snapshot":
            self._told[news.block_id] = news.offset
            return True
        return news.offset >= self._told.get(news.block_id, 0)
