"""The lines of a run, under the names of loop.md."""

from collections.abc import Callable
from typing import Any

import pytest

from sprout.events import (
    AgentError,
    ContextCompacted,
    Event,
    Guardrail,
    MessageBlock,
    ModelRetry,
    ModelSwitched,
    NodeCreated,
    QuestionReady,
    QuestionShown,
    ReasoningBlock,
    RunQueued,
    ThinkingBlock,
    ToolCalled,
    ToolFinished,
    WaitingOnHuman,
)
from sprout.runs.state import Run, RunState
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.observer import RunObserver
from sprout.telemetry.run_log import RunLogger
from tests.telemetry.observed_runs import NODE, begin, end, entries, started_run, written_log

CANARY = "the mitochondrion told me a secret"
WHOSE = {"run", "root", "agent", "lane", "model_calls", "timestamp", "logger"}


def lines_of(*events: Event, then: Callable[[RunObserver, Run], None] | None = None) -> list[dict[str, Any]]:
    """The lines that events of one run make, without what every line has."""
    observer, run = RunObserver(Metrics(), RunLogger()), started_run()
    with written_log() as stream:
        for event in events:
            observer.observe(run, event)
        if then is not None:
            then(observer, run)
    written = entries(stream)
    assert all(entry["run"] == run.id and entry["lane"] == run.lane and entry["agent"] == "topic" for entry in written)
    return [{name: value for name, value in entry.items() if name not in WHOSE} for entry in written]


def test_a_run_begins_and_ends_with_a_line() -> None:
    def story(observer: RunObserver, run: Run) -> None:
        begin(observer, run)
        end(observer, run)

    started, completed = lines_of(then=story)
    assert started == {"event": "agent_run.started", "level": "info", "model": "sprout-offline", "offline": True}
    assert completed["event"] == "agent_run.completed"
    assert completed["reason"] == "end_turn"
    assert completed["duration_s"] == 2.0
    assert completed["output_tokens"] == 0
    assert completed["cost_usd"] == 0.0


@pytest.mark.parametrize(
    ("state", "reason", "names", "level"),
    [
        (RunState.CANCELLED, "cancelled", ["agent_run.cancelled"], "info"),
        (RunState.FAILED, "bad_key", ["agent_run.failed"], "warning"),
        (RunState.TIMED_OUT, "hard_limit", ["agent_run.failed"], "warning"),
        (RunState.COMPLETED, "soft_limit", ["agent.exhaustion.soft_limit", "agent_run.completed"], "info"),
    ],
)
def test_each_way_to_end_has_its_name(state: RunState, reason: str, names: list[str], level: str) -> None:
    written = lines_of(then=lambda observer, run: end(observer, run, state, reason))
    assert [line["event"] for line in written] == names
    assert written[-1]["state"] == state.value
    assert written[-1]["level"] == level


def test_thrash_is_told_each_time_and_the_ladder_only_when_it_rises() -> None:
    levels = [1, 1, 2, 1, 3]
    written = lines_of(*(Guardrail(level=level, tool=None, noticed="Again.") for level in levels))
    escalations = [(line["event"], line["escalation"]) for line in written]
    assert [escalation for event, escalation in escalations if event == "agent.loop.detected"] == levels
    assert [escalation for event, escalation in escalations if event == "agent.guardrail.escalated"] == [1, 2, 3]


def test_the_ladder_of_one_run_is_not_that_of_another() -> None:
    observer = RunObserver(Metrics(), RunLogger())
    with written_log() as stream:
        for _ in range(2):
            observer.observe(started_run(), Guardrail(level=1, tool=None, noticed="Again."))
    assert [entry["event"] for entry in entries(stream)].count("agent.guardrail.escalated") == 2


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (RunQueued(position=2), {"event": "agent_run.queued", "level": "info", "position": 2}),
        (
            Guardrail(level=0, tool=None, noticed="sav is not a tool"),
            {"event": "agent.guardrail.noticed", "level": "info", "escalation": 0},
        ),
        (
            ContextCompacted(rung="summary", tokens_before=9, tokens_after=4),
            {
                "event": "agent.compaction.run",
                "level": "info",
                "rung": "summary",
                "tokens_before": 9,
                "tokens_after": 4,
            },
        ),
        (
            ContextCompacted(rung="deep_prune", tokens_before=9, tokens_after=4),
            {
                "event": "agent.recovery.fired",
                "level": "info",
                "rung": "deep_prune",
                "tokens_before": 9,
                "tokens_after": 4,
            },
        ),
        (
            ModelRetry(attempt=1, of=10, delay_ms=500, why=CANARY),
            {
                "event": "agent.model.retry",
                "level": "warning",
                "kind": "unknown",
                "attempt": 1,
                "of": 10,
                "delay_ms": 500,
            },
        ),
        (
            ModelSwitched(from_model="big", to_model="small", why=CANARY),
            {"event": "agent.model.switched", "level": "warning", "from_model": "big", "to_model": "small"},
        ),
        (
            WaitingOnHuman(question=CANARY, choices=[CANARY], why=CANARY),
            {"event": "agent_run.waiting_on_human", "level": "info"},
        ),
        (
            ToolFinished(call_id="c", tool="save", summary=CANARY, ok=False, duration_ms=7, attempts=3),
            {
                "event": "agent.tool.retry",
                "level": "info",
                "tool": "unknown",
                "attempts": 3,
                "ok": False,
                "duration_ms": 7,
            },
        ),
    ],
)
def test_86_a_decision_is_one_line_with_its_figures(event: Event, line: dict[str, object]) -> None:
    assert lines_of(event) == [line]


@pytest.mark.parametrize(
    "event",
    [
        ReasoningBlock(block_id="b", text=CANARY),
        ThinkingBlock(block_id="b", text=CANARY),
        MessageBlock(block_id="b", text=CANARY),
        ToolCalled(call_id="c", tool=CANARY, input={"answer": CANARY}),
        ToolFinished(call_id="c", tool=CANARY, summary=CANARY, ok=True, duration_ms=7, attempts=1),
        NodeCreated(node=NODE.model_copy(update={"title": CANARY}), reason=CANARY),
        QuestionReady(
            concept_node_id="n",
            question=QuestionShown(
                id="q", assessment_id="a", node_id=None, format="mcq", prompt=CANARY, options=[CANARY], difficulty=1
            ),
        ),
        AgentError(code="refused", message=CANARY, retryable=True),
    ],
)
def test_what_only_carries_text_makes_no_line(event: Event) -> None:
    assert lines_of(event) == []


def test_D18_no_line_holds_what_somebody_wrote() -> None:
    observer, run = RunObserver(Metrics(), RunLogger()), started_run(label=f"subconcept_bootstrap:{CANARY}")
    with written_log(level="DEBUG") as stream:
        begin(observer, run)
        for attempts in (0, 1, 2):
            finished = ToolFinished(
                call_id=CANARY, tool=CANARY, summary=CANARY, ok=False, duration_ms=7, attempts=attempts
            )
            observer.observe(run, finished)
        for level in (0, 1, 2):
            observer.observe(run, Guardrail(level=level, tool=CANARY, noticed=CANARY))
        observer.observe(run, ModelRetry(attempt=1, of=10, delay_ms=500, why=CANARY))
        observer.observe(run, WaitingOnHuman(question=CANARY, choices=None, why=CANARY))
        end(observer, run, RunState.FAILED, "refused")
    assert len(entries(stream)) == 10
    assert CANARY not in stream.getvalue()
