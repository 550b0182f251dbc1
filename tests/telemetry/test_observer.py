"""The observer itself: who hears what, and what a fault in one who hears it does."""

from sprout.events import AgentError, Event, MessageDelta, ReasoningBlock, UsageReported
from sprout.events import Usage as Used
from sprout.runs.state import RunState
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.observed_run import ModelCall, ObservedRun
from sprout.telemetry.observer import RunObserver
from tests.telemetry.observed_runs import a_child_of, begin, end, entries, started_run, written_log


class RecordingWatcher:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def on_event(self, observed: ObservedRun, event: Event) -> None:
        self.heard.append(event.kind)

    def on_model_call(self, observed: ObservedRun, call: ModelCall) -> None:
        self.heard.append(f"called {call.outcome}")

    def on_release(self, observed: ObservedRun) -> None:
        self.heard.append(f"left {observed.run.agent}")


class Broken:
    """Fails at everything."""

    def on_event(self, observed: ObservedRun, event: Event) -> None:
        raise RuntimeError("the question was: why is the sky blue?")

    def on_model_call(self, observed: ObservedRun, call: ModelCall) -> None:
        raise RuntimeError

    def on_release(self, observed: ObservedRun) -> None:
        raise RuntimeError


def test_a_watcher_that_breaks_ends_neither_the_run_nor_what_others_hear() -> None:
    hears = RecordingWatcher()
    observer = RunObserver(Metrics(), Broken(), hears)
    run = started_run()
    with written_log() as stream:
        begin(observer, run)
        end(observer, run)
    assert hears.heard == ["run_started", "agent_done", "left topic"]
    written = entries(stream)
    assert {(entry["event"], entry["watcher"], entry["error"]) for entry in written} == {
        ("telemetry.watcher_failed", "Broken", "RuntimeError")
    }
    assert "sky" not in stream.getvalue()


def test_text_that_is_still_growing_is_nobodys_business() -> None:
    hears = RecordingWatcher()
    observer = RunObserver(Metrics(), hears)
    run = started_run()
    observer.observe(run, MessageDelta(block_id="b", text="Wh"))
    observer.observe(run, ReasoningBlock(block_id="b", text="Why."))
    assert hears.heard == ["agent_reasoning"]


def test_an_error_before_the_end_is_not_the_end() -> None:
    hears = RecordingWatcher()
    observer = RunObserver(Metrics(), hears)
    run = started_run()
    begin(observer, run)
    observer.observe(run, AgentError(code="busy", message="It is busy.", retryable=True))
    observer.observe(run, UsageReported(usage=Used()))
    assert "left topic" not in hears.heard
    end(observer, run, RunState.FAILED, "busy")
    assert hears.heard[-1] == "left topic"


def test_a_root_takes_along_what_is_left_of_its_family_and_nobody_else() -> None:
    hears = RecordingWatcher()
    observer = RunObserver(Metrics(), hears)
    root, other = started_run(), started_run(agent="tutor")
    for run in (root, a_child_of(root), other):
        begin(observer, run)
    end(observer, root)
    assert hears.heard[-2:] == ["left topic", "left subconcept"]
    assert "left tutor" not in hears.heard
