"""Run: its data, its states and the allowed transitions."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from sprout.errors import Conflict
from sprout.events import Caps, ReachedLimit, ResumeCause, RunResumed, RunStarted, Usage
from sprout.loop.tool_calls.permissions import Approval
from sprout.runs.questions import RunQuestion

MAX_CRASHES = 3  # at one place


class RunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING_ON_HUMAN = "waiting_on_human"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"


TERMINAL_STATES: dict[RunState, Literal["completed", "failed", "cancelled", "timed_out"]] = {
    RunState.COMPLETED: "completed",
    RunState.FAILED: "failed",
    RunState.CANCELLED: "cancelled",
    RunState.TIMED_OUT: "timed_out",
}
UNFINISHED_STATES = tuple(state for state in RunState if state not in TERMINAL_STATES)
TRANSITIONS: dict[RunState, frozenset[RunState]] = {
    RunState.QUEUED: frozenset({RunState.RUNNING, RunState.CANCELLED, RunState.FAILED, RunState.TIMED_OUT}),
    RunState.RUNNING: frozenset({*TERMINAL_STATES, RunState.WAITING_ON_HUMAN}),
    RunState.WAITING_ON_HUMAN: frozenset({*TERMINAL_STATES, RunState.RUNNING}),
    **{state: frozenset[RunState]() for state in TERMINAL_STATES},
}


class RunAlreadyEnded(Conflict):
    code = "run_ended"

    def __init__(self, run_id: str, state: RunState) -> None:
        super().__init__(f"run {run_id} has already ended: {state}")
        self.run_id = run_id
        self.state = state


class Fenced(Conflict):
    """Another worker has claimed the run: stop at once, before the next side effect."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id} was claimed by another worker")
        self.run_id = run_id


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run failed: `message` is for a person and says what to do; `code` and `params` say the same to programs."""

    code: str
    message: str
    retryable: bool
    params: dict[str, str | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of one agent for one trigger.

    `agent` names the agent, `label` is its name on the wire (with the concept's title for a child), `root_id` is
    the run whose event log holds this run's events (itself for a root), `last_seq` the last number in that log.

    Args:
        position: number of runs before it in its lane; 0 once it has started.
        epoch: number of claims so far; a write under an older epoch is refused.
        cut_off: it is not finished, and no live worker has it.
        question: the question to a person while it waits; `answered` once the answer is stored.
        approvals: the calls that a person has allowed.
        crashes: crashes in a row at the same place.
        cause: why it is resumed next.
        discarded: whether a person has dismissed it.
        reached_limit: the limit that ended it, if one did.
        task: the request of the run that started this one, in words; None if the node says it all.
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
    reached_limit: ReachedLimit | None = None
    usage: Usage = Usage()
    error: RunError | None = None
    cancel_requested: bool = False
    started_at: datetime | None = None
    ended_at: datetime | None = None
    last_seq: int = 0
    position: int = 0
    epoch: int = 0
    owner: str | None = None
    cut_off: bool = False
    question: RunQuestion | None = None
    answered: bool = False
    approvals: tuple[Approval, ...] = ()
    crashes: int = 0
    cause: ResumeCause = "cut_off"
    discarded: bool = False
    task: str | None = None

    @property
    def ended(self) -> bool:
        return self.state in TERMINAL_STATES

    @property
    def is_root(self) -> bool:
        return self.parent_id is None

    @property
    def suspect(self) -> bool:
        """Whether it was executing at its last crash, without progress since."""
        return self.crashes > 0

    @property
    def last_chance(self) -> bool:
        """Whether one more crash at the same place ends it."""
        return self.crashes >= MAX_CRASHES - 1

    def opening_event(self) -> RunStarted | RunResumed:
        """The event that opens its current claim."""
        if self.epoch > 1:
            return RunResumed(attempt=self.epoch - 1, cause=self.cause)
        return RunStarted(lane=self.lane, model=self.model, caps=self.caps, offline=self.offline)
