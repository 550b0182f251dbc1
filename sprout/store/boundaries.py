"""What is kept at the boundaries of a run's loop: the envelopes of its tool calls, and its checkpoints."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from sprout.errors import NotFound
from sprout.runs.log import CallBegun, CallEnded, Checkpoint
from sprout.store.columns import table_of
from sprout.store.run_tables import Checkpoint as CheckpointRow
from sprout.store.run_tables import ToolCall

_calls, _checkpoints = table_of(ToolCall), table_of(CheckpointRow)


def _insert_or_begin_again(insert: Any) -> Any:
    """An envelope that is there already is begun again, unless its call has ended."""
    fresh = insert(_calls)
    return fresh.on_conflict_do_update(
        index_elements=[_calls.c.run_id, _calls.c.call_id],
        set_={"started_at": fresh.excluded.started_at},
        where=_calls.c.completed_at.is_(None),
    )


_BEGIN_CALLS = {
    "sqlite": _insert_or_begin_again(sqlite.insert),
    "postgresql": _insert_or_begin_again(postgresql.insert),
}
_END_CALLS = update(_calls).where(_calls.c.run_id == bindparam("run"), _calls.c.call_id == bindparam("call"))
_END_CALLS_ONCE = _END_CALLS.where(_calls.c.completed_at.is_(None))
_KNOWN_CALLS = select(_calls.c.call_id).where(_calls.c.run_id == bindparam("run"))
_GIVEN = [column for column in _checkpoints.c if column.name != "position"]
_KEEP_NEXT = insert(_checkpoints).from_select(
    [*(column.name for column in _GIVEN), "position"],
    select(
        *(bindparam(f"its_{column.name}", type_=column.type) for column in _GIVEN),
        func.coalesce(func.max(_checkpoints.c.position), 0) + 1,
    ).where(_checkpoints.c.run_id == bindparam("its_run_id")),
)


def begin_calls(connection: Connection, run_id: str, begun: Sequence[CallBegun], now: datetime) -> None:
    """Open the envelopes; one that was begun before and has not ended is begun again, one that has ended stays."""
    if begun:
        envelopes = [
            {
                "run_id": run_id,
                "call_id": one.call_id,
                "name": one.tool,
                "input": one.input,
                "effect": one.effect,
                "started_at": now,
                "is_error": False,
                "attempts": 0,
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


def keep_checkpoints(connection: Connection, run_id: str, checkpoints: Sequence[Checkpoint], now: datetime) -> None:
    """Add the checkpoints to those of the run, which count 1, 2, 3 …; its log must be locked."""
    if checkpoints:
        kept = [
            {
                "its_run_id": run_id,
                "its_kind": one.kind,
                "its_iteration": one.iteration,
                "its_messages": one.messages,
                "its_created_at": now,
            }
            for one in checkpoints
        ]
        connection.execute(_KEEP_NEXT, kept)


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
