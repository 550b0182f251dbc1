"""Settlement of a run: it ends as done or failed, or pauses for a person, with what is stored last."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from sprout.errors import DatabaseBusy, DatabaseUnavailable, StorageFull
from sprout.events import AgentDone, AgentError, Event, ReachedLimit, RunDone, Usage
from sprout.failpoints import failpoint
from sprout.loop.stop import Stop
from sprout.runs.execution.children import ChildRuns
from sprout.runs.execution.dependencies import RunDependencies
from sprout.runs.execution.outcome import STATE_BY_REASON
from sprout.runs.execution.writer import RunWriter
from sprout.runs.questions import RunQuestion
from sprout.runs.run_store import Checkpoint, CheckpointKind, Entry
from sprout.runs.state import TERMINAL_STATES, Fenced, Run, RunAlreadyEnded, RunError, RunState
from sprout.runs.turn_end import TurnEnd

log = logging.getLogger(__name__)


class Abandoned(Exception):
    """The run can neither continue nor be settled here now; a later claim tries again.

    Args:
        crashed: whether that counts as a crash of the run.
    """

    def __init__(self, *, crashed: bool) -> None:
        super().__init__("abandoned")
        self.crashed = crashed


class Settlement:
    """Settles one run; each way returns the run as it is then: settled, waiting, or claimed by another worker.

    Args:
        elapsed_s: seconds of execution so far, over all workers of the run.
    """

    def __init__(
        self,
        dependencies: RunDependencies,
        run: Run,
        children: ChildRuns,
        writer: RunWriter,
        stop: Stop,
        elapsed_s: Callable[[], float],
    ) -> None:
        self._store = dependencies.store
        self._observer = dependencies.observer
        self._run = run
        self._children = children
        self._writer = writer
        self._stop = stop
        self._elapsed_s = elapsed_s
        self.transitions: tuple[str, ...] = ()
        """Why each iteration of the loop went on or ended (L15); empty until the loop has ended."""

    def turn_end(self, kind: CheckpointKind, done: AgentDone | None = None) -> Checkpoint:
        """The last checkpoint of an execution."""
        end = TurnEnd(transitions=self.transitions, done=done)
        state = None if end == TurnEnd() else end.model_dump_json()
        return Checkpoint(kind, elapsed_s=self._elapsed_s(), state=state)

    async def done(self, done: AgentDone, own: Usage) -> Run:
        """Wait for the children, then end as the agent has ended.

        Args:
            own: what the run itself has used, without its children.
        """
        await self._children.wait_for_all()
        usage = own.plus(await self._children.usage())
        reason = "cancelled" if self._stop.requested else done.reason
        limit = None if self._stop.requested else done.reached_limit
        last = done.model_copy(update={"reason": reason, "usage": usage, "reached_limit": limit})
        return await self._settle(STATE_BY_REASON.get(reason, RunState.COMPLETED), last, reason, usage, None)

    async def fail(
        self,
        error: RunError,
        own: Usage | None = None,
        *,
        state: RunState = RunState.FAILED,
        reached_limit: ReachedLimit | None = None,
    ) -> Run:
        """End as failed; a run that cannot even be settled raises Abandoned.

        An error while the run is being released is no failure of the run: the next worker tries again.
        """
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise asyncio.CancelledError
        try:
            await self._children.wait_for_all()
            if own is None:
                await self._writer.flush()  # what was spent last may not be stored yet
                own = (await self._store.record(self._run.id)).usage
            usage = own.plus(await self._children.usage())
            event = AgentError(
                code=error.code,
                message=error.message,
                params=error.params,
                retryable=error.retryable,
                reached_limit=reached_limit,
            )
            return await self._settle(state, event, error.code, usage, error)
        except (Fenced, RunAlreadyEnded):
            return await self._store.run(self._run.id)
        except (DatabaseBusy, DatabaseUnavailable, StorageFull):
            raise Abandoned(crashed=False) from None
        except Exception:
            log.exception("agent_run.settle_failed", extra={"run": self._run.id, "agent": self._run.agent})
            raise Abandoned(crashed=True) from None

    async def pause(self, question: RunQuestion, results: Sequence[Entry]) -> Run:
        """Wait for a person's answer.

        Args:
            results: what the run knows already and has not stored.
        """
        entries: list[Entry] = [*await self._writer.close(), *results, self.turn_end("human_pause")]
        self._observer.observe(self._run, question.as_event())
        try:
            waiting = await self._store.pause(self._run, question, entries)
        except (Fenced, RunAlreadyEnded):
            return await self._store.run(self._run.id)
        failpoint("paused")
        return waiting

    async def _settle(
        self, state: RunState, last: AgentDone | AgentError, reason: str, usage: Usage, error: RunError | None
    ) -> Run:
        closing: list[Event] = [last]
        limit = last.reached_limit
        if self._run.is_root:
            closing.append(RunDone(status=TERMINAL_STATES[state], reason=reason, usage=usage, reached_limit=limit))
        entries: list[Entry] = [*await self._writer.close(), *closing]
        if error is not None and self.transitions:
            entries.append(self.turn_end("final"))
        settled = await self._store.settle(
            self._run, state, reason=reason, usage=usage, error=error, entries=entries, reached_limit=limit
        )
        failpoint("settled")
        for event in closing:
            self._observer.observe(settled, event)
        return settled
