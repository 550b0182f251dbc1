"""The event log: the one place where events are numbered, stamped, serialised, stored and, after the commit, told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, and_, bindparam, exists, insert, or_, select, update

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import Event, wire_data, wire_time
from sprout.runs.bus import News
from sprout.runs.log import Logged
from sprout.runs.state import Fenced, RunAlreadyEnded, RunState
from sprout.store.columns import table_of
from sprout.store.run_tables import Run, RunEvent
from sprout.store.write import Write

Publish = Callable[[News], None]

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
_STATE = select(_runs.c.state, _runs.c.ended_at, _runs.c.epoch).where(_runs.c.id == bindparam("run"))
_INSERT_EVENTS = insert(_events)


@dataclass(frozen=True, slots=True)
class Author:
    """The run that events come from, under which epoch, and the root run whose log holds them."""

    run_id: str
    root_id: str
    label: str
    epoch: int


class EventLog:
    """Writes events whose news goes out after the commit, per root run in the order of their numbers."""

    def __init__(self, publish: Publish, *, now: Callable[[], datetime] = utc_now) -> None:
        self.now = now
        self.publish = publish

    def append(self, write: Write, author: Author, events: Sequence[Event]) -> int:
        """Store the events under the root run, whose row is locked until the commit; the last number in its log.

        Raises RunAlreadyEnded (the run or its root has), Fenced (somebody else carries the run), NotFound (one of
        them is gone).
        """
        last = _numbers(write, author, len(events))
        if not events:
            return last
        at = wire_time(self.now())
        logged = [
            Logged(author.root_id, seq, event.kind, wire_data(_stamped(event, author, at)))
            for seq, event in enumerate(events, start=last - len(events) + 1)
        ]
        rows = [
            {"root_id": one.root_id, "seq": one.seq, "run_id": author.run_id, "kind": one.kind, "data": one.data}
            for one in logged
        ]
        write.connection.execute(_INSERT_EVENTS, rows)
        write.after_commit(lambda: self._tell(logged))
        return last

    def _tell(self, logged: Sequence[Logged]) -> None:
        for one in logged:
            self.publish(one)


def _numbers(write: Write, author: Author, count: int) -> int:
    """The last of `count` numbers given to a run that has not ended, under a root that has not ended (B2)."""
    values = {"root": author.root_id, "run": author.run_id, "its_epoch": author.epoch, "count": count}
    last: int | None = write.connection.execute(_GIVE_NUMBERS, values).scalar_one_or_none()
    if last is None:
        _refuse_ended(write.connection, author.root_id)
    if last is None or (author.run_id != author.root_id and not write.alone):
        # PostgreSQL looked for the run before it waited for the root's row: who held that may have ended the run.
        _refuse_ended(write.connection, author.run_id, author.epoch)
    assert last is not None
    return last


def refuse_lost(connection: Connection, author: Author) -> None:
    """Raises NotFound, RunAlreadyEnded, Fenced; whoever holds the root's row may rely on it until the commit."""
    _refuse_ended(connection, author.run_id, author.epoch)


def _stamped(event: Event, author: Author, at: str) -> Event:
    if not event.durable:
        raise ValueError(f"{event.kind} is not durable: it is sent, not stored")
    given = {"agent": event.agent or author.label, "run_id": event.run_id or author.run_id, "at": event.at or at}
    return event.model_copy(update=given)


def _refuse_ended(connection: Connection, run_id: str, epoch: int | None = None) -> None:
    """Raises NotFound, RunAlreadyEnded, Fenced."""
    found = connection.execute(_STATE, {"run": run_id}).one_or_none()
    if found is None:
        raise NotFound("run", run_id)
    if found.ended_at is not None:
        raise RunAlreadyEnded(run_id, RunState(found.state))
    if epoch is not None and found.epoch != epoch:
        raise Fenced(run_id)
