"""Run observer: passes the events and model calls of runs to the watchers."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sprout.events import Event, Guardrail, RunDone, ToolCalled, ToolFinished
from sprout.loop.model import ModelRequest
from sprout.runs.state import Run
from sprout.telemetry.call_timer import CallTimer
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.observed_run import ModelCall, ObservedRun, Watcher

log = logging.getLogger(__name__)

UNKNOWN_TOOL = "unknown"


class RunObserver:
    """Receives every event that is not a delta, in order, and every model call.

    Args:
        metrics: counts; also what is asked directly, for gates, streams and the exposition.
        others: who else wants to hear.
    """

    def __init__(self, metrics: Metrics, *others: Watcher) -> None:
        self.metrics = metrics
        self._watchers: tuple[Watcher, ...] = (metrics, *others)
        self._observed: dict[str, ObservedRun] = {}
        self._tools: set[str] = set()

    def observe(self, run: Run, event: Event) -> None:
        """Observe an event; the closing events come with the settled run. Never raises."""
        if not event.durable:
            return
        if isinstance(event, RunDone):
            self._release_root(run.root_id)
            return
        story = self._observed.setdefault(run.id, ObservedRun.from_run(run))
        shown = self._with_known_tool(event)
        story.apply(run, shown)
        self._notify(lambda watcher: watcher.on_event(story, shown))
        if story.ended:
            self._release(story)

    def release(self, run: Run) -> None:
        """Forget a run that is no longer executed here; without effect after its end."""
        story = self._observed.get(run.id)
        if story is not None:
            self._release(story)

    @asynccontextmanager
    async def model_call(self, run: Run, request: ModelRequest) -> AsyncIterator[CallTimer]:
        """Measure a call of the run; watchers receive it when it is over."""
        self._tools.update(tool.name for tool in request.tools)
        timer = CallTimer(request)
        try:
            yield timer
            timer.end()
        except Exception as error:
            timer.end(error)
            raise
        finally:
            self._record_call(run, timer.finish())

    def _record_call(self, run: Run, call: ModelCall) -> None:
        story = self._observed.get(run.id) or ObservedRun.from_run(run)
        if call.failed:
            story.failure = call.outcome
        self._notify(lambda watcher: watcher.on_model_call(story, call))

    def _with_known_tool(self, event: Event) -> Event:
        """The event, naming only tools that models were offered: any other name is a model's own text."""
        if isinstance(event, (ToolCalled, ToolFinished, Guardrail)) and event.tool and event.tool not in self._tools:
            return event.model_copy(update={"tool": UNKNOWN_TOOL})
        return event

    def _release(self, observed: ObservedRun) -> None:
        del self._observed[observed.run.id]
        self._notify(lambda watcher: watcher.on_release(observed))

    def _release_root(self, root_id: str) -> None:
        """Forget the runs that the end of their root run has ended without an event of their own."""
        for story in [story for story in self._observed.values() if story.run.root_id == root_id]:
            self._release(story)

    def _notify(self, callback: Callable[[Watcher], None]) -> None:
        for watcher in self._watchers:
            try:
                callback(watcher)
            except Exception:
                # A bug in a watcher must not fail the run.
                log.exception("telemetry.watcher_failed", extra={"watcher": type(watcher).__name__})
