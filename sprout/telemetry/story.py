"""What is remembered of a run while it goes, and who wants to hear of it."""

from dataclasses import dataclass
from typing import Protocol

from sprout.events import (
    AgentDone,
    AgentError,
    AgentStart,
    Event,
    ModelSwitched,
    RunQueued,
    RunResumed,
    RunStarted,
    Usage,
    UsageReported,
    WaitingOnHuman,
)
from sprout.runs.state import Run, RunState

ANSWERED, STOPPED, CUT, BROKE = "answered", "stopped", "cut", "internal"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A model call that is over.

    Args:
        outcome: answered, stopped (nobody wanted the rest), cut, internal (a bug), or the kind of the model's failure.
        stop_reason: why the reply ended, where it is whole.
        began_ns: Unix time.
        first_part_s: from the beginning to the first part of a block; None where none came.
    """

    model: str
    max_tokens: int
    outcome: str
    stop_reason: str | None
    usage: Usage
    began_ns: int
    duration_s: float
    first_part_s: float | None

    @property
    def failed(self) -> bool:
        return self.outcome not in (ANSWERED, STOPPED)


@dataclass(slots=True)
class Story:
    """A run so far: what its events said that later ones are understood by.

    Args:
        run: as it came with the last event.
        model: who answers now.
        model_calls: how many calls have reported their usage.
        failure: what became of the last model call that failed.
        from_start: whether its beginning was seen; not so where an earlier process left it behind.
        over: whether the last event was the run's own last word.
    """

    run: Run
    state: RunState
    model: str
    model_calls: int = 0
    failure: str = "unknown"
    from_start: bool = False
    over: bool = False

    @classmethod
    def of(cls, run: Run) -> "Story":
        return cls(run, run.state, run.model)

    def take(self, run: Run, event: Event) -> None:
        """Remember what an event says."""
        self.run = run
        match event:
            case RunQueued():
                self.state = RunState.QUEUED
            case RunStarted():
                self.state = RunState.RUNNING
                self.from_start = True
            case AgentStart() | RunResumed():
                self.state = RunState.RUNNING
            case WaitingOnHuman():
                self.state = RunState.WAITING_ON_HUMAN
            case ModelSwitched(to_model=model):
                self.model = model
            case UsageReported():
                self.model_calls += 1
            case AgentDone() | AgentError() if run.ended:
                self.state = run.state
                self.over = True


class Watcher(Protocol):
    """Somebody who wants to hear of runs; what it raises is logged and stays without effect on the run."""

    def saw(self, story: Story, event: Event) -> None:
        """An event has happened, and the story knows it."""
        ...

    def called(self, story: Story, call: ModelCall) -> None:
        """A model call is over; whether it is tried again, events will tell."""
        ...

    def left(self, story: Story) -> None:
        """Nothing more will come of this run: after its last word, or after that of its root."""
        ...
