"""Stream of one root run: the log past a cursor merged with the bus, each event once and in order."""

import logging
import random
from collections.abc import AsyncGenerator, Sequence

from sprout.errors import NotFound
from sprout.events import Reconnect, Resync, wire_data
from sprout.runs.run_store import RunStore
from sprout.runs.streaming.bus import BusClosed, BusMessage, EphemeralEvent, EventBus
from sprout.runs.streaming.cursor import LogCursor
from sprout.runs.streaming.poller import LogPoller, Subscription

log = logging.getLogger(__name__)

PAGE = 500
RETRY_MS = 1_000
UNKNOWN_CURSOR = "The log has no such event: here it is from its start."
EXPIRED_LOG = "This run is so old that only its end is kept."
RETRY_JITTER_MS = 1_000


async def follow(
    store: RunStore,
    bus: EventBus,
    root_id: str,
    after: int,
    *,
    poller: LogPoller | None = None,
) -> AsyncGenerator[list[BusMessage], None]:
    """Batches of messages of a root run: first the stored events past `after`, then live ones; ends after `run_done`.

    The log alone is enough where the bus is silent, and the stream does not depend on the process that executes the
    run. It ends with `reconnect` where the server shuts down, the stream is too old or the run was deleted.

    Args:
        poller: shared by the streams of the process; one of its own by default.
    """
    cursor = LogCursor(root_id, seq=after)
    poller = poller or LogPoller(store)
    try:
        async with bus.tail(root_id) as tail:
            subscription = Subscription(tail, {root_id: cursor}, poller.stream_deadline_s())
            async with poller.polling(subscription):
                batch: list[BusMessage] = []
                while not subscription.expired:
                    # Subscribe, then read: events that are appended in between come twice and are passed on once.
                    if subscription.due or cursor.has_gap(batch):
                        subscription.due, more = False, True
                        while more:
                            page, more = await read_page(store, bus, cursor, PAGE)
                            if page:
                                yield page
                        batch = [*await bus.snapshots(root_id), *batch]
                    if messages := await catch_up(cursor, batch, bus):
                        yield messages
                    if cursor.at_end:
                        return
                    batch = await subscription.next_batch()
    except (BusClosed, NotFound):
        pass  # after reconnecting, the client gets what is left, or a 404
    yield [reconnect_event(root_id)]


async def read_page(store: RunStore, bus: EventBus, cursor: LogCursor, limit: int) -> tuple[list[BusMessage], bool]:
    """The next events of the cursor's log, from the bus's memory if possible, and whether there may be more.

    A `resync` goes first where the cursor is ahead of the log, and where the events after it were pruned.
    Raises NotFound: the run was deleted.
    """
    if recent := bus.recent(cursor.root_id, cursor.seq):
        return cursor.accept(recent), False
    rows = await store.events(cursor.root_id, after=cursor.seq, limit=limit) if cursor.seq >= 0 else []
    if rows and rows[0].seq > cursor.seq + 1:
        return [resync_event(cursor.root_id, EXPIRED_LOG), *cursor.accept(rows)], len(rows) == limit
    if rows:
        return cursor.accept(rows), len(rows) == limit
    run = await store.run(cursor.root_id)
    if 0 <= cursor.seq <= run.last_seq:
        cursor.at_end = run.ended and cursor.seq == run.last_seq
        return [], False
    cursor.reset()
    return [resync_event(cursor.root_id)], True


async def catch_up(cursor: LogCursor, batch: Sequence[BusMessage], bus: EventBus) -> list[BusMessage]:
    """The new messages of a batch, after the log was read; blocks that lost text are sent again as snapshots.

    A stored event beyond a gap is not passed on: the log does not have it, as after a loss of the database's last
    commits, and the reader would miss those that get its number.
    """
    known = cursor.before_gap(batch)
    if len(known) < len(batch):
        log.warning("stream.unknown_events", extra={"root": cursor.root_id, "count": len(batch) - len(known)})
    messages = cursor.accept(known)
    if not cursor.incomplete:
        return messages
    return messages + cursor.accept_snapshots(await bus.snapshots(cursor.root_id))


def resync_event(root_id: str, why: str = UNKNOWN_CURSOR) -> EphemeralEvent:
    """Control message: the reader's cursor cannot be continued."""
    return EphemeralEvent(root_id, "resync", wire_data(Resync(why=why)))


def reconnect_event(root_id: str = "") -> EphemeralEvent:
    """Control message: the client shall reconnect, after a delay with jitter."""
    retry_ms = RETRY_MS + random.randrange(RETRY_JITTER_MS)
    return EphemeralEvent(root_id, "reconnect", wire_data(Reconnect(retry_ms=retry_ms)))
