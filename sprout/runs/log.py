"""The Protocol of the one truth: runs and their lanes, their event log, their checkpoints and tool calls."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from sprout.errors import BadInput, Conflict
from sprout.events import Event, Usage
from sprout.loop.permissions import Approval
from sprout.runs.question import RunQuestion
from sprout.runs.state import Run, RunError, RunState

CHECKPOINT_VERSION = 1

CheckpointKind = Literal["input", "llm_response", "tool_result", "compaction", "journal_update", "human_pause", "final"]


@dataclass(frozen=True, slots=True)
class Logged:
    """A stored event as it goes over the wire: `seq` counts 1, 2, 3 … per root run, `data` is one line of JSON."""

    root_id: str
    seq: int
    kind: str
    data: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is kept at a boundary of the loop.

    Args:
        messages: a JSON list of the messages added since the last one.
        elapsed_s: how long the run had worked by then, in seconds, all its carriers together.
        stop_reason: with which the model's reply ended.
        state: what the run is after, in words (`input`); as JSON the context's view (`compaction`), the run's journal
            (`journal_update`), or the closing event (`final`).
        digest: over system prompt, tools and model, where the run began (`input`).
        version: of this form; another one is not read.
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
        iteration: of the reply that it belongs to.
        said: the text of that reply before this call and after the one before it, as JSON messages.
        safe: whether it may simply be begun again: it reads, or its effect is stored together with its end.
    """

    call_id: str
    tool: str
    input: str
    effect: Literal["read", "write"]
    iteration: int = 0
    said: str = "[]"
    safe: bool = True


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A tool call that has ended; `result` is what the model is told."""

    call_id: str
    result: str
    is_error: bool
    attempts: int


@dataclass(frozen=True, slots=True)
class CallCleared:
    """A call of which a person says that it has not happened: it may be begun again, once."""

    call_id: str


@dataclass(frozen=True, slots=True)
class LogEnd:
    """How far the log of a root run goes, and whose it is."""

    root_id: str
    user_id: str
    last_seq: int
    unfinished: bool = False


Entry = Event | Checkpoint | CallBegun | CallEnded | CallCleared


@dataclass(frozen=True, slots=True)
class CallKept:
    """The envelope of a call; `ended` is None where the run was cut off before its end."""

    begun: CallBegun
    ended: CallEnded | None


@dataclass(frozen=True, slots=True)
class Record:
    """All that is kept of a run's work: checkpoints and envelopes in their order, and what it has spent by itself.

    `told` are the ids of the calls whose end is in the event log.
    """

    checkpoints: tuple[Checkpoint, ...]
    calls: tuple[CallKept, ...]
    usage: Usage
    told: frozenset[str]


class OnBusy(StrEnum):
    """What becomes of a new run whose lane has one already (R3)."""

    ATTACH = "attach"
    ENQUEUE = "enqueue"
    REJECT = "reject"
    INTERRUPT = "interrupt"


@dataclass(frozen=True, slots=True)
class Key:
    """A caller's idempotency key, with a digest of the request that it came with (R5)."""

    key: str
    digest: str


@dataclass(frozen=True, slots=True)
class Claim:
    """Who carries runs, and for how many seconds unless the lease is renewed: one lease for all that it carries.

    Args:
        alone: nobody else can be carrying runs, so that whoever else has a lease is dead (the embedded form, where a
            lock file sees to it).
        resume: whether runs that were cut off are taken up again without being asked for (K4).
    """

    owner: str
    lease_s: float
    alone: bool = False
    resume: bool = True


@dataclass(frozen=True, slots=True)
class Admission:
    """What became of a run that was to be admitted; `run` is the one that serves the caller."""

    run: Run
    verdict: Literal["new", "attached", "replayed"]


