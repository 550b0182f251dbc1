"""Event log: events are numbered, stamped, serialised, stored and, after the commit, published."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import and_, bindparam, exists, insert, or_, update

from sprout.clock import utc_now
from sprout.events import BLOCK_END_KINDS, BLOCK_ENDS, Event, wire_data, wire_time
from sprout.runs.run_store import StoredEvent
from sprout.runs.streaming.bus import BusMessage
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.runs.fencing import Author, check_open
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import Run, RunEvent

Publish = Callable[[BusMessage], None]

_runs, _events = table_of(Run), table_of(RunEvent)
_author = _runs.alias("author")
_GIVE_NUMBERS = (
    update(_runs)
    .where(
        _runs.c.id == bindparam("root"),
        _runs.c.ended_at.is_(None),
        or_(_runs.c.id != bindparam("run"), _runs.c.epoch == bindparam("its_epoch")),
        exists().where(
            and_(
                _author.c.id == bindparam("run"),
                _author.c.ended_at.is_(None),
                _author.c.epoch == bindparam("its_epoch"),
            )
        ),
    )
    .values(last_seq=_runs.c.last_seq + bindparam("count"))
    .returning(_runs.c.last_seq)
)
_INSERT_EVENTS = insert(_events)


class EventLog:
    """Writes events and publishes them after the commit.

    The events of one transaction are published in the order of their numbers; those of two that PostgreSQL commits at
    once may change places, which a reader meets as a gap.
    """

    def __init__(self, publish: Publish, *, now: Callable[[], datetime] = utc_now) -> None:
        self.now = now
        self.publish = publish

    def append(self, tx: WriteTransaction, author: Author, events: Sequence[Event]) -> int:
        """Store the events under the root run, whose row is locked until the commit; the last number in its log.

        Raises RunAlreadyEnded (the run or its root has), Fenced (another worker has the run), NotFound (one of them is
        gone).
        """
        last = _assign_seqs(tx, author, len(events))
        if not events:
            return last
        at = wire_time(self.now())
        logged = [
            StoredEvent(
                author.root_id,
                seq,
                event.kind,
                wire_data(_stamped(event, author, at)),
                author.run_id,
                event.block_id if isinstance(event, BLOCK_ENDS) else "",
            )
            for seq, event in enumerate(events, start=last - len(events) + 1)
        ]
        rows = [
            {"root_id": one.root_id, "seq": one.seq, "run_id": one.run_id, "kind": one.kind, "data": one.data}
            for one in logged
        ]
        tx.connection.execute(_INSERT_EVENTS, rows)
        tx.after_commit(lambda: self._publish_all(logged))
        return last

    def _publish_all(self, logged: Sequence[StoredEvent]) -> None:
        for one in logged:
            self.publish(one)


def stored_event(root_id: str, seq: int, run_id: str, kind: str, data: str) -> StoredEvent:
    """An event from its row; the id of a block has no column and is read from the data."""
    block_id = json.loads(data).get("blockId", "") if kind in BLOCK_END_KINDS else ""
    return StoredEvent(root_id, seq, kind, data, run_id, block_id)


def _assign_seqs(tx: WriteTransaction, author: Author, count: int) -> int:
    """Assign `count` numbers to an unfinished run under an unfinished root; the last of them."""
    values = {"root": author.root_id, "run": author.run_id, "its_epoch": author.epoch, "count": count}
    last: int | None = tx.connection.execute(_GIVE_NUMBERS, values).scalar_one_or_none()
    if last is None:
        check_open(tx.connection, author.root_id)
    if last is None or (author.run_id != author.root_id and not tx.is_exclusive):
        # PostgreSQL checked the run before it waited for the root's row, whose last holder may have ended the run.
        check_open(tx.connection, author.run_id, author.epoch)
    assert last is not None
    return last


def _stamped(event: Event, author: Author, at: str) -> Event:
    if not event.durable:
        raise ValueError(f"{event.kind} is not durable: it is sent, not stored")
    given = {"agent": event.agent or author.label, "run_id": event.run_id or author.run_id, "at": event.at or at}
    return event.model_copy(update=given)
