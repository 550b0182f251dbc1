"""Run store: the Protocol for runs, lanes, the event log, checkpoints and tool calls, with its data types."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from sprout.errors import BadInput, Conflict
from sprout.events import Event, ReachedLimit, Usage
from sprout.loop.tool_calls.permissions import Approval
from sprout.runs.questions import RunQuestion
from sprout.runs.state import Run, RunError, RunState

CHECKPOINT_VERSION = 1

CheckpointKind = Literal["input", "llm_response", "tool_result", "compaction", "journal_update", "human_pause", "final"]


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """A stored event as it goes over the wire.

    Args:
        seq: counts 1, 2, 3 … per root run.
        data: one line of JSON.
        run_id: the run that wrote it: the root run or one under it.
        block_id: the block that it ends, if it ends one.
    """

    root_id: str
    seq: int
    kind: str
    data: str
    run_id: str
    block_id: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a run at a boundary of the loop.

    Args:
        messages: a JSON list of the messages added since the last one.
        elapsed_s: seconds of execution so far, over all claims.
        stop_reason: of the model's reply.
        state: the objective as text (`input`); as JSON the turn's counters (`llm_response`, `tool_result`), the context
            view (`compaction`), the journal (`journal_update`), or the end of the turn (`human_pause`, `final`).
        digest: of system prompt, tools and model at the start of the run (`input`).
        version: of this format; other versions are not read.
    """

    kind: CheckpointKind
    iteration: int = 0
    messages: str = "[]"
    elapsed_s: float = 0.0
    stop_reason: str | None = None
    state: str | None = None
    digest: str | None = None
    version: int = CHECKPOINT_VERSION


@dataclass(frozen=True, slots=True)
class CallBegun:
    """A tool call that is about to start.

    Args:
        input: JSON.
        iteration: of the reply that contains it.
        text_before: the text of that reply between the previous call and this one, as JSON messages.
        repeatable: whether it may be repeated after a crash: it only reads, or its effect is stored with its end.
    """

    call_id: str
    tool: str
    input: str
    effect: Literal["read", "write"]
    iteration: int = 0
    text_before: str = "[]"
    repeatable: bool = True


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A tool call that has ended; `result` goes to the model."""

    call_id: str
    result: str
    is_error: bool
    attempts: int


@dataclass(frozen=True, slots=True)
class CallCleared:
    """A call that did not happen, as a person has confirmed: it may be repeated once."""

    call_id: str


@dataclass(frozen=True, slots=True)
class LogEnd:
    """The last number in the log of a root run, and its owner."""

    root_id: str
    user_id: str
    last_seq: int
    unfinished: bool = False


Entry = Event | Checkpoint | CallBegun | CallEnded | CallCleared


@dataclass(frozen=True, slots=True)
class StoredCall:
    """The envelope of a call; `ended` is None if the run was cut off before its end."""

    begun: CallBegun
    ended: CallEnded | None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The stored work of a run: checkpoints and envelopes in order, and its own usage without that of its children.

    `published_calls` are the ids of the calls whose end is in the event log.
    """

    checkpoints: tuple[Checkpoint, ...]
    calls: tuple[StoredCall, ...]
    usage: Usage
    published_calls: frozenset[str]

    @property
    def journal(self) -> str | None:
        """The agent's journal as JSON, if it has written one in this run."""
        return next((one.state for one in reversed(self.checkpoints) if one.kind == "journal_update"), None)


class OnBusy(StrEnum):
    """Policy for a new run whose lane has an unfinished one."""

    ATTACH = "attach"
    ENQUEUE = "enqueue"
    REJECT = "reject"
    INTERRUPT = "interrupt"


@dataclass(frozen=True, slots=True)
class RequestKey:
    """A caller's idempotency key, with a digest of the request."""

    key: str
    digest: str


@dataclass(frozen=True, slots=True)
class WorkerLease:
    """The lease of a worker: one for all of its runs, to be renewed within `lease_s`.

    Args:
        exclusive: no other worker can be alive, so that all other leases are stale (SQLite, with its lock file).
        auto_resume: whether runs that were cut off are resumed without a request.
    """

    owner: str
    lease_s: float
    exclusive: bool = False
    auto_resume: bool = True


@dataclass(frozen=True, slots=True)
class WaitingRuns:
    """How many runs wait for a worker, and for how long the oldest has been in the queue."""

    count: int
    oldest_s: float


@dataclass(frozen=True, slots=True)
class Admission:
    """The outcome of an admission; `run` is the one that serves the caller."""

    run: Run
    outcome: Literal["new", "attached", "replayed"]


class LaneBusy(Conflict):
    """The lane has an unfinished run, and the caller asked for a rejection."""

    code = "lane_busy"

    def __init__(self, run_id: str) -> None:
        super().__init__(f"Run {run_id} is already in progress here: wait for its end, follow it, or stop it.")
        self.run_id = run_id


class KeyReused(BadInput):
    """An idempotency key came again with another request."""

    code = "key_reused"

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was used for another request: send a new one.", field="Idempotency-Key")


