"""Checkpoints of runs, and the envelopes of their tool calls."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from sprout.errors import NotFound
from sprout.events import Usage
from sprout.runs.run_store import CallBegun, CallCleared, CallEnded, Checkpoint, RunRecord, StoredCall
from sprout.runs.state import Run
from sprout.store.engine.database import Database
from sprout.store.runs.mapping import TREE
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import CheckpointRow, RunEvent, ToolCall
from sprout.store.schema.run_tables import Run as RunRow

_calls, _checkpoints, _events = table_of(ToolCall), table_of(CheckpointRow), table_of(RunEvent)
_runs = table_of(RunRow)
_BEGUN_COLUMNS = (
    *("run_id", "call_id", "name", "input", "effect", "iteration"),
    *("text_before", "repeatable", "started_at"),
)


def _upsert_call(dialect: Any) -> Any:
    """An envelope that is open is begun again; a closed one stays."""
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
        set_={name: fresh.excluded[name] for name in ("started_at", "repeatable")},
        where=_calls.c.completed_at.is_(None),
    )


_BEGIN_CALLS = {"sqlite": _upsert_call(sqlite), "postgresql": _upsert_call(postgresql)}
_OF_CALL = (_calls.c.run_id == bindparam("run"), _calls.c.call_id == bindparam("call"))
_END_CALLS = update(_calls).where(*_OF_CALL)
_END_CALLS_ONCE = _END_CALLS.where(_calls.c.completed_at.is_(None))
_CLEAR_CALLS = _END_CALLS_ONCE.values(repeatable=True)
_KNOWN_CALLS = select(_calls.c.call_id).where(_calls.c.run_id == bindparam("run"))
_GIVEN = [column for column in _checkpoints.c if column.name != "position"]
_INSERT_NEXT = insert(_checkpoints).from_select(
    [*(column.name for column in _GIVEN), "position"],
    select(
        *(bindparam(f"its_{column.name}", type_=column.type) for column in _GIVEN),
        func.coalesce(func.max(_checkpoints.c.position), 0) + 1,
    ).where(_checkpoints.c.run_id == bindparam("its_run_id")),
)
_CHECKPOINTS = select(*_GIVEN).where(_checkpoints.c.run_id == bindparam("run")).order_by(_checkpoints.c.position)
_EARLIER_JOURNAL = (
    select(_checkpoints.c.state)
    .join(_runs, _runs.c.id == _checkpoints.c.run_id)
    .where(
        _runs.c.node_id == bindparam("node"),
        _runs.c.agent == bindparam("agent"),
        _runs.c.id != bindparam("run"),
        _runs.c.created_at <= bindparam("before", type_=_runs.c.created_at.type),
        _checkpoints.c.kind == "journal_update",
    )
    .order_by(_runs.c.created_at.desc(), _runs.c.id.desc(), _checkpoints.c.position.desc())
    .limit(1)
)
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


def open_calls(connection: Connection, run_id: str, begun: Sequence[CallBegun], now: datetime) -> None:
    """Open the envelopes; one that is open is begun again, a closed one stays."""
    if begun:
        envelopes = [
            {
                "its_run_id": run_id,
                "its_call_id": one.call_id,
                "its_name": one.tool,
                "its_input": one.input,
                "its_effect": one.effect,
                "its_iteration": one.iteration,
                "its_text_before": one.text_before,
                "its_repeatable": one.repeatable,
                "its_started_at": now,
                "its_is_error": False,
                "its_attempts": 0,
            }
            for one in begun
        ]
        connection.execute(_BEGIN_CALLS[connection.dialect.name], envelopes)


def close_calls(connection: Connection, run_id: str, ended: Sequence[CallEnded], now: datetime) -> None:
    """Close the envelopes; closing one again overwrites it. Raises NotFound: a call has none."""
    if ended and _close(connection, _END_CALLS, run_id, ended, now) < len(ended):
        known = set(connection.execute(_KNOWN_CALLS, {"run": run_id}).scalars())
        raise NotFound("tool call", next(one.call_id for one in ended if one.call_id not in known))


def close_call_once(connection: Connection, run_id: str, ended: CallEnded, now: datetime) -> bool:
    """Close the envelope if it is open; whether it was."""
    return _close(connection, _END_CALLS_ONCE, run_id, [ended], now) == 1


def allow_retry(connection: Connection, run_id: str, cleared: Sequence[CallCleared]) -> None:
    """Mark the open envelopes as repeatable."""
    if cleared:
        connection.execute(_CLEAR_CALLS, [{"run": run_id, "call": one.call_id} for one in cleared])


def insert_checkpoints(connection: Connection, run_id: str, checkpoints: Sequence[Checkpoint], now: datetime) -> None:
    """Append checkpoints to those of the run, numbered 1, 2, 3 …; its log must be locked."""
    if checkpoints:
        rows = [
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
        connection.execute(_INSERT_NEXT, rows)


def record_of(connection: Connection, run: Run) -> RunRecord:
    """The checkpoints, tool calls and usage of the run."""
    checkpoints = connection.execute(_CHECKPOINTS, {"run": run.id}).mappings()
    calls = connection.execute(_CALLS, {"run": run.id}).mappings()
    ended = connection.execute(_OF_KIND, {"root": run.root_id, "run": run.id, "kind": "tool_result"}).scalars()
    return RunRecord(
        tuple(Checkpoint(**{name: row[name] for name in Checkpoint.__slots__}) for row in checkpoints),
        tuple(_call_record(row) for row in calls),
        own_usage(connection, run),
        frozenset(json.loads(data)["callId"] for data in ended),
    )


async def fetch_earlier_journal(database: Database, run: Run) -> str | None:
    """The newest journal, as JSON, of the agent's earlier runs on the node of the run."""
    values = {"node": run.node_id, "agent": run.agent, "run": run.id, "before": run.created_at}
    found = await database.fetch(_EARLIER_JOURNAL, values)
    return found[0].state if found else None


def own_usage(connection: Connection, run: Run) -> Usage:
    """The usage of the run itself, from its events."""
    total = Usage()
    for data in connection.execute(_OF_KIND, {"root": run.root_id, "run": run.id, "kind": "usage"}).scalars():
        total = total.plus(Usage.model_validate(json.loads(data)["usage"]))
    return total


def progress_marker(connection: Connection, run_id: str) -> int:
    """The progress of the run and those under it: the number of checkpoints and ended calls.

    A parent that waits for its children makes no progress itself, and is not at fault if they crash.
    """
    marker: int = connection.execute(_PLACE, {"run": run_id}).scalar_one()
    return marker


def _call_record(row: Any) -> StoredCall:
    columns = ("call_id", "name", "input", "effect", "iteration", "text_before", "repeatable")
    begun = CallBegun(*(row[name] for name in columns))
    if row["completed_at"] is None:
        return StoredCall(begun, None)
    return StoredCall(begun, CallEnded(row["call_id"], row["result"], row["is_error"], row["attempts"]))


def _close(connection: Connection, statement: Any, run_id: str, ended: Sequence[CallEnded], now: datetime) -> int:
    """Close the envelopes; how many."""
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
