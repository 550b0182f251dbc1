"""What is counted of runs, models and tools, for Prometheus."""

from collections import Counter as Tally
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from sprout.events import (
    AgentDone,
    AgentError,
    ContextCompacted,
    Event,
    Guardrail,
    ModelRetry,
    ModelSwitched,
    ToolFinished,
    Usage,
    UsageReported,
)
from sprout.telemetry.story import ModelCall, Story

RUN_BUCKETS_S = (1, 5, 15, 30, 60, 120, 300, 600, 900, 1_200)
CALL_BUCKETS_S = (0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320)
FIRST_PART_BUCKETS_S = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)
TOOL_BUCKETS_S = (0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 90)
SHARE_BUCKETS = (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)


class Gate(Protocol):
    """What admits model calls: how many at once, how many go on, how many wait."""

    @property
    def width(self) -> int: ...

    @property
    def going(self) -> int: ...

    @property
    def waiting(self) -> int: ...


class Metrics(Collector):
    """Counts what it sees, in a registry of its own; figures are of this process.

    Labels hold names of agents, models, tools, rungs and codes only: all are few, and none is anybody's text.
    """

    def __init__(self) -> None:
        # Else each series comes with a second one that nobody reads.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = registry = CollectorRegistry()
        self._gate: Gate | None = None
        self._going: dict[str, Story] = {}
        ProcessCollector(registry=registry)
        registry.register(self)

        def counted(name: str, says: str, *labels: str) -> Counter:
            return Counter(f"sprout_{name}", says, labels, registry=registry)

        def measured(name: str, says: str, *labels: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(f"sprout_{name}", says, labels, buckets=buckets, registry=registry)

        self._ended = counted("runs_ended", "Runs that ended.", "agent", "state", "reason")
        self._run_time = measured("run_duration_seconds", "Start to end of runs.", "agent", buckets=RUN_BUCKETS_S)
        self._calls = counted("model_calls", "Model calls by what came of them.", "model", "outcome")
        self._call_time = measured(
            "model_call_duration_seconds", "Model calls from request to last part.", "model", buckets=CALL_BUCKETS_S
        )
        self._first_part = measured(
            "model_first_part_seconds", "Model calls, request to first part.", "model", buckets=FIRST_PART_BUCKETS_S
        )
        self._retries = counted("model_retries", "Model calls tried again, by what had failed.", "kind")
        self._switches = counted("model_switches", "Runs that another model took over.", "from_model", "to_model")
        self._tokens = counted("tokens", "Tokens that were paid for.", "model", "kind")
        self._cost = counted("cost_usd", "What they cost, in US dollars.", "model")
        self._eligible = counted("cache_eligible_tokens", "Prompt tokens, each of which a cache might hold.", "model")
        self._cache_share = measured(
            "cache_read_share", "Prompt tokens read from the cache / all, per call.", "model", buckets=SHARE_BUCKETS
        )
        self._tools = counted("tool_calls", "Tool calls; refused ones never ran.", "tool", "outcome")
        self._tool_time = measured("tool_call_duration_seconds", "Tool calls.", "tool", buckets=TOOL_BUCKETS_S)
        self._tool_retries = counted("tool_retries", "Attempts of tool calls beyond the first.", "tool")
        self._compactions = counted("compactions", "Compactions of a context.", "rung")
        self._freed = counted("compaction_freed_tokens", "Tokens that compactions took out of contexts.", "rung")
        self._guardrails = counted("guardrails", "Times that the loop stepped in.", "level")
        self._streams = Gauge("sprout_open_streams", "Event streams that are being read.", registry=registry)

    def watch_gate(self, gate: Gate) -> None:
        """Show the figures of this gate from now on; they are asked for when metrics are."""
        self._gate = gate

    @contextmanager
    def stream(self) -> Iterator[None]:
        """Count an event stream as open for as long as this is."""
        with self._streams.track_inprogress():
            yield

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """All figures in the format that an Accept header asks for, and its content type."""
        encode, content_type = choose_encoder(accept)
        return encode(self._registry), content_type

    def collect(self) -> Iterator[Metric]:
        """What is not counted but is so now: runs by state, and the gate."""
        runs = GaugeMetricFamily("sprout_runs", "Runs that have not ended.", labels=("agent", "state"))
        for (agent, state), count in Tally((one.run.agent, one.state) for one in self._going.values()).items():
            runs.add_metric((agent, state), count)
        yield runs
        if self._gate is not None:
            yield GaugeMetricFamily("sprout_gate_width", "Model calls that may go on at once.", self._gate.width)
            yield GaugeMetricFamily("sprout_gate_going", "Model calls that go on.", self._gate.going)
            yield GaugeMetricFamily("sprout_gate_waiting", "Model calls that wait for a place.", self._gate.waiting)

    def saw(self, story: Story, event: Event) -> None:
        self._going[story.run.id] = story
        match event:
            case AgentDone() | AgentError() if story.over:
                self._note_end(story)
            case UsageReported(usage=usage):
                self._note_usage(story.model, usage)
            case ModelRetry():
                self._retries.labels(story.failure).inc()
            case ModelSwitched(from_model=old, to_model=new):
                self._switches.labels(old, new).inc()
            case ToolFinished():
                self._note_tool(event)
            case ContextCompacted(rung=rung):
                self._compactions.labels(rung).inc()
                self._freed.labels(rung).inc(max(0, event.tokens_before - event.tokens_after))
            case Guardrail(level=level):
                self._guardrails.labels(str(level)).inc()

    def called(self, story: Story, call: ModelCall) -> None:
        self._calls.labels(call.model, call.outcome).inc()
        self._call_time.labels(call.model).observe(call.duration_s)
        if call.first_part_s is not None:
            self._first_part.labels(call.model).observe(call.first_part_s)

    def left(self, story: Story) -> None:
        self._going.pop(story.run.id, None)

    def _note_end(self, story: Story) -> None:
        run = story.run
        self._ended.labels(run.agent, run.state.value, run.reason or "").inc()
        # Of a run that an earlier process left behind, the time would count how long none was there.
        if story.from_start and run.started_at is not None and run.ended_at is not None:
            self._run_time.labels(run.agent).observe((run.ended_at - run.started_at).total_seconds())

    def _note_usage(self, model: str, usage: Usage) -> None:
        prompt = usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
        kinds = {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cache_write": usage.cache_write_tokens,
            "cache_read": usage.cache_read_tokens,
        }
        for kind, tokens in kinds.items():
            self._tokens.labels(model, kind).inc(tokens)
        self._cost.labels(model).inc(usage.cost_usd)
        self._eligible.labels(model).inc(prompt)
        if prompt:
            self._cache_share.labels(model).observe(usage.cache_read_tokens / prompt)

    def _note_tool(self, event: ToolFinished) -> None:
        if not event.attempts:
            self._tools.labels(event.tool, "refused").inc()
            return
        self._tools.labels(event.tool, "ok" if event.ok else "error").inc()
        self._tool_time.labels(event.tool).observe(event.duration_ms / 1000)
        if event.attempts > 1:
            self._tool_retries.labels(event.tool).inc(event.attempts - 1)
