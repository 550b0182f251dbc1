"""What a crash left behind, brought to an end."""

from sprout.events import AgentError, Event, RunDone
from sprout.runs.log import RunStore
from sprout.runs.observer import Observer
from sprout.runs.state import ENDED, RunError, RunState

CUT_OFF = RunError(
    "cut_off",
    "Sprout was stopped while this was going. Everything up to then is kept; start it again to go on from there.",
    retryable=True,
)


async def settle_cut_off(store: RunStore, observer: Observer) -> None:
    """Fail every run that has not ended, children before their parents, each with its last word in the log."""
    for run in sorted(await store.unfinished(), key=lambda run: run.parent_id is None):
        entries: list[Event] = [AgentError(code=CUT_OFF.code, message=CUT_OFF.message, retryable=CUT_OFF.retryable)]
        if run.parent_id is None:
            entries.append(RunDone(status=ENDED[RunState.FAILED], reason=CUT_OFF.code, usage=run.usage))
        settled = await store.settle(
            run, RunState.FAILED, reason=CUT_OFF.code, usage=run.usage, error=CUT_OFF, entries=entries
        )
        for event in entries:
            observer.observe(settled, event)
