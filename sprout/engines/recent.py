"""The newest stored events of runs that are going, in memory: most who come to one need not ask the database."""

from collections import OrderedDict, deque
from collections.abc import Sequence

from sprout.runs.log import Logged
from sprout.runs.root_reader import END

MOST_OF_A_RUN = 64
MOST_RUNS = 1_000


class Recent:
    """What was told of each root run that has not ended: its last events, without a hole between them."""

    def __init__(self, *, most_of_a_run: int = MOST_OF_A_RUN, most_runs: int = MOST_RUNS) -> None:
        self._most_of_a_run = most_of_a_run
        self._most_runs = most_runs
        self._told: OrderedDict[str, deque[Logged]] = OrderedDict()

    def keep(self, news: Logged) -> None:
        """Remember an event; with its last one the whole run is forgotten."""
        if news.kind == END:
            self._told.pop(news.root_id, None)
            return
        told = self._told.get(news.root_id)
        if told is None:
            told = self._told[news.root_id] = deque(maxlen=self._most_of_a_run)
            if len(self._told) > self._most_runs:
                self._told.popitem(last=False)
        elif news.seq != told[-1].seq + 1:
            if news.seq <= told[-1].seq:
                return
            told.clear()
        told.append(news)

    def after(self, root_id: str, cursor: int) -> Sequence[Logged]:
        """The events past the cursor; nothing where there is none, or where the next one is not remembered."""
        told = self._told.get(root_id)
        if not told or not told[0].seq <= cursor + 1 <= told[-1].seq:
            return ()
        return [news for news in told if news.seq > cursor]
