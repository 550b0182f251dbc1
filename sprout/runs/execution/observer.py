"""Observer of runs: receives their events and model calls, without influence on them."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from sprout.events import Event
from sprout.loop.model import ModelRequest
from sprout.runs.metered_model import MeteredCall
from sprout.runs.state import Run


class Observer(Protocol):
    def observe(self, run: Run, event: Event) -> None:
        """Observe an event; the closing events come with the settled run. Never raises."""
        ...

    def release(self, run: Run) -> None:
        """Forget a run that is no longer executed here. Never raises."""
        ...

    def model_call(self, run: Run, request: ModelRequest) -> AbstractAsyncContextManager[MeteredCall]:
        """Measure a model call of the run."""
        ...
