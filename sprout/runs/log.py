"""The Protocol of the one truth: runs, their event log, their checkpoints and tool calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sprout.events import Event, Usage
from sprout.runs.state import Run, RunError, RunState


@dataclass(frozen=True, slots=True)
class Logged:
    """A stored event as it goes over the wire: `seq` counts 1, 2, 3 … per root run, `data` is one line of JSON."""

    root_id: str
    seq: int
    kind: str
    data: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is kept at a boundary of the loop; `messages` is a JSON list of the messages added since the last one."""

    kind: Literal["input", "llm_response", "tool_result", "final"]
    iteration: int
    messages: str


@dataclass(frozen=True, slots=True)
class CallBegun:
    """A tool call that is about to start; `input` is JSON."""

    call_id: str
    tool: str
    input: str
    effect: Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A tool call that has ended; `result` is what the model is told."""

    call_id: str
    result: str
    is_error: bool
    attempts: int


Entry = Event | Checkpoint | CallBegun | CallEnded


class RunStore(Protocol):
    """Keeps runs. Every write is one transaction; events get gap-free numbers under their root run in it."""

    async def admit(self, run: Run) -> Run:
        """Insert a queued run and return it; where its lane has one that has not ended, return that one instead."""
        ...

    async def start(self, run: Run, events: Sequence[Event]) -> Run:
        """queued → running, with the first events. Raises RunAlreadyEnded."""
        ...

    async def append(self, run: Run, entries: Sequence[Entry]) -> None:
        """Write entries of a running run in order; its events are stamped with agent, run and time, then published."""
        ...

    async def settle(
        self, run: Run, state: RunState, *, reason: str, usage: Usage, error: RunError | None, entries: Sequence[Entry]
    ) -> Run:
        """Write the last entries and the final state together. Raises RunAlreadyEnded: then nothing was written."""
        ...

    async def run(self, run_id: str, *, user_id: str | None = None) -> Run:
        """Raises NotFound; also, where a user is given, for somebody else's run."""
        ...

    async def runs(
        self, *, user_id: str, branch_id: str | None = None, roots_only: bool = True, limit: int = 50
    ) -> list[Run]:
        """Newest first."""
        ...

    async def latest(self, user_id: str) -> list[Run]:
        """Of each branch the newest root run and those that have not ended, newest first."""
        ...

    async def unfinished(self) -> list[Run]:
        """Every run that has not ended, oldest first: what a crash left behind."""
        ...

    async def request_cancel(self, run_id: str) -> None: ...

    async def events(self, root_id: str, *, after: int = 0, limit: int = 500) -> list[Logged]: ...
