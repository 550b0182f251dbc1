"""The observer of runs: everything that is seen of them comes in here and goes to those who watch."""

import logging
from collections.abc import Callable

from sprout.events import Event, Guardrail, RunDone, ToolCalled, ToolFinished
from sprout.loop.model import ChatModel
from sprout.runs.state import Run
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.story import ModelCall, Story, Watcher
from sprout.telemetry.watched_model import WatchedModel

log = logging.getLogger(__name__)

UNKNOWN_TOOL = "unknown"


class RunObserver:
    """Hears of every event that is not a delta, in the order of the run, and of every model call.

    Args:
        metrics: counts; also what is asked directly, for gates, streams and the exposition.
        others: who else wants to hear.
    """

    def __init__(self, metrics: Metrics, *others: Watcher) -> None:
        self.metrics = metrics
        self._watchers: tuple[Watcher, ...] = (metrics, *others)
        self._stories: dict[str, Story] = {}
        self._tools: set[str] = set()

    def observe(self, run: Run, event: Event) -> None:
        """Take note of an event; the last ones of a run come with the run as it was settled. Never raises."""
        if not event.durable:
            return
        if isinstance(event, RunDone):
            self._leave_family(run.root_id)
            return
        story = self._stories.setdefault(run.id, Story.of(run))
        shown = self._with_known_tool(event)
        story.take(run, shown)
        self._tell(lambda watcher: watcher.saw(story, shown))
        if story.over:
            self._leave(story)

    def left(self, run: Run) -> None:
        """Let go of a run that is not carried here any more; after its end it is gone already."""
        story = self._stories.get(run.id)
        if story is not None:
            self._leave(story)

    def watched(self, model: ChatModel, run: Run) -> ChatModel:
        """The model, with every call of it noted as one of this run."""
        return WatchedModel(model, lambda call: self._called(run, call), self._tools)

    def _called(self, run: Run, call: ModelCall) -> None:
        story = self._stories.get(run.id) or Story.of(run)
        if call.failed:
            story.failure = call.outcome
        self._tell(lambda watcher: watcher.called(story, call))

    def _with_known_tool(self, event: Event) -> Event:
        """The event, naming only tools that models were offered: any other name is a model's own text."""
        if isinstance(event, (ToolCalled, ToolFinished, Guardrail)) and event.tool and event.tool not in self._tools:
            return event.model_copy(update={"tool": UNKNOWN_TOOL})
        return event

    def _leave(self, story: Story) -> None:
        del self._stories[story.run.id]
        self._tell(lambda watcher: watcher.left(story))

    def _leave_family(self, root_id: str) -> None:
        """Let go of what the end of a root run has ended with it, without a word of its own."""
        for story in [story for story in self._stories.values() if story.run.root_id == root_id]:
            self._leave(story)

    def _tell(self, what: Callable[[Watcher], None]) -> None:
        for watcher in self._watchers:
            try:
                what(watcher)
            except Exception:
                # A fault in what only looks on must not end what a learner waits for.
                log.exception("telemetry.broke", extra={"watcher": type(watcher).__name__})
