"""What is kept at the boundaries of a run's loop: the envelopes of its tool calls, and its checkpoints."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from sprout.errors import NotFound
from sprout.events import Usage
from sprout.runs.log import CallBegun, CallCleared, CallEnded, CallKept, Checkpoint, Record
from sprout.runs.state import Run
from sprout.store.columns import table_of
from sprout.store.run_rows import TREE
from sprout.store.run_tables import Checkpoint as CheckpointRow
from sprout.store.run_tables import RunEvent, ToolCall

_calls, _checkpoints, _events = table_of(ToolCall), table_of(CheckpointRow), table_of(RunEvent)
_BEGUN_COLUMNS = ("run_id", "call_id", "name", "input", "effect", "iteration", "said", "safe", "started_at")


def _insert_or_begin_again(dialect: Any) -> Any:
    """An envelope that is there already is begun again, unless its call has ended."""
    values = [bindparam(f"its_{name}", type_=_calls.c[name].type) for name in _BEGUN_COLUMNS]
    fresh = dialect.insert(_calls).from_select(
        [*_BEGUN_COLUMNS, "is_error", "attempts", "position"],
        select(
            *values,
            bindparam("its_is_error", type_=_calls.c.is_error.type),
            bindparam("its_attempts", type_=_calls.c.attempts.type),
            func.coalesce(func.max(_calls.c.position), 0) + 1,
        ).where(_calls.c.run_id == bindparam("its_run_id")),
    )
    return fresh.on_conflict_do_update(
        index_elements=[_calls.c.run_id, _calls.c.call_id],
        set_={name: fresh.excluded[name] for name in ("started_at", "safe")},
        where=_calls.c.completed_at.is_(None),
    )


_BEGIN_CALLS = {"sqlite": _insert_or_begin_again(sqlite), "postgresql": _insert_or_begin_again(postgresql)}
_OF_CALL = (_calls.c.run_id == bindparam("run"), _calls.c.call_id == bindparam("call"))
_END_CALLS = update(_calls).where(*_OF_CALL)
_END_CALLS_ONCE = _END_CALLS.where(_calls.c.completed_at.is_(None))
_CLEAR_CALLS = _END_CALLS_ONCE.values(safe=True)
_KNOWN_CALLS = select(_calls.c.call_id).where(_calls.c.run_id == bindparam("run"))
_GIVEN = [column for column in _checkpoints.c if column.name != "position"]
_KEEP_NEXT = insert(_checkpoints).from_select(
    [*(column.name for column in _GIVEN), "position"],
    select(
        *(bindparam(f"its_{column.name}", type_=column.type) for column in _GIVEN),
        func.coalesce(func.max(_checkpoints.c.position), 0) + 1,
    ).where(_checkpoints.c.run_id == bindparam("its_run_id")),
)
_CHECKPOINTS = select(*_GIVEN).where(_checkpoints.c.run_id == bindparam("run")).order_by(_checkpoints.c.position)
_CALLS = select(*_calls.c).where(_calls.c.run_id == bindparam("run")).order_by(_calls.c.position)
_OF_KIND = select(_events.c.data).where(
    _events.c.root_id == bindparam("root"), _events.c.run_id == bindparam("run"), _events.c.kind == bindparam("kind")
)
_PLACE = select(
    select(func.count()).where(_checkpoints.c.run_id.in_(select(TREE.c.id))).scalar_subquery()
    + select(func.count())
    .where(_calls.c.run_id.in_(select(TREE.c.id)), _calls.c.completed_at.is_not(None))
    .scalar_subquery()
)


def begin_calls(connection: Connection, run_id: str, begun: Sequence[CallBegun], now: datetime) -> None:
    """Open the envelopes; one that was begun before and has not ended is begun again, one that has ended stays."""
    if begun:
        envelopes = [
            {
                "its_run_id": run_id,
                "its_call_id": one.call_id,
                "its_name": one.tool,
                "its_input": one.input,
                "its_effect": one.effect,
                "its_iteration": one.iteration,
                "its_said": one.said,
                "its_safe": one.safe,
                "its_started_at": now,
                "its_is_error": False,
                "its_attempts": 0,
            }
            for one in begun
        ]
        connection.execute(_BEGIN_CALLS[connection.dialect.name], envelopes)


def end_calls(connection: Connection, run_id: str, ended: Sequence[CallEnded], now: datetime) -> None:
    """Close the envelopes; closing one again writes over it. Raises NotFound: there is none for a call."""
    if ended and _closed(connection, _END_CALLS, run_id, ended, now) < len(ended):
        known = set(connection.execute(_KNOWN_CALLS, {"run": run_id}).scalars())
        raise NotFound("tool call", next(one.call_id for one in ended if one.call_id not in known))


def end_call_once(connection: Connection, run_id: str, ended: CallEnded, now: datetime) -> bool:
    """Close the envelope, if it is there and open; whether it was."""
    return _closed(connection, _END_CALLS_ONCE, run_id, [ended], now) == 1


def clear_calls(connection: Connection, run_id: str, cleared: Sequence[CallCleared]) -> None:
    """Let the open envelopes be begun again."""
    if cleared:
        connection.execute(_CLEAR_CALLS, [{"run": run_id, "call": one.call_id} for one in cleared])


def keep_checkpoints(connection: Connection, run_id: str, checkpoints: Sequence[Checkpoint], now: datetime) -> None:
    """Add the checkpoints to those of the run, which count 1, 2, 3 …; its log must be locked."""
    if checkpoints:
        kept = [
            {
                "its_run_id": run_id,
                "its_kind": one.kind,
                "its_iteration": one.iteration,
                "its_messages": one.messages,
                "its_elapsed_s": one.elapsed_s,
                "its_stop_reason": one.stop_reason,
                "its_state": one.state,
                "its_digest": one.digest,
                "its_version": one.version,
                "its_created_at": now,
            }
            for one in checkpoints
        ]
        connection.execute(_KEEP_NEXT, kept)


def record_of(connection: Connection, run: Run) -> Record:
    """All that is kept of the run's work."""
    checkpoints = connection.execute(_CHECKPOINTS, {"run": run.id}).mappings()
    calls = connection.execute(_CALLS, {"run": run.id}).mappings()
    ended = connection.execute(_OF_KIND, {"root": run.root_id, "run": run.id, "kind": "tool_result"}).scalars()
    return Record(
        tuple(Checkpoint(**{name: row[name] for name in Checkpoint.__slots__}) for row in checkpoints),
        tuple(_kept(row) for row in calls),
        own_usage(connection, run),
        frozenset(json.loads(data)["callId"] for data in ended),
    )


