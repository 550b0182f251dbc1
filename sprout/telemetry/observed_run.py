"""Observed run: the state that watchers share while a run is active, and the Protocol of watchers."""

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

ANSWERED, STOPPED, CUT, INTERNAL = "answered", "stopped", "cut", "internal"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A completed model call.

    Args:
        outcome: answered, stopped (the rest was not wanted), cut, internal (a bug), or the kind of the model's failure.
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
class ObservedRun:
    """The state of a run, from its events so far.

    Args:
        run: as it came with the last event.
        model: the model in use.
        model_calls: how many calls have reported their usage.
        failure: how the last model call that failed went wrong.
        from_start: whether its beginning was seen; not so where an earlier process left it behind.
        ended: whether the last event was the run's own closing event.
    """

    run: Run
    state: RunState
    model: str
    model_calls: int = 0
    failure: str = "unknown"
    from_start: bool = False
    ended: bool = False

    @classmethod
    def from_run(cls, run: Run) -> "ObservedRun":
        return cls(run, run.state, run.model)

    def apply(self, run: Run, event: Event) -> None:
        """Update the state by an event."""
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
                self.ended = True


class Watcher(Protocol):
    """Receives the events of runs; its exceptions are logged and do not affect the run."""

    def on_event(self, observed: ObservedRun, event: Event) -> None:
        """Handle an event; `observed` includes it."""
        ...

    def on_model_call(self, observed: ObservedRun, call: ModelCall) -> None:
        """Handle a completed model call; an event follows if it is retried."""
        ...

    def on_release(self, observed: ObservedRun) -> None:
        """Forget the run: it, or its root, has ended."""
        ...