class RunStore(Protocol):
    """Stores runs. Every write is one transaction, in which events get gap-free numbers under their root run.

    A worker writes under the epoch of its claim: `append`, `pause` and `settle` raise Fenced if the run was claimed
    again, and RunAlreadyEnded if it has ended; then nothing was written.
    """

    async def admit(
        self,
        run: Run,
        *,
        on_busy: OnBusy = OnBusy.ATTACH,
        key: RequestKey | None = None,
        lease: WorkerLease | None = None,
        parent: Run | None = None,
    ) -> Admission:
        """Add a run to the end of its lane; with a lease and a free lane it runs at once, its opening event stored.

        `parent` is the parent of a child run as claimed here: a fenced parent admits no children. A child that its
        parent already has in that lane is not admitted twice. Raises NotFound (the node is gone, or not the user's),
        RunAlreadyEnded (the root or the parent has ended), Fenced, LaneBusy, KeyReused.
        """
        ...

    async def acquire_lease(self, lease: WorkerLease) -> None:
        """Start to hold a lease."""
        ...

    async def renew_lease(self, lease: WorkerLease) -> Sequence[str]:
        """Renew the lease; the ids of the owner's runs that were cancelled."""
        ...

    async def release_lease(self, lease: WorkerLease) -> None:
        """Give up the lease: the next worker claims its runs, and no crash is counted."""
        ...

    async def release_run(self, run: Run, *, crashed: bool) -> None:
        """Release a run that its worker could not complete, for any worker to claim.

        Args:
            crashed: whether that counts as a crash of the run: not so if the database was unavailable.
        """
        ...

    async def set_idle(self, run: Run, *, idle: bool) -> None:
        """Store whether a run only waits, for a slot or for its children: a crash then does not count against it.

        A suspect is idle when it is claimed.
        """
        ...

    async def claimable_lanes(self, lease: WorkerLease) -> Sequence[str]:
        """Lanes with a run to claim."""
        ...

    async def waiting_runs(self) -> WaitingRuns:
        """Runs of all processes that wait for a worker."""
        ...

    async def claim(self, lane: str, lease: WorkerLease) -> Run | None:
        """Claim the next run of a lane: an orphaned one, one that was answered, or else the first in the queue.

        None if there is nothing to claim. The opening event is stored with the claim. Runs that were cancelled, and
        those that crashed three times at one place, are settled on the way."""
        ...

    async def append(self, run: Run, entries: Sequence[Entry]) -> None:
        """Write entries of a running run in order; its events are stamped with agent, run and time, then published."""
        ...

    async def pause(self, run: Run, question: RunQuestion, entries: Sequence[Entry]) -> Run:
        """running → waiting_on_human, with the last entries and the question's event; the claim ends.

        A run that was cancelled meanwhile ends instead."""
        ...

    async def answer(self, run: Run, entries: Sequence[Entry], approvals: Sequence[Approval]) -> Run:
        """Store the effect of a person's answer, and wake the lane. Raises Conflict: it was answered before."""
        ...

    async def settle(
        self,
        run: Run,
        state: RunState,
        *,
        reason: str,
        usage: Usage,
        error: RunError | None,
        entries: Sequence[Entry],
        reached_limit: ReachedLimit | None = None,
    ) -> Run:
        """Write the last entries and the final state together; the lane is woken for its next run.

        The end of a root ends all unfinished runs under it."""
        ...

    async def cancel(self, run_id: str, *, reason: str = "cancelled") -> None:
        """Cancel a run and all under it; unclaimed ones end at once. Raises NotFound."""
        ...

    async def request_resume(self, run: Run) -> Run:
        """Have a run resumed that was cut off, on a person's request. Raises Conflict: it was not cut off."""
        ...

    async def discard(self, run: Run) -> Run:
        """Mark a run that has ended as dismissed. Raises Conflict: it has not ended."""
        ...

    async def prune_events(self, before: datetime) -> int:
        """Delete the events, but for the last, of some root runs that ended before this moment; the number of runs."""
        ...

    async def record(self, run_id: str) -> RunRecord: ...

    async def journal_before(self, run: Run) -> str | None:
        """The newest journal, as JSON, that an earlier run of the agent on the run's node has left."""
        ...

    async def run(self, run_id: str, *, user_id: str | None = None) -> Run:
        """Raises NotFound; with a user, also for another user's run."""
        ...

    async def runs(
        self,
        *,
        user_id: str,
        branch_id: str | None = None,
        agent: str | None = None,
        include_conversations: bool = True,
        states: Sequence[RunState] = (),
        before: str | None = None,
        roots_only: bool = True,
        limit: int = 50,
    ) -> list[Run]:
        """Newest first, with or without conversations, checks of their questions and variants for reviews.

        Args:
            before: a run of the user: only older ones are listed.
        """
        ...

    async def run_of_key(self, key: str, *, user_id: str) -> Run | None:
        """The run that the first of the user's keys that begin like this belongs to."""
        ...

    async def latest(self, user_id: str) -> list[Run]:
        """The newest root run of each branch and all unfinished ones, newest first; without conversations and checks of
        their questions."""
        ...

    async def unfinished_roots(self, user_id: str) -> list[Run]:
        """The learner's root runs that have not ended, oldest first."""
        ...

    async def log_ends(self, root_ids: Collection[str], user_ids: Collection[str]) -> list[LogEnd]:
        """The ends of the logs of these root runs, and of every unfinished root run of these learners."""
        ...

    async def unfinished_children(self, run_id: str) -> Sequence[str]:
        """The ids of the runs directly under this one that have not ended."""
        ...

    async def child_usage(self, run_id: str) -> Usage:
        """The usage of the runs directly under this one, with all under them."""
        ...

    async def events(self, root_id: str, *, after: int = 0, limit: int = 500) -> list[StoredEvent]: ...