def own_usage(connection: Connection, run: Run) -> Usage:
    """What the run has spent by itself, as its events tell."""
    total = Usage()
    for data in connection.execute(_OF_KIND, {"root": run.root_id, "run": run.id, "kind": "usage"}).scalars():
        total = total.plus(Usage.model_validate(json.loads(data)["usage"]))
    return total


def place_of(connection: Connection, run_id: str) -> int:
    """How far the run and those under it have come: checkpoints, and calls that have ended.

    A parent that waits for its children comes no further itself, and is not at fault where they are cut off.
    """
    place: int = connection.execute(_PLACE, {"run": run_id}).scalar_one()
    return place


def _kept(row: Any) -> CallKept:
    begun = CallBegun(
        row["call_id"], row["name"], row["input"], row["effect"], row["iteration"], row["said"], row["safe"]
    )
    if row["completed_at"] is None:
        return CallKept(begun, None)
    return CallKept(begun, CallEnded(row["call_id"], row["result"], row["is_error"], row["attempts"]))


def _closed(connection: Connection, statement: Any, run_id: str, ended: Sequence[CallEnded], now: datetime) -> int:
    """How many envelopes were closed."""
    values = [
        {
            "run": run_id,
            "call": one.call_id,
            "completed_at": now,
            "result": one.result,
            "is_error": one.is_error,
            "attempts": one.attempts,
        }
        for one in ended
    ]
    return connection.execute(statement, values).rowcount
