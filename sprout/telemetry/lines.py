"""The lines that the log has of a run: one for each decision, under the names of loop.md."""

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
from sprout.telemetry.story import ModelCall, Story

log = logging.getLogger(__name__)

DEEPER_RUNGS = frozenset({"deep_prune"})
NAME_OF_END = {RunState.COMPLETED: "agent_run.completed", RunState.CANCELLED: "agent_run.cancelled"}
Fields = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class Line:
    """An entry of the log before it is one."""

    name: str
    level: int = logging.INFO
    fields: Fields = field(default_factory=dict)


class LogLines:
    """Writes what happens to runs into the log, each line with its run, agent and lane."""

    def __init__(self) -> None:
        self._levels: dict[str, int] = {}

    def saw(self, story: Story, event: Event) -> None:
        run = story.run
        whose = {"run": run.id, "root": run.root_id, "agent": run.agent, "lane": run.lane}
        for line in self._lines(story, event):
            log.log(line.level, line.name, extra={**whose, "model_calls": story.model_calls, **line.fields})

    def called(self, story: Story, call: ModelCall) -> None:
        """Nothing: a call that matters is followed by an event that says what came of it."""

    def left(self, story: Story) -> None:
        self._levels.pop(story.run.id, None)

    def _lines(self, story: Story, event: Event) -> Iterator[Line]:
        match event:
            case Guardrail():
                yield from self._guardrail(story.run.id, event)
            case AgentDone() | AgentError() if story.over:
                yield from _end(story.run)
            case _:
                line = _line(story, event)
                if line is not None:
                    yield line

    def _guardrail(self, run_id: str, event: Guardrail) -> Iterator[Line]:
        fields: Fields = {"escalation": event.level, "tool": event.tool}
        if event.level == 0:
            yield Line("agent.guardrail.noticed", logging.INFO, fields)
            return
        yield Line("agent.loop.detected", logging.WARNING, fields)
        if event.level > self._levels.get(run_id, 0):
            self._levels[run_id] = event.level
            yield Line("agent.guardrail.escalated", logging.WARNING, fields)


def _line(story: Story, event: Event) -> Line | None:
    match event:
        case RunQueued(position=position):
            return Line("agent_run.queued", fields={"position": position})
        case RunStarted(model=model, offline=offline):
            return Line("agent_run.started", fields={"model": model, "offline": offline})
        case RunResumed(attempt=attempt, cause=cause):
            return Line("agent_run.resumed", fields={"attempt": attempt, "cause": cause})
        case WaitingOnHuman():
            return Line("agent_run.waiting_on_human")
        case ModelRetry(attempt=attempt, of=of, delay_ms=delay_ms):
            retry: Fields = {"kind": story.failure, "attempt": attempt, "of": of, "delay_ms": delay_ms}
            return Line("agent.model.retry", logging.WARNING, retry)
        case ModelSwitched(from_model=old, to_model=new):
            return Line("agent.model.switched", logging.WARNING, {"from_model": old, "to_model": new})
        case ToolFinished(attempts=attempts) if attempts > 1:
            tool: Fields = {"tool": event.tool, "attempts": attempts, "ok": event.ok, "duration_ms": event.duration_ms}
            return Line("agent.tool.retry", fields=tool)
        case ContextCompacted(rung=rung):
            name = "agent.recovery.fired" if rung in DEEPER_RUNGS else "agent.compaction.run"
            sizes = {"tokens_before": event.tokens_before, "tokens_after": event.tokens_after}
            return Line(name, fields={"rung": rung, **sizes})
    return None


def _end(run: Run) -> Iterator[Line]:
    reason = run.reason or ""
    if reason == "soft_limit":
        yield Line("agent.exhaustion.soft_limit", logging.WARNING)
    took = run.ended_at - run.started_at if run.ended_at is not None and run.started_at is not None else None
    figures: Fields = {
        "state": run.state.value,
        "reason": reason,
        "duration_s": None if took is None else round(took.total_seconds(), 3),
        **run.usage.model_dump(by_alias=False),
    }
    level = logging.INFO if run.state in NAME_OF_END else logging.WARNING
    yield Line(NAME_OF_END.get(run.state, "agent_run.failed"), level, figures)
