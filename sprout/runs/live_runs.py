"""Live runs: start, follow, answer, cancel, resume and retry them. The entry point of this package."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial

from sprout.clock import utc_now
from sprout.errors import BadInput, Conflict, SproutError
from sprout.events import NodeRow
from sprout.failpoints import failpoint
from sprout.runs.execution.answers import AnswerAction, AnswerEffect, interpret_answer
from sprout.runs.execution.dependencies import RunDependencies
from sprout.runs.execution.worker import Worker
from sprout.runs.handoff_report import Handoff, run_journal
from sprout.runs.model_probes import require_fit
from sprout.runs.run_store import Admission, OnBusy, RequestKey, RunStore, StoredEvent
from sprout.runs.state import Fenced, Run, RunAlreadyEnded, RunState
from sprout.runs.streaming.bus import BusMessage
from sprout.runs.streaming.follow import follow
from sprout.runs.streaming.multiplex import TaggedEvent, multiplex
from sprout.runs.streaming.poller import LogPoller
from sprout.runs.turn_end import transitions

RESTART_S = 5.0
DRAIN_S = 15.0
DRAIN_POLL_S = 0.5
PRUNE_INTERVAL_S = 600.0
LAST_EVENTS = 20
DISCARDED = "discarded"
RESTARTED = "started_again"


class ShuttingDown(SproutError):
    """The server is shutting down and takes no new runs."""

    code = "shutting_down"

    def __init__(self) -> None:
        super().__init__("Sprout is restarting. Try again in a few seconds.")
        self.retry_after_s = RESTART_S


@asynccontextmanager
async def live_runs(
    dependencies: RunDependencies,
    *,
    heartbeat_s: float = 10.0,
    sweep_s: float = 30.0,
    keep_events_days: float = 30.0,
    executes: bool = True,
    resume: bool = True,
) -> AsyncIterator["LiveRuns"]:
    """Own the tasks of all runs: none outlives this block; active runs are released for the next worker.

    Args:
        heartbeat_s: interval at which the lease is renewed.
        sweep_s: interval at which orphaned runs are claimed.
        keep_events_days: how long the events of an ended run are kept.
        executes: whether runs are executed in this process.
        resume: whether to claim orphaned runs, now and at every sweep.
    """
    worker = Worker(dependencies)
    if executes:
        await worker.acquire_lease()
    async with dependencies.dispatcher.running(worker.advance, worker.refresh):
        runs = LiveRuns(dependencies, worker)
        try:
            if executes:
                dependencies.dispatcher.every(heartbeat_s, worker.heartbeat)
            if executes and resume:
                await worker.sweep()
                dependencies.dispatcher.every(sweep_s, worker.sweep)
                dependencies.dispatcher.every(
                    PRUNE_INTERVAL_S, partial(_prune_events, dependencies.store, keep_events_days)
                )
            yield runs
        finally:
            await runs.close()


async def _prune_events(store: RunStore, keep_events_days: float) -> None:
    """Delete old events, a few runs at a time."""
    before, pruned = utc_now() - timedelta(days=keep_events_days), 1
    while pruned:
        pruned = await store.prune_events(before)


class LiveRuns:
    def __init__(self, dependencies: RunDependencies, worker: Worker) -> None:
        self._parts = dependencies
        self._store = dependencies.store
        self._worker = worker
        self._poller = LogPoller(dependencies.store)
        self._closing = False

    @property
    def closing(self) -> bool:
        """Whether the server is shutting down."""
        return self._closing

    @property
    def _refuses_runs(self) -> bool:
        """Whether a new run would have to wait for the next process: no other one executes it."""
        return self._closing and self._parts.claims_new_runs

    async def start(
        self,
        agent: str,
        *,
        node: NodeRow,
        user_id: str,
        small: bool = False,
        on_busy: OnBusy = OnBusy.ATTACH,
        key: RequestKey | None = None,
        lane: str | None = None,
        task: str | None = None,
        needs_model: bool = True,
    ) -> Admission:
        """A new root run of an agent on a node, or the existing one that takes its place.

        Args:
            lane: the queue that it joins; by default that of the agent and the node.
            task: for an agent that needs more than the node.
            needs_model: whether it is of no use without a model, and so is refused where no call could be made.

        Raises ShuttingDown, LaneBusy, KeyReused, BudgetSpent, ClassModelRefused, ModelUnfit.
        """
        if self._refuses_runs:
            raise ShuttingDown
        run = await self._parts.new_run(
            agent, user_id=user_id, node_id=node.id, branch_id=node.branch_id, small=small, task=task
        )
        if needs_model:
            await self._require_room(run)
        return await self._admit(replace(run, lane=lane or run.lane), on_busy, key)

    async def run(self, run_id: str, *, user_id: str) -> Run:
        """Raises NotFound."""
        return await self._store.run(run_id, user_id=user_id)

    async def run_of_key(self, key: str, *, user_id: str) -> Run | None:
        """The run that the first of the user's idempotency keys that begin like this belongs to."""
        return await self._store.run_of_key(key, user_id=user_id)

    async def handoff(self, run_id: str, *, user_id: str) -> Handoff:
        """The run with its journal and last events, for a person or program that takes over. Raises NotFound."""
        run = await self._store.run(run_id, user_id=user_id)
        last = await self._store.events(run.root_id, after=run.last_seq - LAST_EVENTS)
        spec = self._parts.agents.get(run.agent)
        private = spec is None or spec.private
        record = await self._store.record(run_id)
        return Handoff(run, run_journal(run, record, private=private), transitions(record), last)

    async def runs(
        self,
        *,
        user_id: str,
        branch_id: str | None = None,
        agent: str | None = None,
        include_conversations: bool = True,
        states: Sequence[RunState] = (),
        before: str | None = None,
        limit: int = 50,
    ) -> list[Run]:
        """Root runs, newest first; with or without conversations, checks of questions and variants for reviews."""
        return await self._store.runs(
            user_id=user_id,
            branch_id=branch_id,
            agent=agent,
            include_conversations=include_conversations,
            states=states,
            before=before,
            limit=limit,
        )

    async def latest(self, *, user_id: str) -> list[Run]:
        """The newest root run of each branch and all unfinished ones, newest first."""
        return await self._store.latest(user_id)

    def follow(self, root_id: str, *, after: int = 0) -> AsyncGenerator[list[BusMessage], None]:
        """The run's events past `after`, then those to come, in batches; ends after `run_done`.

        In-flight text comes as a snapshot first. A cursor that the log does not have is answered with a `resync`
        and the log from its start; when the server shuts down, the last event is a `reconnect`.
        """
        parts = self._parts
        return follow(self._store, parts.bus, root_id, after, poller=self._poller)

    async def follow_to_end(self, root_id: str) -> AsyncGenerator[list[BusMessage], None]:
        """All of a run's events, for an answer that has to wait for its end and cannot be continued elsewhere.

        A shutdown ends it as it ends `follow`, but where other processes carry the runs only after `DRAIN_S`.
        """
        seq, drained_s = 0, None
        while True:
            kind = ""
            async with aclosing(self.follow(root_id, after=seq)) as batches:
                async for batch in batches:
                    seq = max((one.seq for one in batch if isinstance(one, StoredEvent)), default=seq)
                    kind = batch[-1].kind
                    yield batch
            now_s = asyncio.get_running_loop().time()
            drained_s = drained_s or now_s + DRAIN_S
            if kind != "reconnect" or not self._closing or self._refuses_runs or now_s > drained_s:
                return
            await asyncio.sleep(DRAIN_POLL_S)

    def follow_learner(
        self, user_id: str, cursors: Mapping[str, int] | None, *, live: bool = True
    ) -> AsyncGenerator[list[TaggedEvent], None]:
        """All root runs of the learner as one stream: unfinished ones, those that a cursor names, and new ones.

        Args:
            cursors: by root run the number of the reader's last event; None if they could not be parsed.
            live: whether to continue with live events; else the stream ends after the stored ones.
        """
        parts = self._parts
        return multiplex(self._store, parts.bus, user_id, cursors, poller=self._poller, live=live)

    async def cancel(self, run_id: str, *, user_id: str) -> Run:
        """Cancel a run and its children; idempotent, and without effect on a run that has ended.

        A run of this process starts nothing more once this returns. Raises NotFound.
        """
        run = await self._store.run(run_id, user_id=user_id)
        if not run.ended:
            await self._store.cancel(run_id)
            failpoint("cancel_stored")
            self._worker.refresh(run_id)  # several processes hear of it later
            await self._worker.wait_refreshed()
        return await self._store.run(run_id, user_id=user_id)

    async def cancel_all(self, *, user_id: str, branch_id: str | None = None) -> None:
        """Cancel every run of a learner, or of one branch, and wait until they have ended.

        Raises ShuttingDown: the server ends, and they have not ended as far as `follow_to_end` waits for that.
        """
        waited_at_shutdown = False
        while open_roots := [
            run
            for run in await self._store.unfinished_roots(user_id)
            if branch_id is None or run.branch_id == branch_id
        ]:
            if waited_at_shutdown:
                raise ShuttingDown
            for run in open_roots:
                await self.cancel(run.id, user_id=user_id)
            for run in open_roots:
                async for _ in self.follow_to_end(run.id):
                    pass
            waited_at_shutdown = self._closing

    async def answer(self, run_id: str, words: str, *, user_id: str, result: str | None = None) -> Run:
        """Answer the question of a run. Raises NotFound, Conflict (it is not waiting for an answer), BadInput."""
        run = await self._store.run(run_id, user_id=user_id)
        if run.state is not RunState.WAITING_ON_HUMAN or run.question is None or run.answered:
            raise Conflict("This run isn't waiting for an answer.", code="run_not_waiting")
        answer = interpret_answer(run.question, words, await self._store.record(run_id), result=result)
        match answer.action:
            case AnswerAction.STOP:
                return await self.cancel(run_id, user_id=user_id)
            case AnswerAction.RESTART:
                return await self._restart(run)
            case AnswerAction.CONTINUE:
                return await self._store_answer(run, answer)

    async def _store_answer(self, run: Run, answer: AnswerEffect) -> Run:
        """Store the answer. Raises Conflict: another answer was stored first."""
        try:
            answered = await self._store.answer(run, answer.entries, (*run.approvals, *answer.approvals))
        except (Fenced, RunAlreadyEnded):
            raise Conflict("This was answered already.", code="run_answered") from None
        failpoint("answer_stored")
        return answered

    async def resume(self, run_id: str, *, user_id: str) -> Run:
        """Resume a run that was cut off. Raises NotFound, Conflict (it was not cut off)."""
        run = await self._store.run(run_id, user_id=user_id)
        if not run.cut_off:
            raise Conflict("Only a run that was cut off can be resumed.", code="run_not_cut_off")
        return await self._store.request_resume(run)

    async def retry(self, run_id: str, *, user_id: str) -> Admission:
        """A new run in place of one that has ended.

        Raises NotFound, Conflict (it has not ended, is part of another, or its agent is gone), BudgetSpent, ModelUnfit.
        """
        run = await self._store.run(run_id, user_id=user_id)
        if not run.ended:
            raise Conflict("This run is in progress: stop it first.", code="run_in_progress")
        if not run.is_root:
            raise Conflict("This run is part of another: start that one again.", code="run_is_part")
        if self._refuses_runs:
            raise ShuttingDown
        again = await self._parts.new_run(
            run.agent, user_id=user_id, node_id=run.node_id, branch_id=run.branch_id, small=run.small, task=run.task
        )
        await self._require_room(again)
        return await self._admit(replace(again, lane=run.lane), OnBusy.ATTACH, None)

    async def discard(self, run_id: str, *, user_id: str) -> Run:
        """Dismiss a run; one that waits or was cut off is cancelled. Raises NotFound, Conflict (it is in progress)."""
        run = await self._store.run(run_id, user_id=user_id)
        if run.ended:
            return await self._store.discard(run)
        if run.state is not RunState.WAITING_ON_HUMAN and not run.cut_off:
            raise Conflict("This run is in progress: stop it first.", code="run_in_progress")
        await self._store.cancel(run_id, reason=DISCARDED)
        return await self._store.discard(await self._store.run(run_id))

    async def wait_until_released(self, run_id: str) -> Run:
        """The run once its task in this process is done: usually it has ended."""
        active = self._worker.active_runs.get(run_id)
        if active is not None and active.task is not None:
            await asyncio.wait([active.task])
        return await self._store.run(run_id)

    def begin_shutdown(self) -> None:
        """Execute no new runs, and end every stream with a `reconnect`."""
        self._closing = True
        self._parts.dispatcher.stop()
        self._worker.stop_claiming()
        self._parts.bus.close()

    async def close(self) -> None:
        """Cancel the active runs, and wait for their tasks."""
        self.begin_shutdown()
        await self._worker.close()

    async def _require_room(self, run: Run) -> None:
        """Raises BudgetSpent, ClassModelRefused, ModelUnfit: the run could call no model now, or in vain."""
        require_fit(await self._parts.probe_of(run.model))
        if self._parts.ledger is not None:
            await self._parts.ledger.require_room(run.user_id, run.branch_id, run.model)

    async def _admit(self, run: Run, on_busy: OnBusy, key: RequestKey | None) -> Admission:
        with self._worker.admitting():
            admission = await self._store.admit(run, on_busy=on_busy, key=key, lease=self._parts.admission_lease)
            failpoint("admitted")
            if admission.outcome == "new" and admission.run.state is RunState.RUNNING:
                self._worker.start(admission.run)
        return admission

    async def _restart(self, run: Run) -> Run:
        """Cancel the run, and start another in its place. Raises BadInput: it is part of another."""
        if not run.is_root:
            raise BadInput(
                "This run is part of another: stop it, and start that one again.", field="answer", code="run_is_part"
            )
        await self._store.cancel(run.id, reason=RESTARTED)
        return (await self.retry(run.id, user_id=run.user_id)).run
