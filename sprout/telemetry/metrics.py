"""Prometheus metrics of runs, models and tools."""

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
from sprout.runs.run_store import WaitingRuns
from sprout.telemetry.observed_run import ModelCall, ObservedRun

RUN_BUCKETS_S = (1, 5, 15, 30, 60, 120, 300, 600, 900, 1_200)
CALL_BUCKETS_S = (0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320)
FIRST_PART_BUCKETS_S = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)
TOOL_BUCKETS_S = (0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 90)
SHARE_BUCKETS = (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)


class GateFigures(Protocol):
    """The figures of a model gate: its limit, the calls in progress, the calls in the queue."""

    @property
    def width(self) -> int: ...

    @property
    def active(self) -> int: ...

    @property
    def waiting(self) -> int: ...


class Metrics(Collector):
    """Metrics of this process, in a registry of their own.

    Labels hold names of agents, models, tools, rungs and codes only: all are few, and none is anybody's text.
    """

    def __init__(self) -> None:
        # Otherwise each counter exposes a second series with its creation time.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = registry = CollectorRegistry()
        self._gate: GateFigures | None = None
        self._waiting: WaitingRuns | None = None
        self._active: dict[str, ObservedRun] = {}
        ProcessCollector(registry=registry)
        registry.register(self)

        def counted(name: str, says: str, *labels: str) -> Counter:
            return Counter(f"sprout_{name}", says, labels, registry=registry)

        def measured(name: str, says: str, *labels: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(f"sprout_{name}", says, labels, buckets=buckets, registry=registry)

        self._ended = counted("runs_ended", "Runs that ended.", "agent", "state", "reason")
        self._run_time = measured("run_duration_seconds", "Start to end of runs.", "agent", buckets=RUN_BUCKETS_S)
        self._calls = counted("model_calls", "Model calls by outcome.", "model", "outcome")
        self._call_time = measured(
            "model_call_duration_seconds", "Model calls from request to last part.", "model", buckets=CALL_BUCKETS_S
        )
        self._first_part = measured(
            "model_first_part_seconds", "Model calls, request to first part.", "model", buckets=FIRST_PART_BUCKETS_S
        )
        self._retries = counted("model_retries", "Retried model calls by kind of failure.", "kind")
        self._switches = counted("model_switches", "Switches of a run to another model.", "from_model", "to_model")
        self._tokens = counted("tokens", "Billed tokens.", "model", "kind")
        self._cost = counted("cost_usd", "Cost of model calls in US dollars.", "model")
        self._eligible = counted("cache_eligible_tokens", "Prompt tokens that a cache may hold.", "model")
        self._cache_share = measured(
            "cache_read_share", "Prompt tokens read from the cache / all, per call.", "model", buckets=SHARE_BUCKETS
        )
        self._tools = counted("tool_calls", "Tool calls; refused ones never ran.", "tool", "outcome")
        self._tool_time = measured("tool_call_duration_seconds", "Tool calls.", "tool", buckets=TOOL_BUCKETS_S)
        self._tool_retries = counted("tool_retries", "Attempts of tool calls beyond the first.", "tool")
        self._compactions = counted("compactions", "Compactions of a context.", "rung")
        self._freed = counted("compaction_freed_tokens", "Tokens removed by compactions.", "rung")
        self._guardrails = counted("guardrails", "Interventions of the loop detector.", "level")
        self._streams = Gauge("sprout_open_streams", "Open event streams.", registry=registry)

    def watch_gate(self, gate: GateFigures) -> None:
        """Expose the figures of this gate, read at each scrape."""
        self._gate = gate

    @contextmanager
    def track_stream(self) -> Iterator[None]:
        """Count an event stream as open while this is held."""
        with self._streams.track_inprogress():
            yield

    def exposition(self, accept: str = "", waiting: WaitingRuns | None = None) -> tuple[bytes, str]:
        """All metrics in the format that the Accept header asks for, and its content type.

        `waiting` is left out while the database does not respond.
        """
        encode, content_type = choose_encoder(accept)
        self._waiting = waiting
        return encode(self._registry), content_type

    def collect(self) -> Iterator[Metric]:
        """Gauges that are read at each scrape: runs by state, the gate, and runs that wait for a worker."""
        runs = GaugeMetricFamily("sprout_runs", "Runs that have not ended.", labels=("agent", "state"))
        for (agent, state), count in Tally((one.run.agent, one.state) for one in self._active.values()).items():
            runs.add_metric((agent, state), count)
        yield runs
        if self._gate is not None:
            yield GaugeMetricFamily("sprout_gate_width", "Limit of concurrent model calls.", self._gate.width)
            yield GaugeMetricFamily("sprout_gate_active", "Model calls in progress.", self._gate.active)
            yield GaugeMetricFamily("sprout_gate_waiting", "Model calls in the queue.", self._gate.waiting)
        if self._waiting is not None:
            yield GaugeMetricFamily(
                "sprout_waiting_runs", "Runs of all processes that wait for a worker.", self._waiting.count
            )
            yield GaugeMetricFamily(
                "sprout_oldest_waiting_run_seconds", "Age of the oldest run in the queue.", self._waiting.oldest_s
            )

    def on_event(self, observed: ObservedRun, event: Event) -> None:
        self._active[observed.run.id] = observed
        match event:
            case AgentDone() | AgentError() if observed.ended:
                self._count_end(observed)
            case UsageReported(usage=usage):
                self._count_usage(observed.model, usage)
            case ModelRetry():
                self._retries.labels(observed.failure).inc()
            case ModelSwitched(from_model=old, to_model=new):
                self._switches.labels(old, new).inc()
            case ToolFinished():
                self._count_tool(event)
            case ContextCompacted(rung=rung):
                self._compactions.labels(rung).inc()
                self._freed.labels(rung).inc(max(0, event.tokens_before - event.tokens_after))
            case Guardrail(level=level):
                self._guardrails.labels(str(level)).inc()

    def on_model_call(self, observed: ObservedRun, call: ModelCall) -> None:
        self._calls.labels(call.model, call.outcome).inc()
        self._call_time.labels(call.model).observe(call.duration_s)
        if call.first_part_s is not None:
            self._first_part.labels(call.model).observe(call.first_part_s)

    def on_release(self, observed: ObservedRun) -> None:
        self._active.pop(observed.run.id, None)

    def _count_end(self, observed: ObservedRun) -> None:
        run = observed.run
        self._ended.labels(run.agent, run.state.value, run.reason or "").inc()
        # The duration of a resumed run would include the time without a process.
        if observed.from_start and run.started_at is not None and run.ended_at is not None:
            self._run_time.labels(run.agent).observe((run.ended_at - run.started_at).total_seconds())

    def _count_usage(self, model: str, usage: Usage) -> None:
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

    def _count_tool(self, event: ToolFinished) -> None:
        if not event.attempts:
            self._tools.labels(event.tool, "refused").inc()
            return
        self._tools.labels(event.tool, "ok" if event.ok else "error").inc()
        self._tool_time.labels(event.tool).observe(event.duration_ms / 1000)
        if event.attempts > 1:
            self._tool_retries.labels(event.tool).inc(event.attempts - 1)
