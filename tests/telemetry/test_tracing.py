"""Spans on their way to a collector."""

import subprocess
import sys
from collections.abc import AsyncIterator

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.servers.in_process import RunningServer, serve_app
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.observer import RunObserver
from sprout.telemetry.spans import RunSpans
from sprout.telemetry.tracing import open_tracer
from tests.telemetry.observed_runs import begin, end, started_run

WITHOUT_THE_EXTRA = """
import asyncio, sys
sys.modules["opentelemetry.sdk"] = None
from sprout.errors import SetupError
from sprout.telemetry.tracing import open_tracer

async def main():
    async with open_tracer(None, version="1"):
        pass

try:
    asyncio.run(main())
except SetupError as error:
    print(error)
"""


class Collector:
    """Takes in what an exporter sends."""

    def __init__(self) -> None:
        self.got: list[ExportTraceServiceRequest] = []
        self.app = Starlette(routes=[Route("/v1/traces", self._take, methods=["POST"])])

    async def _take(self, request: Request) -> Response:
        self.got.append(ExportTraceServiceRequest.FromString(await request.body()))
        return Response(media_type="application/x-protobuf")


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
async def served(collector: Collector) -> AsyncIterator[RunningServer]:
    async with serve_app(collector.app) as served:
        yield served


@pytest.mark.parametrize("slash", ["", "/"])
async def test_what_was_seen_is_with_the_collector_when_tracing_is_closed(
    collector: Collector, served: RunningServer, slash: str
) -> None:
    async with open_tracer(served.url + slash, version="1.2.3") as tracer:
        observer = RunObserver(Metrics(), RunSpans(tracer))
        run = started_run()
        begin(observer, run)
        end(observer, run)
    (request,) = collector.got
    (resource,) = request.resource_spans
    about = {one.key: one.value.string_value for one in resource.resource.attributes}
    assert about["service.name"] == "sprout"
    assert about["service.version"] == "1.2.3"
    (span,) = resource.scope_spans[0].spans
    assert span.name == "invoke_agent topic"


async def test_a_collector_that_is_not_there_is_no_reason_to_fail() -> None:
    async with open_tracer("http://127.0.0.1:9", version="1") as tracer:
        observer = RunObserver(Metrics(), RunSpans(tracer))
        run = started_run()
        begin(observer, run)
        end(observer, run)


def test_without_the_extra_tracing_says_what_to_install() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_THE_EXTRA], capture_output=True, text=True, check=True)
    assert "sprout-tutor[otel]" in ran.stdout
