"""Recent events of active runs in memory, so that most readers need no query."""

from collections import OrderedDict, deque
from collections.abc import Sequence

from sprout.events import LAST_EVENT_KIND
from sprout.runs.run_store import StoredEvent

MAX_EVENTS_PER_RUN = 64
MAX_RUNS = 1_000


class RecentEvents:
    """The last published events of each unfinished root run, without a gap between them."""

    def __init__(self, *, max_events_per_run: int = MAX_EVENTS_PER_RUN, max_runs: int = MAX_RUNS) -> None:
        self._max_events_per_run = max_events_per_run
        self._max_runs = max_runs
        self._by_root: OrderedDict[str, deque[StoredEvent]] = OrderedDict()

    def add(self, event: StoredEvent) -> None:
        """Add an event; the last event of a run removes the run."""
        if event.kind == LAST_EVENT_KIND:
            self._by_root.pop(event.root_id, None)
            return
        events = self._by_root.get(event.root_id)
        if events is None:
            events = self._by_root[event.root_id] = deque(maxlen=self._max_events_per_run)
            if len(self._by_root) > self._max_runs:
                self._by_root.popitem(last=False)
        elif event.seq != events[-1].seq + 1:
            if event.seq <= events[-1].seq:
                return
            events.clear()
        events.append(event)

    def after(self, root_id: str, cursor: int) -> Sequence[StoredEvent]:
        """The events past the cursor; none if the next one is not in memory."""
        events = self._by_root.get(root_id)
        if not events or not events[0].seq <= cursor + 1 <= events[-1].seq:
            return ()
        return [event for event in events if event.seq > cursor]
