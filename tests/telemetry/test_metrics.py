"""Metrics, as Prometheus reads them."""

from dataclasses import dataclass

import pytest
from prometheus_client.parser import text_string_to_metric_families

from sprout.events import (
    AgentStart,
    ContextCompacted,
    Guardrail,
    ModelRetry,
    ModelSwitched,
    RunQueued,
    ToolFinished,
    Usage,
    UsageReported,
    WaitingOnHuman,
)
from sprout.offline.faults.scenarios import Fault
from sprout.offline.script import Reply, TextOut
from sprout.runs.run_store import WaitingRuns
from sprout.runs.state import RunState
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.observer import RunObserver
from tests.telemetry.observed_runs import a_child_of, begin, end, model_calls, started_run

MODEL = "sprout-offline"


@pytest.fixture
def observer() -> RunObserver:
    return RunObserver(Metrics())


def figure(observer: RunObserver, name: str, **labels: str) -> float | None:
    """The value of one series; None where there is none."""
    text = observer.metrics.exposition()[0].decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return sample.value
    return None


def finished(tool: str, *, ok: bool = True, attempts: int = 1) -> ToolFinished:
    return ToolFinished(call_id="c", tool=tool, summary="", ok=ok, duration_ms=20, attempts=attempts)


def test_87_cache_hit_is_tokens_read_of_tokens_eligible(observer: RunObserver) -> None:
    run = started_run()
    begin(observer, run)
    observer.observe(run, UsageReported(usage=Usage(input_tokens=900, cache_write_tokens=50, cache_read_tokens=50)))
    read = figure(observer, "sprout_tokens_total", model=MODEL, kind="cache_read")
    eligible = figure(observer, "sprout_cache_eligible_tokens_total", model=MODEL)
    assert read is not None
    assert eligible is not None
    assert read / eligible == 0.05
    assert figure(observer, "sprout_cache_read_share_bucket", model=MODEL, le="0.0") == 0
    assert figure(observer, "sprout_cache_read_share_bucket", model=MODEL, le="0.05") == 1


def test_a_call_without_a_prompt_says_nothing_about_the_cache(observer: RunObserver) -> None:
    run = started_run()
    begin(observer, run)
    observer.observe(run, UsageReported(usage=Usage()))
    assert figure(observer, "sprout_cache_read_share_count", model=MODEL) is None


def test_runs_are_shown_by_state_while_they_go_and_counted_when_they_end(observer: RunObserver) -> None:
    going, asks = started_run(), started_run()
    observer.observe(going, RunQueued(position=0))
    assert figure(observer, "sprout_runs", agent="topic", state="queued") == 1
    begin(observer, going)
    begin(observer, asks)
    observer.observe(asks, WaitingOnHuman(question="Go on?", choices=None, why="Context."))
    assert figure(observer, "sprout_runs", agent="topic", state="running") == 1
    assert figure(observer, "sprout_runs", agent="topic", state="waiting_on_human") == 1
    observer.observe(asks, AgentStart())
    assert figure(observer, "sprout_runs", agent="topic", state="running") == 2
    end(observer, going)
    end(observer, asks, RunState.FAILED, "overloaded")
    assert figure(observer, "sprout_runs", agent="topic", state="running") is None
    assert figure(observer, "sprout_runs_ended_total", agent="topic", state="completed", reason="end_turn") == 1
    assert figure(observer, "sprout_runs_ended_total", agent="topic", state="failed", reason="overloaded") == 1
    assert figure(observer, "sprout_run_duration_seconds_sum", agent="topic") == 4


def test_a_run_that_an_earlier_process_left_is_counted_without_a_duration(observer: RunObserver) -> None:
    end(observer, started_run(), RunState.FAILED, "cut_off")
    assert figure(observer, "sprout_runs_ended_total", agent="topic", state="failed", reason="cut_off") == 1
    assert figure(observer, "sprout_run_duration_seconds_count", agent="topic") is None


def test_children_that_end_with_their_root_do_not_stay_on_show(observer: RunObserver) -> None:
    root = started_run()
    begin(observer, root)
    begin(observer, a_child_of(root))
    end(observer, root)
    assert figure(observer, "sprout_runs", agent="subconcept", state="running") is None


async def test_model_calls_are_counted_by_what_came_of_them(observer: RunObserver) -> None:
    run = started_run()
    begin(observer, run)
    faults = [Fault("overloaded"), Fault("rate_limited"), Fault("cut"), Fault("bad_key")]
    await model_calls(observer, run, [Reply([TextOut("Well.")]), *faults])
    for outcome in ("answered", "overloaded", "rate_limited", "cut", "bad_key"):
        assert figure(observer, "sprout_model_calls_total", model=MODEL, outcome=outcome) == 1, outcome
    assert figure(observer, "sprout_model_call_duration_seconds_count", model=MODEL) == 5


async def test_a_call_that_nobody_reads_to_its_end_was_stopped(observer: RunObserver) -> None:
    await model_calls(observer, started_run(), [Reply([TextOut("word " * 100)])], parts_read=2)
    assert figure(observer, "sprout_model_calls_total", model=MODEL, outcome="stopped") == 1
    assert figure(observer, "sprout_model_first_part_seconds_count", model=MODEL) == 1


