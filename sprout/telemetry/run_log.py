"""Run log: one log entry for each decision in a run."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sprout.events import (
    AgentDone,
    AgentError,
    ContextCompacted,
    Event,
    Guardrail,
    ModelRetry,
    ModelSwitched,
    RunQueued,
    RunResumed,
    RunStarted,
    ToolFinished,
    WaitingOnHuman,
)
from sprout.runs.state import Run, RunState
from sprout.telemetry.observed_run import ModelCall, ObservedRun

log = logging.getLogger(__name__)

DEEPER_RUNGS = frozenset({"deep_prune"})
NAME_BY_STATE = {RunState.COMPLETED: "agent_run.completed", RunState.CANCELLED: "agent_run.cancelled"}
Fields = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A log entry to be written."""

    name: str
    level: int = logging.INFO
    fields: Fields = field(default_factory=dict)


class RunLogger:
    """Logs the events of runs, each entry with its run, agent and lane."""

    def __init__(self) -> None:
        self._levels: dict[str, int] = {}

    def on_event(self, observed: ObservedRun, event: Event) -> None:
        run = observed.run
        whose = {"run": run.id, "root": run.root_id, "agent": run.agent, "lane": run.lane}
        for line in self._entries(observed, event):
            log.log(line.level, line.name, extra={**whose, "model_calls": observed.model_calls, **line.fields})

    def on_model_call(self, observed: ObservedRun, call: ModelCall) -> None:
        """Nothing: a call that matters is followed by an event."""

    def on_release(self, observed: ObservedRun) -> None:
        self._levels.pop(observed.run.id, None)

    def _entries(self, observed: ObservedRun, event: Event) -> Iterator[LogEntry]:
        match event:
            case Guardrail():
                yield from self._guardrail_entries(observed.run.id, event)
            case AgentDone() | AgentError() if observed.ended:
                yield from _end_entries(observed.run)
            case _:
                line = _entry(observed, event)
                if line is not None:
                    yield line

    def _guardrail_entries(self, run_id: str, event: Guardrail) -> Iterator[LogEntry]:
        fields: Fields = {"escalation": event.level, "tool": event.tool}
        if event.level == 0:
            yield LogEntry("agent.guardrail.noticed", logging.INFO, fields)
            return
        yield LogEntry("agent.loop.detected", logging.WARNING, fields)
        if event.level > self._levels.get(run_id, 0):
            self._levels[run_id] = event.level
            yield LogEntry("agent.guardrail.escalated", logging.WARNING, fields)


def _entry(observed: ObservedRun, event: Event) -> LogEntry | None:
    match event:
        case RunQueued(position=position):
            return LogEntry("agent_run.queued", fields={"position": position})
        case RunStarted(model=model, offline=offline):
            return LogEntry("agent_run.started", fields={"model": model, "offline": offline})
        case RunResumed(attempt=attempt, cause=cause):
            return LogEntry("agent_run.resumed", fields={"attempt": attempt, "cause": cause})
        case WaitingOnHuman():
            return LogEntry("agent_run.waiting_on_human")
        case ModelRetry(attempt=attempt, of=of, delay_ms=delay_ms):
            retry: Fields = {"kind": observed.failure, "attempt": attempt, "of": of, "delay_ms": delay_ms}
            return LogEntry("agent.model.retry", logging.WARNING, retry)
        case ModelSwitched(from_model=old, to_model=new):
            return LogEntry("agent.model.switched", logging.WARNING, {"from_model": old, "to_model": new})
        case ToolFinished(attempts=attempts) if attempts > 1:
            tool: Fields = {"tool": event.tool, "attempts": attempts, "ok": event.ok, "duration_ms": event.duration_ms}
            return LogEntry("agent.tool.retry", fields=tool)
        case ContextCompacted(rung=rung):
            name = "agent.recovery.fired" if rung in DEEPER_RUNGS else "agent.compaction.run"
            sizes = {"tokens_before": event.tokens_before, "tokens_after": event.tokens_after}
            return LogEntry(name, fields={"rung": rung, **sizes})
    return None


def _end_entries(run: Run) -> Iterator[LogEntry]:
    reason = run.reason or ""
    if reason == "soft_limit":
        yield LogEntry("agent.exhaustion.soft_limit", logging.WARNING)
    took = run.ended_at - run.started_at if run.ended_at is not None and run.started_at is not None else None
    figures: Fields = {
        "state": run.state.value,
        "reason": reason,
        "duration_s": None if took is None else round(took.total_seconds(), 3),
        **run.usage.model_dump(by_alias=False),
    }
    level = logging.INFO if run.state in NAME_BY_STATE else logging.WARNING
    yield LogEntry(NAME_BY_STATE.get(run.state, "agent_run.failed"), level, figures)
