"""Mapping of runs: rows with the length of their root's log, their place in the lane, and whether they are cut off."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

from pydantic import JsonValue
from sqlalchemy import Connection, RowMapping, and_, bindparam, case, exists, func, select
from sqlalchemy.orm import aliased

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import Caps, ReachedLimit, Usage
from sprout.loop.tool_calls.permissions import Approval
from sprout.runs.questions import question_from_json
from sprout.runs.state import Run, RunError, RunState
from sprout.store.runs.fencing import Author
from sprout.store.schema import run_tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import UNFINISHED

runs, worker_leases = table_of(run_tables.Run), table_of(run_tables.WorkerLeaseRow)
_root, _ahead = aliased(runs, name="root"), aliased(runs, name="ahead")
_POSITION = case(
    (
        runs.c.state == RunState.QUEUED.value,
        select(func.count())
        .select_from(_ahead)
        .where(_ahead.c.lane == runs.c.lane, _ahead.c.state.in_(UNFINISHED), _ahead.c.creation < runs.c.creation)
        .scalar_subquery(),
    ),
    else_=0,
)
_NOW = bindparam("time_now", callable_=utc_now, type_=worker_leases.c.lease_until.type)
_CUT_OFF = and_(
    runs.c.state == RunState.RUNNING.value,
    ~exists().where(worker_leases.c.id == runs.c.owner, worker_leases.c.lease_until >= _NOW),
)
RUN = select(
    *runs.c, _root.c.last_seq.label("log_length"), _POSITION.label("position"), _CUT_OFF.label("cut_off")
).join(_root, _root.c.id == runs.c.root_id)
_tree = select(runs.c.id).where(runs.c.id == bindparam("run")).cte("tree", recursive=True)
TREE = _tree.union_all(select(runs.c.id).join(_tree, runs.c.parent_id == _tree.c.id))  # the run and all under it
RUN_OF_ID = RUN.where(runs.c.id == bindparam("run"))
_COPIED = (
    *("id", "root_id", "parent_id", "user_id", "agent", "label", "lane", "node_id", "branch_id", "small", "model"),
    *("offline", "created_at", "reason", "cancel_requested", "started_at", "ended_at"),
    *("owner", "answered", "cause", "discarded", "task"),
)


def run_from(row: RowMapping) -> Run:
    """A run from a row of `RUN`."""
    question = cast(dict[str, JsonValue] | None, row["question"])
    return Run(
        **{field: row[field] for field in _COPIED},
        caps=Caps.model_validate(row["caps"]),
        state=RunState(row["state"]),
        reached_limit=None if row["reached_limit"] is None else ReachedLimit.model_validate(row["reached_limit"]),
        usage=Usage(**{field: row[field] for field in Usage.model_fields}),
        error=None if row["error"] is None else RunError(**row["error"]),
        epoch=int(row["epoch"]),
        crashes=int(row["crashes"]),
        last_seq=int(row["log_length"]),
        position=row["position"],
        cut_off=row["cut_off"],
        question=None if question is None else question_from_json(question),
        approvals=tuple(Approval(**one) for one in row["approvals"] or ()),
    )


def run_of(connection: Connection, run_id: str) -> Run:
    """The run as the transaction sees it. Raises NotFound."""
    row = connection.execute(RUN_OF_ID, {"run": run_id}).mappings().one_or_none()
    if row is None:
        raise NotFound("run", run_id)
    return run_from(row)


def columns_of(run: Run) -> dict[str, Any]:
    """The columns of a run to be inserted."""
    return {
        **{field: getattr(run, field) for field in (*_COPIED, "epoch", "crashes")},
        **run.usage.model_dump(by_alias=False),
        "caps": run.caps.model_dump(by_alias=False),
        "state": run.state.value,
        "reached_limit": None if run.reached_limit is None else run.reached_limit.model_dump(by_alias=False),
        "error": None if run.error is None else asdict(run.error),
        "last_seq": 0,
        "crash_marker": 0,
        "question": None,
        "approvals": approvals_column(run.approvals),
    }


def approvals_column(approvals: Sequence[Approval]) -> list[dict[str, str]]:
    return [asdict(approval) for approval in approvals]


def author_of(run: Run) -> Author:
    """The run as the author of its events."""
    return Author(run.id, run.root_id, run.label, run.epoch)
