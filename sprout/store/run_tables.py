"""The tables of what runs do: runs, their event log, tool calls, checkpoints, and the changes that they made."""

from datetime import datetime
from typing import get_args

from pydantic import JsonValue
from sqlalchemy import BigInteger, CheckConstraint, Index, Text, false, true
from sqlmodel import Field

from sprout.clock import utc_now
from sprout.runs.log import CheckpointKind
from sprout.runs.state import ENDED, RunState
from sprout.store.columns import JSON_VALUE, Listed, Row, UtcTime, Words, one_of, unique_where

UNFINISHED = tuple(sorted(state.value for state in RunState if state not in ENDED))

_ENDED = ", ".join(f"'{state}'" for state in sorted(ENDED))
_HOLDS_THE_LANE = f"state in ('{RunState.RUNNING}', '{RunState.WAITING_ON_HUMAN}')"


class Run(Listed, table=True):
    """A run; `last_seq` counts the events under a root.

    `owner` names its carrier, None where nobody has it or it was let go of in good order; `epoch` counts the carriers;
    `resting` while it only waits, so that a crash of its carrier is none of its own.
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
    )

    root_id: str = Field(foreign_key="runs.id", ondelete="CASCADE", index=True, sa_type=Words)
    parent_id: str | None = Field(default=None, foreign_key="runs.id", ondelete="CASCADE", index=True, sa_type=Words)
    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=Words)
    agent: str = Field(sa_type=Words)
    label: str = Field(sa_type=Words)
    lane: str = Field(sa_type=Words)
    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=Words)
    branch_id: str | None = Field(
        default=None, foreign_key="branches.id", ondelete="CASCADE", index=True, sa_type=Words
    )
    small: bool
    model: str = Field(sa_type=Words)
    offline: bool
    caps: JsonValue = Field(sa_type=JSON_VALUE, nullable=False)
    state: str = Field(default=RunState.QUEUED, sa_type=Words, index=True)
    reason: str | None = Field(default=None, sa_type=Words)
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
    owner: str | None = Field(default=None, sa_type=Words, index=True)
    question: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    answered: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    approvals: JsonValue = Field(default_factory=list, sa_type=JSON_VALUE, nullable=True)
    crashes: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    crashed_at: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    cause: str = Field(default="cut_off", sa_type=Words, sa_column_kwargs={"server_default": "cut_off"})
    discarded: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    task: str | None = Field(default=None, sa_type=Words)
    resting: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class Carrier(Row, table=True):
    """Somebody who carries runs, and until when he is taken to be alive unless he says so again."""

    __tablename__ = "carriers"

    id: str = Field(primary_key=True, sa_type=Words)
    lease_until: datetime = Field(sa_type=UtcTime)


class IdempotencyKey(Row, table=True):
    """A key that came with a request to start a run, and the run that it got."""

    __tablename__ = "idempotency_keys"

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True, sa_type=Words)
    key: str = Field(primary_key=True, sa_type=Words)
    digest: str = Field(sa_type=Words)
    run_id: str = Field(foreign_key="runs.id", ondelete="CASCADE", index=True, sa_type=Words)
    created_at: datetime = Field(sa_type=UtcTime)


class RunEvent(Row, table=True):
    """An event exactly as it is sent. `run_id` may name a run that has been deleted: the log has no gaps."""

    __tablename__ = "run_events"

    root_id: str = Field(foreign_key="runs.id", ondelete="CASCADE", primary_key=True, sa_type=Words)
    seq: int = Field(primary_key=True, sa_type=BigInteger)
    run_id: str = Field(sa_type=Words)
    kind: str = Field(sa_type=Text)
    data: str = Field(sa_type=Text)


class ToolCall(Row, table=True):
    """The envelope of a tool call: begun, and, once `completed_at` is set, ended with what the model was told.

    `position` counts the calls of a run in the order in which they began, `said` is what the model had said before.
    """

    __tablename__ = "tool_calls"
    __table_args__ = (
        one_of("effect", ("read", "write")),
        CheckConstraint("(completed_at is null) = (result is null)", name="completed_has_its_result"),
    )

    run_id: str = Field(foreign_key="runs.id", ondelete="CASCADE", primary_key=True, sa_type=Words)
    call_id: str = Field(primary_key=True, sa_type=Words)
    name: str = Field(sa_type=Words)
    input: str = Field(sa_type=Words)
    effect: str = Field(sa_type=Words)
    started_at: datetime = Field(sa_type=UtcTime)
    completed_at: datetime | None = Field(default=None, sa_type=UtcTime)
    result: str | None = Field(default=None, sa_type=Words)
    is_error: bool = False
    attempts: int = 0
    position: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    iteration: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    said: str = Field(default="[]", sa_type=Words, sa_column_kwargs={"server_default": "[]"})
    safe: bool = Field(default=True, sa_column_kwargs={"server_default": true()})


class Checkpoint(Row, table=True):
    """What is kept at a boundary of the loop; `position` counts 1, 2, 3 … per run."""

    __tablename__ = "checkpoints"
    __table_args__ = (one_of("kind", get_args(CheckpointKind)),)

    run_id: str = Field(foreign_key="runs.id", ondelete="CASCADE", primary_key=True, sa_type=Words)
    position: int = Field(primary_key=True)
    kind: str = Field(sa_type=Words)
    iteration: int
    messages: str = Field(sa_type=Words)
    created_at: datetime = Field(sa_type=UtcTime)
    elapsed_s: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    stop_reason: str | None = Field(default=None, sa_type=Words)
    state: str | None = Field(default=None, sa_type=Words)
    digest: str | None = Field(default=None, sa_type=Words)
    version: int = Field(default=1, sa_column_kwargs={"server_default": "1"})


class GraphOperation(Listed, table=True):
    """A change of a graph as it can be shown and undone: who, why, and the rows that differ before and after.

    `evidence` is a list of ids; `lost` is what else of the removed rows an undo puts back; `undoes` is the change that
    this one took back, if it did. `parent_id` may name a node that is gone: its return can be followed by that of its
    parts.
    """

    __tablename__ = "graph_operations"

    branch_id: str | None = Field(
        default=None, foreign_key="branches.id", ondelete="CASCADE", index=True, sa_type=Words
    )
    parent_id: str = Field(index=True, sa_type=Words)
    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=Words)
    agent: str | None = Field(default=None, sa_type=Words)
    run_id: str | None = Field(default=None, sa_type=Words)
    call_id: str | None = Field(default=None, sa_type=Words)
    reason: str | None = Field(default=None, sa_type=Words)
    before: JsonValue = Field(sa_type=JSON_VALUE, nullable=False)
    after: JsonValue = Field(sa_type=JSON_VALUE, nullable=False)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    undone_at: datetime | None = Field(default=None, sa_type=UtcTime)
    evidence: JsonValue = Field(
        default_factory=list, sa_type=JSON_VALUE, nullable=False, sa_column_kwargs={"server_default": "[]"}
    )
    lost: JsonValue = Field(
        default_factory=dict, sa_type=JSON_VALUE, nullable=False, sa_column_kwargs={"server_default": "{}"}
    )
    undoes: str | None = Field(default=None, unique=True, sa_type=Words)
