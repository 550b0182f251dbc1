"""Tables of runs: runs, their event log, tool calls, checkpoints, worker leases, and the changes that they made."""

from datetime import datetime
from typing import get_args

from pydantic import JsonValue
from sqlalchemy import BigInteger, CheckConstraint, Index, Text, false, text, true
from sqlmodel import Field

from sprout.clock import utc_now
from sprout.runs.run_store import CheckpointKind
from sprout.runs.state import TERMINAL_STATES, UNFINISHED_STATES, RunState
from sprout.store.schema.columns import JSON_VALUE, OrderedModel, SafeText, TableModel, UtcTime, one_of, unique_where

UNFINISHED = tuple(sorted(state.value for state in UNFINISHED_STATES))
GOES_ON = f"state = '{RunState.WAITING_ON_HUMAN}' and (answered or cancel_requested)"

_ENDED = ", ".join(f"'{state}'" for state in sorted(TERMINAL_STATES))
_HOLDS_THE_LANE = f"state in ('{RunState.RUNNING}', '{RunState.WAITING_ON_HUMAN}')"


class Run(OrderedModel, table=True):
    """A run; `last_seq` is the number of events under a root.

    `owner` is its worker, null before a claim and after a release; `epoch` counts the claims; `idle` while it only
    waits, so that a crash of its worker does not count against it.
    """

    __tablename__ = "runs"
    __table_args__ = (
        one_of("state", RunState),
        CheckConstraint(f"(state in ({_ENDED})) = (ended_at is not null)", name="ended_has_its_time"),
        CheckConstraint("(parent_id is null) = (root_id = id)", name="roots_have_no_parent"),
        CheckConstraint("last_seq >= 0", name="last_seq"),
        unique_where(_HOLDS_THE_LANE, "uq_runs_active_in_lane", "lane"),
        Index(None, "lane", "state"),
        Index(None, "user_id", "branch_id"),
        Index("ix_runs_goes_on", "lane", sqlite_where=text(GOES_ON), postgresql_where=text(GOES_ON)),
    )

    root_id: str = Field(foreign_key="runs.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    parent_id: str | None = Field(default=None, foreign_key="runs.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    agent: str = Field(sa_type=SafeText)
    label: str = Field(sa_type=SafeText)
    lane: str = Field(sa_type=SafeText)
    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    branch_id: str | None = Field(
        default=None, foreign_key="branches.id", ondelete="CASCADE", index=True, sa_type=SafeText
    )
    small: bool
    model: str = Field(sa_type=SafeText)
    offline: bool
    caps: JsonValue = Field(sa_type=JSON_VALUE, nullable=False)
    state: str = Field(default=RunState.QUEUED, sa_type=SafeText, index=True)
    reason: str | None = Field(default=None, sa_type=SafeText)
    reached_limit: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    input_tokens: int = Field(default=0, sa_type=BigInteger)
    output_tokens: int = Field(default=0, sa_type=BigInteger)
    cache_write_tokens: int = Field(default=0, sa_type=BigInteger)
    cache_read_tokens: int = Field(default=0, sa_type=BigInteger)
    cost_usd: float = 0.0
    error: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    cancel_requested: bool = False
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    started_at: datetime | None = Field(default=None, sa_type=UtcTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcTime)
    last_seq: int = Field(default=0, sa_type=BigInteger)
    epoch: int = 0
    owner: str | None = Field(default=None, sa_type=SafeText, index=True)
    question: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    answered: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    approvals: JsonValue = Field(default_factory=list, sa_type=JSON_VALUE, nullable=True)
    crashes: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    crash_marker: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    cause: str = Field(default="cut_off", sa_type=SafeText, sa_column_kwargs={"server_default": "cut_off"})
    discarded: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    task: str | None = Field(default=None, sa_type=SafeText)
    idle: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class WorkerLeaseRow(TableModel, table=True):
    """The lease of a worker: it counts as alive until `lease_until`."""

    __tablename__ = "worker_leases"

    id: str = Field(primary_key=True, sa_type=SafeText)
    lease_until: datetime = Field(sa_type=UtcTime)


class IdempotencyKey(TableModel, table=True):
    """The key of a request that started a run, and that run."""

    __tablename__ = "idempotency_keys"

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    key: str = Field(primary_key=True, sa_type=SafeText)
    digest: str = Field(sa_type=SafeText)
    run_id: str = Field(foreign_key="runs.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    created_at: datetime = Field(sa_type=UtcTime)


class RunEvent(TableModel, table=True):
    """An event exactly as it is sent. `run_id` may name a deleted run: the log has no gaps.

    On PostgreSQL the table is partitioned by root run, and so by time; see `sprout.store.schema.partitions`.
    """

    __tablename__ = "run_events"
    __table_args__ = {"postgresql_partition_by": "RANGE (root_id)"}  # noqa: RUF012 - SQLModel wants a dict

    root_id: str = Field(foreign_key="runs.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    seq: int = Field(primary_key=True, sa_type=BigInteger)
    run_id: str = Field(sa_type=SafeText)
    kind: str = Field(sa_type=Text)
    data: str = Field(sa_type=Text)


class ToolCall(TableModel, table=True):
    """The envelope of a tool call: open, and closed with its result once `completed_at` is set.

    `position` counts the calls of a run in the order in which they began, `text_before` is the model's text before it.
    """

    __tablename__ = "tool_calls"
    __table_args__ = (
        one_of("effect", ("read", "write")),
        CheckConstraint("(completed_at is null) = (result is null)", name="completed_has_its_result"),
    )

    run_id: str = Field(foreign_key="runs.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    call_id: str = Field(primary_key=True, sa_type=SafeText)
    name: str = Field(sa_type=SafeText)
    input: str = Field(sa_type=SafeText)
    effect: str = Field(sa_type=SafeText)
    started_at: datetime = Field(sa_type=UtcTime)
    completed_at: datetime | None = Field(default=None, sa_type=UtcTime)
    result: str | None = Field(default=None, sa_type=SafeText)
    is_error: bool = False
    attempts: int = 0
    position: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    iteration: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    text_before: str = Field(default="[]", sa_type=SafeText, sa_column_kwargs={"server_default": "[]"})
    repeatable: bool = Field(default=True, sa_column_kwargs={"server_default": true()})


class CheckpointRow(TableModel, table=True):
    """A checkpoint of a run; `position` counts 1, 2, 3 … per run."""

    __tablename__ = "checkpoints"
    __table_args__ = (one_of("kind", get_args(CheckpointKind)),)

    run_id: str = Field(foreign_key="runs.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    position: int = Field(primary_key=True)
    kind: str = Field(sa_type=SafeText)
    iteration: int
    messages: str = Field(sa_type=SafeText)
    created_at: datetime = Field(sa_type=UtcTime)
    elapsed_s: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    stop_reason: str | None = Field(default=None, sa_type=SafeText)
    state: str | None = Field(default=None, sa_type=SafeText)
    digest: str | None = Field(default=None, sa_type=SafeText)
    version: int = Field(default=1, sa_column_kwargs={"server_default": "1"})


class GraphOperation(OrderedModel, table=True):
    """A change of a graph as it can be shown and undone: who, why, and the rows that differ before and after.

    `evidence` is a list of ids; `removed_rows` is what an undo restores beside the graph; `undoes` is the change that
    this one took back, if any. `parent_id` may name a removed node, which can be restored before its parts.
    """

    __tablename__ = "graph_operations"

    branch_id: str | None = Field(
        default=None, foreign_key="branches.id", ondelete="CASCADE", index=True, sa_type=SafeText
    )
    parent_id: str = Field(index=True, sa_type=SafeText)
    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    agent: str | None = Field(default=None, sa_type=SafeText)
    run_id: str | None = Field(default=None, sa_type=SafeText)
    call_id: str | None = Field(default=None, sa_type=SafeText)
    reason: str | None = Field(default=None, sa_type=SafeText)
    before: JsonValue = Field(sa_type=JSON_VALUE, nullable=False)
    after: JsonValue = Field(sa_type=JSON_VALUE, nullable=False)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    undone_at: datetime | None = Field(default=None, sa_type=UtcTime)
    evidence: JsonValue = Field(
        default_factory=list, sa_type=JSON_VALUE, nullable=False, sa_column_kwargs={"server_default": "[]"}
    )
    removed_rows: JsonValue = Field(
        default_factory=dict, sa_type=JSON_VALUE, nullable=False, sa_column_kwargs={"server_default": "{}"}
    )
    undoes: str | None = Field(default=None, unique=True, sa_type=SafeText)