async def test_a_retry_is_counted_by_the_failure_that_it_is_for(observer: RunObserver) -> None:
    run = started_run()
    begin(observer, run)
    await model_calls(observer, run, [Fault("overloaded")])
    observer.observe(run, ModelRetry(attempt=1, of=10, delay_ms=500, why="It is busy."))
    assert figure(observer, "sprout_model_retries_total", kind="overloaded") == 1


def test_after_a_switch_tokens_are_the_other_models(observer: RunObserver) -> None:
    run = started_run()
    begin(observer, run)
    observer.observe(run, UsageReported(usage=Usage(output_tokens=3, cost_usd=0.25)))
    observer.observe(run, ModelSwitched(from_model=MODEL, to_model="smaller", why="It is busy."))
    observer.observe(run, UsageReported(usage=Usage(output_tokens=5, cost_usd=0.5)))
    assert figure(observer, "sprout_tokens_total", model=MODEL, kind="output") == 3
    assert figure(observer, "sprout_tokens_total", model="smaller", kind="output") == 5
    assert figure(observer, "sprout_cost_usd_total", model="smaller") == 0.5
    assert figure(observer, "sprout_model_switches_total", from_model=MODEL, to_model="smaller") == 1


async def test_tools_are_counted_by_outcome_and_unknown_names_share_one_series(observer: RunObserver) -> None:
    run = started_run()
    begin(observer, run)
    await model_calls(observer, run, [Reply([TextOut("Well.")])], tools=["save"])
    observer.observe(run, finished("save", attempts=3))
    observer.observe(run, finished("save", ok=False))
    observer.observe(run, finished("save", ok=False, attempts=0))
    for number in range(50):
        observer.observe(run, finished(f"my secret is {number}", ok=False, attempts=0))
    assert figure(observer, "sprout_tool_calls_total", tool="save", outcome="ok") == 1
    assert figure(observer, "sprout_tool_calls_total", tool="save", outcome="error") == 1
    assert figure(observer, "sprout_tool_calls_total", tool="save", outcome="refused") == 1
    assert figure(observer, "sprout_tool_calls_total", tool="unknown", outcome="refused") == 50
    assert figure(observer, "sprout_tool_retries_total", tool="save") == 2
    assert "secret" not in observer.metrics.exposition()[0].decode()


def test_compactions_and_guardrails_are_counted(observer: RunObserver) -> None:
    run = started_run()
    begin(observer, run)
    observer.observe(run, ContextCompacted(rung="clear", tokens_before=1_000, tokens_after=400))
    observer.observe(run, Guardrail(level=2, tool="save", noticed="The same call again."))
    assert figure(observer, "sprout_compactions_total", rung="clear") == 1
    assert figure(observer, "sprout_compaction_freed_tokens_total", rung="clear") == 600
    assert figure(observer, "sprout_guardrails_total", level="2") == 1


def test_open_streams_are_counted_until_they_are_left(observer: RunObserver) -> None:
    with observer.metrics.track_stream(), observer.metrics.track_stream():
        assert figure(observer, "sprout_open_streams") == 2
    with pytest.raises(RuntimeError), observer.metrics.track_stream():
        raise RuntimeError
    assert figure(observer, "sprout_open_streams") == 0


@dataclass
class Figures:
    width: int = 3
    active: int = 3
    waiting: int = 5


def test_the_gate_is_shown_as_it_is_when_metrics_are_asked_for(observer: RunObserver) -> None:
    gate = Figures()
    observer.metrics.watch_gate(gate)
    assert figure(observer, "sprout_gate_waiting") == 5
    gate.width, gate.waiting = 7, 1
    assert figure(observer, "sprout_gate_width") == 7
    assert figure(observer, "sprout_gate_active") == 3
    assert figure(observer, "sprout_gate_waiting") == 1


def test_two_apps_in_one_process_count_apart() -> None:
    one, other = RunObserver(Metrics()), RunObserver(Metrics())
    end(one, started_run())
    assert figure(one, "sprout_runs_ended_total", agent="topic", state="completed", reason="end_turn") == 1
    assert figure(other, "sprout_runs_ended_total", agent="topic", state="completed", reason="end_turn") is None


def test_the_format_is_the_one_that_is_asked_for(observer: RunObserver) -> None:
    _, plain = observer.metrics.exposition("*/*")
    body, newer = observer.metrics.exposition("application/openmetrics-text; version=1.0.0")
    assert plain.startswith("text/plain; version=0.0.4")
    assert newer.startswith("application/openmetrics-text")
    assert body.endswith(b"# EOF\n")
    assert b"_created" not in body


def test_X7_waiting_runs_are_shown_and_left_out_while_they_are_not_known(observer: RunObserver) -> None:
    shown = observer.metrics.exposition("", WaitingRuns(3, 12.5))[0].decode()
    assert "\nsprout_waiting_runs 3.0\n" in shown
    assert "\nsprout_oldest_waiting_run_seconds 12.5\n" in shown
    assert "waiting_run" not in observer.metrics.exposition()[0].decode()
