"""OpenTelemetry spans of runs, by the semantic conventions for generative AI; without any text."""

import time
from collections.abc import Mapping

from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from sprout.events import (
    AgentDone,
    AgentError,
    ContextCompacted,
    Event,
    Guardrail,
    ModelRetry,
    ModelSwitched,
    RunResumed,
    RunStarted,
    ToolFinished,
)
from sprout.runs.state import Run, RunState
from sprout.telemetry.observed_run import ModelCall, ObservedRun

NS = 1_000_000_000
FAILED = frozenset({RunState.FAILED, RunState.TIMED_OUT})
ATTRIBUTE_MAX_CHARS = 64  # of values that the provider sends
Attributes = Mapping[str, str | int | float | bool | list[str]]


class RunSpans:
    """One span for each run, under that of its parent; in it one for each model call and each tool call.

    Calls become spans when they are over, with the times that they had: nothing has to be carried along.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._open: dict[str, Span] = {}

    def on_event(self, observed: ObservedRun, event: Event) -> None:
        run = observed.run
        if isinstance(event, (RunStarted, RunResumed)) and run.id not in self._open:
            self._open[run.id] = self._start_span(run)
        span = self._open.get(run.id)
        if span is None:
            return
        match event:
            case ToolFinished():
                self._record_tool(span, event)
            case ModelRetry(attempt=attempt, delay_ms=delay_ms):
                span.add_event(
                    "model_retry", {"error.type": observed.failure, "attempt": attempt, "delay_ms": delay_ms}
                )
            case ModelSwitched(from_model=old, to_model=new):
                span.add_event("model_switched", {"from_model": old, "to_model": new})
            case ContextCompacted(rung=rung, tokens_before=before, tokens_after=after):
                span.add_event("context_compacted", {"rung": rung, "tokens_before": before, "tokens_after": after})
            case Guardrail(level=level, tool=tool):
                span.add_event("guardrail", {"level": level, "gen_ai.tool.name": tool or ""})
            case AgentDone() | AgentError() if observed.ended:
                self._set_outcome(span, run)

    def on_model_call(self, observed: ObservedRun, call: ModelCall) -> None:
        span = self._open.get(observed.run.id)
        if span is None:
            return
        usage = call.usage
        attributes = {
            **_common_attributes("chat", observed.run),
            "gen_ai.request.model": call.model,
            "gen_ai.request.max_tokens": call.max_tokens,
            "gen_ai.request.stream": True,
            # By the conventions, the input holds what went through the cache.
            "gen_ai.usage.input_tokens": usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
            "gen_ai.usage.cache_write.input_tokens": usage.cache_write_tokens,
        }
        if call.stop_reason is not None:
            attributes["gen_ai.response.finish_reasons"] = [call.stop_reason[:ATTRIBUTE_MAX_CHARS]]
        if call.first_part_s is not None:
            attributes["gen_ai.response.time_to_first_chunk"] = call.first_part_s
        self._record_span(
            span,
            f"chat {call.model}",
            SpanKind.CLIENT,
            attributes,
            call.began_ns,
            call.duration_s,
            call.outcome if call.failed else None,
        )

    def on_release(self, observed: ObservedRun) -> None:
        span = self._open.pop(observed.run.id, None)
        if span is not None:
            span.end()

    def _start_span(self, run: Run) -> Span:
        parent = self._open.get(run.parent_id or "")
        return self._tracer.start_span(
            f"invoke_agent {run.agent}",
            context=None if parent is None else set_span_in_context(parent),
            kind=SpanKind.INTERNAL,
            attributes={
                **_common_attributes("invoke_agent", run),
                "gen_ai.agent.name": run.agent,
                "gen_ai.request.model": run.model,
                "sprout.run.id": run.id,
                "sprout.lane": run.lane,
            },
        )

    def _set_outcome(self, span: Span, run: Run) -> None:
        span.set_attributes({"sprout.state": run.state.value, "sprout.reason": run.reason or ""})
        if run.state in FAILED:
            span.set_attribute("error.type", run.reason or run.state.value)
            span.set_status(Status(StatusCode.ERROR))

    def _record_tool(self, parent: Span, event: ToolFinished) -> None:
        duration_s = event.duration_ms / 1000
        attributes: Attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": event.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": event.call_id[:ATTRIBUTE_MAX_CHARS],
            "sprout.attempts": event.attempts,
        }
        error = None if event.ok else "tool_error" if event.attempts else "refused"
        began_ns = time.time_ns() - round(duration_s * NS)
        self._record_span(
            parent, f"execute_tool {event.tool}", SpanKind.INTERNAL, attributes, began_ns, duration_s, error
        )

    def _record_span(
        self,
        parent: Span,
        name: str,
        kind: SpanKind,
        attributes: Attributes,
        began_ns: int,
        duration_s: float,
        error: str | None,
    ) -> None:
        """A span that has ended."""
        span = self._tracer.start_span(
            name, context=set_span_in_context(parent), kind=kind, attributes=attributes, start_time=began_ns
        )
        if error is not None:
            span.set_attribute("error.type", error)
            span.set_status(Status(StatusCode.ERROR))
        span.end(began_ns + round(duration_s * NS))


def _common_attributes(operation: str, run: Run) -> dict[str, str | int | float | bool | list[str]]:
    return {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": "sprout" if run.offline else "anthropic",
        "gen_ai.conversation.id": run.root_id,
    }
