"""What one reader has of one root run: told once, in order, without a hole, whatever the news does."""

import re
from collections.abc import Sequence

from sprout.runs.bus import News, Passing
from sprout.runs.log import Logged

END = "run_done"
ENDS_A_BLOCK = frozenset({"agent_reasoning", "thinking", "message", "message_reset"})
WHOLE_REMEMBERED = 64  # deltas of a block that the log has whole already can only be a few batches old

_BLOCK_ID = re.compile(r'"blockId":"((?:[^"\\]|\\.)*)"')
_RUN_ID = re.compile(r'"runId":"((?:[^"\\]|\\.)*)"')


class RootReader:
    """The last number that a reader has, and how far it has the text of each block in flight.

    `torn` holds the blocks of which some text got lost: their deltas are held back until a snapshot mends them, or
    the log has them whole.
    """

    __slots__ = ("_runs", "_told", "_whole", "at_end", "cursor", "root_id", "torn")

    def __init__(self, root_id: str, *, cursor: int) -> None:
        self.root_id = root_id
        self.cursor = cursor
        self.at_end = False
        self.torn: set[str] = set()
        self._told: dict[str, int] = {}  # block → the characters that were told
        self._runs: dict[str, str] = {}  # the same blocks → their run
        self._whole: dict[str, None] = {}

    def start_over(self) -> None:
        """Forget everything: the log comes from its start."""
        self.cursor = 0
        self.torn.clear()
        self._told.clear()
        self._runs.clear()
        self._whole.clear()

    def misses_some(self, batch: Sequence[News]) -> bool:
        """Whether there is a hole between the cursor and a number of the batch, or between its numbers."""
        expected = self.cursor + 1
        for news in batch:
            if isinstance(news, Logged) and news.seq >= expected:
                if news.seq > expected:
                    return True
                expected += 1
        return False

    def unseen(self, batch: Sequence[News]) -> list[News]:
        """The part of a batch that is new to the reader, who has then seen it; nothing after the end."""
        return [news for news in batch if (self._logged(news) if isinstance(news, Logged) else self._passing(news))]

    def mended(self, snapshots: Sequence[Passing]) -> list[News]:
        """Snapshots of the blocks that are torn; those without one stay torn."""
        wanted = [snapshot for snapshot in snapshots if snapshot.block_id in self.torn]
        return self.unseen(wanted)

    def _logged(self, news: Logged) -> bool:
        if news.seq <= self.cursor or self.at_end:
            return False
        self.cursor = news.seq
        if news.kind in ENDS_A_BLOCK:
            self._landed(_found(_BLOCK_ID, news.data))
        elif news.kind == "run_resumed":
            self._forget(_found(_RUN_ID, news.data))
        elif news.kind == END:
            self.at_end = True
        return True

    def _passing(self, news: Passing) -> bool:
        block_id = news.block_id
        if not block_id:
            return True
        if block_id in self._whole or self.at_end:
            return False
        told = self._told.get(block_id)
        if told is None:
            told, self._runs[block_id] = 0, _found(_RUN_ID, news.data)
        if news.kind == "block_snapshot":
            self._told[block_id] = news.offset
            self.torn.discard(block_id)
            return True
        if news.offset < told:
            return False
        if news.length and news.offset > told:
            self._told[block_id] = told
            self.torn.add(block_id)
            return False
        self._told[block_id] = news.offset + (news.length or 1)
        if self.torn:
            self.torn.discard(block_id)
        return True

    def _landed(self, block_id: str) -> None:
        self._dropped(block_id)
        self._whole[block_id] = None
        if len(self._whole) > WHOLE_REMEMBERED:
            del self._whole[next(iter(self._whole))]

    def _forget(self, run_id: str) -> None:
        """The run is taken up again: what it had in flight is void, and may grow anew under the same id."""
        for block_id in [block for block, run in self._runs.items() if run == run_id]:
            self._dropped(block_id)

    def _dropped(self, block_id: str) -> None:
        self._told.pop(block_id, None)
        self._runs.pop(block_id, None)
        self.torn.discard(block_id)


def _found(what: re.Pattern[str], data: str) -> str:
    """A field near the front of an event's JSON; the rest, which may be long, is not parsed."""
    match = what.search(data)
    return match[1] if match else ""
