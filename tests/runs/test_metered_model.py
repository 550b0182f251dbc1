"""The one wrapper around the model: how many generators a delta passes, and the order of the meters."""

import inspect
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from types import FrameType

from harness.loop.scripted_turn import BEGIN, QUICK
from harness.runs.observers import NullObserver
from sprout.events import ReasoningDelta
from sprout.loop.model import BlockDone, ModelRequest, ReplyEnded, ReplyPart, Text, TextPart
from sprout.loop.turn import run_turn
from sprout.runs.metered_model import Meter, MeteredCall, MeteredModel
from sprout.runs.model_gate import ModelGate, RunGate

REQUEST = ModelRequest("m", "s", BEGIN, (), 100)


class FrameCounter:
    """A model that counts the asynchronous generators through which its parts are read, itself included."""

    def __init__(self) -> None:
        self.generators: list[str] = []
        self.requests: list[ModelRequest] = []

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        self.requests.append(request)
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_code.co_name != "test_a_delta_passes_five_generators_at_most":
            if frame.f_code.co_flags & inspect.CO_ASYNC_GENERATOR:
                self.generators.append(frame.f_code.co_qualname)
            frame = frame.f_back
        yield TextPart(0, "Well.")
        yield BlockDone(0, Text("Well."))
        yield ReplyEnded("end_turn")


async def test_a_delta_passes_five_generators_at_most() -> None:
    model, gate = FrameCounter(), ModelGate(per_root=1, limit=1)
    observer = NullObserver()

    def unobserved(request: ModelRequest) -> AbstractAsyncContextManager[MeteredCall]:
        return observer.model_call(None, request)  # type: ignore[arg-type]

    metered = MeteredModel(model, RunGate(gate, "ann", "a").admit, unobserved)
    async with aclosing(run_turn(metered, model_name="m", system="s", messages=BEGIN, policy=QUICK)) as steps:
        deltas = [step async for step in steps if isinstance(step, ReasoningDelta)]
    assert [delta.text for delta in deltas] == ["Well."]
    assert len(model.generators) == 5, model.generators


@dataclass
class _Call:
    name: str
    request: ModelRequest
    log: list[str]

    def observe(self, part: ReplyPart) -> None:
        self.log.append(f"{self.name} {type(part).__name__}")


def _meter(name: str, log: list[str]) -> Meter:
    @asynccontextmanager
    async def meter(request: ModelRequest) -> AsyncIterator[MeteredCall]:
        log.append(f"{name} begins")
        try:
            yield _Call(name, replace(request, max_tokens=request.max_tokens - 1), log)
        finally:
            log.append(f"{name} ends")

    return meter


async def test_the_outermost_meter_begins_first_and_the_innermost_observes_first() -> None:
    log: list[str] = []
    model = _Counted()
    async with aclosing(MeteredModel(model, _meter("a", log), _meter("b", log)).reply(REQUEST)) as parts:
        async for _ in parts:
            break
    assert log == ["a begins", "b begins", "b ReplyEnded", "a ReplyEnded", "b ends", "a ends"]
    assert model.max_tokens == [98]


class _Counted:
    def __init__(self) -> None:
        self.max_tokens: list[int] = []

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ReplyPart, None]:
        self.max_tokens.append(request.max_tokens)
        yield ReplyEnded("end_turn")
