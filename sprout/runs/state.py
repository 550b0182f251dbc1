"""A run, its states, and the moves between them that are allowed."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Literal

from sprout.errors import Conflict
from sprout.events import Caps, Usage


class RunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING_ON_HUMAN = "waiting_on_human"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"


ENDED: dict[RunState, Literal["completed", "failed", "cancelled", "timed_out"]] = {
    RunState.COMPLETED: "completed",
    RunState.FAILED: "failed",
    RunState.CANCELLED: "cancelled",
    RunState.TIMED_OUT: "timed_out",
}
NEXT: dict[RunState, frozenset[RunState]] = {
    RunState.QUEUED: frozenset({RunState.RUNNING, RunState.CANCELLED, RunState.FAILED, RunState.TIMED_OUT}),
    RunState.RUNNING: frozenset({*ENDED, RunState.WAITING_ON_HUMAN}),
    RunState.WAITING_ON_HUMAN: frozenset({*ENDED, RunState.RUNNING}),
    **{state: frozenset[RunState]() for state in ENDED},
}


class RunAlreadyEnded(Conflict):
    def __init__(self, run_id: str, state: RunState) -> None:
        super().__init__(f"run {run_id} has already ended: {state}")
        self.run_id = run_id
        self.state = state


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run failed: `message` is for a person and says what to do."""

    code: str
    message: str
    retryable: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of one agent for one trigger.

    `agent` names the agent, `label` is its name on the wire (with the concept's title for a child), `root_id` is
    the run whose event log holds this run's events (itself for a root), `last_seq` the last number in that log.
    """

    id: str
    root_id: str
    parent_id: str | None
    user_id: str
    agent: str
    label: str
    lane: str
    node_id: str
    branch_id: str | None
    small: bool
    model: str
    offline: bool
    caps: Caps
    created_at: datetime
    state: RunState = RunState.QUEUED
    reason: str | None = None
    usage: Usage = Usage()
    error: RunError | None = None
    cancel_requested: bool = False
    started_at: datetime | None = None
    ended_at: datetime | None = None
    last_seq: int = 0

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    def moved_to(self, state: RunState) -> "Run":
        """This run in its next state. Raises RunAlreadyEnded."""
        if state not in NEXT[self.state]:
            raise RunAlreadyEnded(self.id, self.state)
        return replace(self, state=state)
