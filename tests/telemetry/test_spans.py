"""Runs as spans."""

from collections.abc import Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from sprout.events import ContextCompacted, Guardrail, ModelRetry, ReasoningBlock, ToolCalled, ToolFinished
from sprout.offline.faults.scenarios import Fault
from sprout.offline.script import Reply, TextOut
from sprout.runs.state import RunState
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.observer import RunObserver
from sprout.telemetry.spans import RunSpans
from tests.telemetry.observed_runs import a_child_of, begin, end, model_calls, started_run

CANARY = "the mitochondrion told me a secret"


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def observer(exporter: InMemorySpanExporter) -> RunObserver:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return RunObserver(Metrics(), RunSpans(provider.get_tracer("tests")))


def named(exporter: InMemorySpanExporter, name: str) -> ReadableSpan:
    return next(span for span in exporter.get_finished_spans() if span.name == name)


def under(span: ReadableSpan, parent: ReadableSpan) -> bool:
    return span.parent is not None and parent.context is not None and span.parent.span_id == parent.context.span_id


def names(spans: Sequence[ReadableSpan]) -> list[str]:
    return [span.name for span in spans]


async def test_a_run_is_a_span_with_its_calls_in_it(observer: RunObserver, exporter: InMemorySpanExporter) -> None:
    run = started_run()
    begin(observer, run)
    usage = {"input_tokens": 10, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 20, "output_tokens": 4}
    await model_calls(observer, run, [Reply([TextOut("Well.")], usage=usage)], tools=["save"])
    observer.observe(run, ToolFinished(call_id="c1", tool="save", summary="", ok=True, duration_ms=40, attempts=2))
    end(observer, run)
    agent, chat, tool = (named(exporter, n) for n in ("invoke_agent topic", "chat sprout-offline", "execute_tool save"))
    assert len(exporter.get_finished_spans()) == 3
    assert under(chat, agent)
    assert under(tool, agent)
    assert agent.parent is None
    assert chat.kind is SpanKind.CLIENT
    assert chat.attributes is not None
    assert chat.attributes["gen_ai.usage.input_tokens"] == 60
    assert chat.attributes["gen_ai.usage.cache_read.input_tokens"] == 30
    assert chat.attributes["gen_ai.response.finish_reasons"] == ("end_turn",)
    assert chat.attributes["gen_ai.conversation.id"] == run.id
    assert tool.attributes is not None
    assert tool.attributes["gen_ai.operation.name"] == "execute_tool"
    assert tool.attributes["sprout.attempts"] == 2
    assert tool.start_time is not None
    assert tool.end_time is not None
    assert tool.end_time - tool.start_time == 40_000_000


def test_a_childs_span_is_under_its_parents(observer: RunObserver, exporter: InMemorySpanExporter) -> None:
    root = started_run()
    child = a_child_of(root)
    begin(observer, root)
    begin(observer, child)
    end(observer, child)
    end(observer, root)
    assert names(exporter.get_finished_spans()) == ["invoke_agent subconcept", "invoke_agent topic"]
    assert under(named(exporter, "invoke_agent subconcept"), named(exporter, "invoke_agent topic"))


async def test_failures_are_marked_with_their_kind(observer: RunObserver, exporter: InMemorySpanExporter) -> None:
    run = started_run()
    begin(observer, run)
    await model_calls(observer, run, [Fault("overloaded")])
    observer.observe(run, ModelRetry(attempt=1, of=10, delay_ms=500, why="It is busy."))
    observer.observe(run, ToolFinished(call_id="c", tool="x", summary="", ok=False, duration_ms=0, attempts=0))
    end(observer, run, RunState.FAILED, "overloaded")
    for name, kind in (
        ("chat sprout-offline", "overloaded"),
        ("execute_tool unknown", "refused"),
        ("invoke_agent topic", "overloaded"),
    ):
        span = named(exporter, name)
        assert span.status.status_code is StatusCode.ERROR
        assert (span.attributes or {})["error.type"] == kind
    (retry,) = named(exporter, "invoke_agent topic").events
    assert (retry.attributes or {})["error.type"] == "overloaded"


def test_a_child_that_ends_with_its_root_leaves_no_open_span(
    observer: RunObserver, exporter: InMemorySpanExporter
) -> None:
    root = started_run()
    begin(observer, root)
    begin(observer, a_child_of(root))
    end(observer, root)
    assert sorted(names(exporter.get_finished_spans())) == ["invoke_agent subconcept", "invoke_agent topic"]


async def test_no_text_of_a_learner_or_a_model_is_in_a_span(
    observer: RunObserver, exporter: InMemorySpanExporter
) -> None:
    run = started_run(label=CANARY)
    begin(observer, run)
    await model_calls(observer, run, [Reply([TextOut(CANARY)])])
    observer.observe(run, ReasoningBlock(block_id="b", text=CANARY))
    observer.observe(run, ToolCalled(call_id="c", tool=CANARY, input={"answer": CANARY}))
    observer.observe(run, ToolFinished(call_id="c", tool=CANARY, summary=CANARY, ok=True, duration_ms=1, attempts=0))
    observer.observe(run, Guardrail(level=1, tool=CANARY, noticed=CANARY))
    observer.observe(run, ModelRetry(attempt=1, of=2, delay_ms=1, why=CANARY))
    observer.observe(run, ContextCompacted(rung="clear", tokens_before=2, tokens_after=1))
    end(observer, run)
    spans = exporter.get_finished_spans()
    assert len(spans) == 3
    assert not any(CANARY in span.to_json() for span in spans)