class LaneBusy(Conflict):
    """The lane has a run already, and the caller wanted none then."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"Run {run_id} is going here already: wait for its end, join it, or stop it.")
        self.run_id = run_id


class KeyReused(BadInput):
    """An idempotency key came again with another request."""

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was used for another request: send a new one.", field="Idempotency-Key")


class RunStore(Protocol):
    """Keeps runs. Every write is one transaction; events get gap-free numbers under their root run in it.

    A run's carrier writes under the epoch of its claim: `append`, `pause` and `settle` raise Fenced where somebody has
    claimed the run since, and RunAlreadyEnded where it has ended; then nothing was written.
    """

    async def admit(
        self,
        run: Run,
        *,
        on_busy: OnBusy = OnBusy.ATTACH,
        key: Key | None = None,
        claim: Claim | None = None,
        under: Run | None = None,
    ) -> Admission:
        """Take in a run at the end of its lane; with a claim and a free lane it is running at once, its opening stored.

        `under` is a child's parent as its carrier has it: who has lost the parent takes in nothing more under it. A
        child that its parent has in that lane already is not taken in twice. Raises NotFound (the node is gone, or not
        the user's), RunAlreadyEnded (a child of a root or of a parent that has ended), Fenced, LaneBusy, KeyReused.
        """
        ...

    async def enrol(self, claim: Claim) -> None:
        """Begin to carry runs."""
        ...

    async def renew(self, claim: Claim) -> Sequence[str]:
        """Prolong the lease; the ids of the owner's runs that shall stop."""
        ...

    async def release(self, claim: Claim) -> None:
        """Carry runs no more: whoever comes next takes them up, and no crash is counted."""
        ...

    async def abandon(self, run: Run, *, crashed: bool) -> None:
        """Let go of a run that its carrier could not bring to an end, for whoever finds it.

        Args:
            crashed: whether that counts as a crash: not so where the database was away for a while.
        """
        ...

    async def rest(self, run: Run, *, resting: bool) -> None:
        """Keep whether a run only waits, for a place or for others: being cut off then is no crash of it (P10).

        A suspect that is claimed waits for its turn first.
        """
        ...

    async def stale_lanes(self, claim: Claim) -> Sequence[str]:
        """Lanes in which there is something to claim."""
        ...

    async def claim(self, lane: str, claim: Claim) -> Run | None:
        """Take what is to go on in a lane: a run that nobody carries any more, one that has its answer, or else the
        first that waits. None where there is nothing to take. The opening event is stored with it.

        What was to stop, and what was cut off three times at one place, is brought to its end on the way."""
        ...

    async def append(self, run: Run, entries: Sequence[Entry]) -> None:
        """Write entries of a running run in order; its events are stamped with agent, run and time, then published."""
        ...

    async def pause(self, run: Run, question: RunQuestion, entries: Sequence[Entry]) -> Run:
        """running → waiting_on_human, with the last entries and the question's event; nobody carries it then.

        A run that was asked to stop meanwhile is cancelled instead."""
        ...

    async def answer(self, run: Run, entries: Sequence[Entry], approvals: Sequence[Approval]) -> Run:
        """Store what a person's answer means, and have the run taken up again. Raises Conflict: it is answered."""
        ...

    async def settle(
        self, run: Run, state: RunState, *, reason: str, usage: Usage, error: RunError | None, entries: Sequence[Entry]
    ) -> Run:
        """Write the last entries and the final state together; the lane's next run is woken.

        A root that ends takes along what has not ended under it."""
        ...

    async def cancel(self, run_id: str, *, reason: str = "cancelled") -> None:
        """Ask a run and all under it to stop; what nobody carries ends at once. Raises NotFound."""
        ...

    async def offer(self, run: Run) -> Run:
        """Have a run that was cut off taken up again, since a person wants it. Raises Conflict: it is not cut off."""
        ...

    async def discard(self, run: Run) -> Run:
        """Mark a run that has ended as one that nobody wants to hear of. Raises Conflict: it has not ended."""
        ...

    async def trim(self, before: datetime) -> int:
        """Forget the course of some root runs that ended before this moment, but for their last word; of how many."""
        ...

    async def record(self, run_id: str) -> Record: ...

    async def run(self, run_id: str, *, user_id: str | None = None) -> Run:
        """Raises NotFound; also, where a user is given, for somebody else's run."""
        ...

    async def runs(
        self,
        *,
        user_id: str,
        branch_id: str | None = None,
        agent: str | None = None,
        with_talk: bool = True,
        states: Sequence[RunState] = (),
        before: str | None = None,
        roots_only: bool = True,
        limit: int = 50,
    ) -> list[Run]:
        """Newest first, with turns of talk or without; `before` names a run of the user and leaves out all that are
        not older than it."""
        ...

    async def latest(self, user_id: str) -> list[Run]:
        """Of each branch the newest root run and those that have not ended, newest first; without turns of talk."""
        ...

    async def open_roots(self, user_id: str) -> list[Run]:
        """The learner's root runs that have not ended, oldest first."""
        ...

    async def log_ends(self, root_ids: Collection[str], user_ids: Collection[str]) -> list[LogEnd]:
        """How far the logs of these root runs go, and of every unfinished root run of these learners."""
        ...

    async def unfinished(self) -> list[Run]:
        """Every run that has not ended, oldest first."""
        ...

    async def open_children(self, run_id: str) -> Sequence[str]:
        """The ids of the runs directly under this one that have not ended."""
        ...

    async def spent_by_children(self, run_id: str) -> Usage:
        """What the runs directly under this one have spent, with all under them."""
        ...

    async def events(self, root_id: str, *, after: int = 0, limit: int = 500) -> list[Logged]: ...
