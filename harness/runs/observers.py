"""Observers of runs for tests."""

from contextlib import AbstractAsyncContextManager, nullcontext

from sprout.events import Event
from sprout.loop.model import ModelRequest
from sprout.runs.metered_model import MeteredCall, UnmeteredCall
from sprout.runs.state import Run


class NullObserver:
    """An observer that does nothing."""

    def observe(self, run: Run, event: Event) -> None:
        pass

    def release(self, run: Run) -> None:
        pass

    def model_call(self, run: Run, request: ModelRequest) -> AbstractAsyncContextManager[MeteredCall]:
        return nullcontext(UnmeteredCall(request))
