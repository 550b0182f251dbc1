"""Tracer that exports spans to an OpenTelemetry collector over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from opentelemetry.trace import Tracer

from sprout.errors import SetupError

DEFAULT_ENDPOINT = "http://localhost:4318"
EXPORT_TIMEOUT_S = 3.0


@asynccontextmanager
async def open_tracer(endpoint: str | None, *, version: str) -> AsyncIterator[Tracer]:
    """A tracer whose spans are sent in batches to a collector; the rest is sent on exit.

    Args:
        endpoint: the collector's address without the path of a signal; None for one on this machine.
        version: of Sprout.

    Raises:
        SetupError: the extra `otel` is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise SetupError("Tracing needs more packages: pip install 'sprout-tutor[otel]', or unset it.") from error
    ours = Resource({"service.name": "sprout", "service.version": version})
    # OpenTelemetry's own settings take precedence.
    provider = TracerProvider(resource=ours.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
    address = f"{(endpoint or DEFAULT_ENDPOINT).rstrip('/')}/v1/traces"
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=address, timeout=EXPORT_TIMEOUT_S)))
    try:
        yield provider.get_tracer("sprout", version)
    finally:
        await asyncio.to_thread(provider.shutdown)
