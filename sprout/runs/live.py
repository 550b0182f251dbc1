"""The runs that are going: start, follow, answer, stop, take up again; whoever holds LiveRuns owns their tasks."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial

from sprout.clock import utc_now
from sprout.crashing import crash_point
from sprout.errors import BadInput, Conflict, SproutError
from sprout.events import NodeRow
from sprout.runs.answers import Answer, Verdict, answer_to
from sprout.runs.bus import News
from sprout.runs.follow import followed
from sprout.runs.handoff import Handoff, journal_of
from sprout.runs.log import Admission, Key, OnBusy, RunStore
from sprout.runs.multiplex import Told, multiplexed
from sprout.runs.parts import Parts
from sprout.runs.state import Fenced, Run, RunAlreadyEnded, RunState
from sprout.runs.watch import LogWatch
from sprout.runs.worker import Worker

RESTART_S = 5.0
TRIM_S = 600.0
LAST_EVENTS = 20
DISCARDED = "discarded"
STARTED_AGAIN = "started_again"


class GoingAway(SproutError):
    """The server is about to stop and takes no new runs."""

    def __init__(self) -> None:
        super().__init__("Sprout is restarting. Try again in a few seconds.")
        self.retry_after_s = RESTART_S


@asynccontextmanager
async def live_runs(
    parts: Parts, *, beat_s: float = 10.0, sweep_s: float = 30.0, keep_events_days: float = 30.0, take_up: bool = True
) -> AsyncIterator["LiveRuns"]:
    """Own the tasks of all runs: none outlives this block; those still going are let go of for whoever comes next.

    Args:
        beat_s: how often the lease is renewed.
        sweep_s: how often runs are looked for that nobody carries.
        keep_events_days: how long after its end the course of a run can be played again.
        take_up: whether to go on with what others left, now and whenever something is left.
    """
    worker = Worker(parts)
    await worker.enrol()
    async with parts.dispatcher.started(worker.advance, worker.look):
        runs = LiveRuns(parts, worker)
        try:
            parts.dispatcher.every(beat_s, worker.beat)
            if take_up:
                await worker.sweep()
                parts.dispatcher.every(sweep_s, worker.sweep)
                parts.dispatcher.every(TRIM_S, partial(_trimmed, parts.store, keep_events_days))
            yield runs
        finally:
            await runs.close()


async def _trimmed(store: RunStore, keep_events_days: float) -> None:
    """Forget what is too old, a few runs at a time."""
    before, trimmed = utc_now() - timedelta(days=keep_events_days), 1
    while trimmed:
        trimmed = await store.trim(before)


class LiveRuns:
    def __init__(self, parts: Parts, worker: Worker) -> None:
        self._parts = parts
        self._store = parts.store
        self._worker = worker
        self._watch = LogWatch(parts.store)
        self._closing = False

    @property
    def closing(self) -> bool:
        """Whether the server is about to stop, and takes no new runs."""
        return self._closing

    async def start(
        self,
        agent: str,
        *,
        node: NodeRow,
        user_id: str,
        small: bool = False,
        on_busy: OnBusy = OnBusy.ATTACH,
        key: Key | None = None,
        lane: str | None = None,
        task: str | None = None,
    ) -> Admission:
        """A new root run of an agent on a node, or the one that serves in its place.

        Args:
            lane: where it waits for its turn; that of the agent and the node where none is named.
            task: what it shall do, for an agent to whom the node does not say it all.

        Raises GoingAway, LaneBusy, KeyReused.
        """
        if self._closing:
            raise GoingAway
        run = self._parts.new_run(
            agent, user_id=user_id, node_id=node.id, branch_id=node.branch_id, small=small, task=task
        )
        return await self._admitted(replace(run, lane=lane or run.lane), on_busy, key)

    async def run(self, run_id: str, *, user_id: str) -> Run:
        """Raises NotFound."""
        return await self._store.run(run_id, user_id=user_id)

    async def handoff(self, run_id: str, *, user_id: str) -> Handoff:
        """The run with what somebody needs who takes over from it. Raises NotFound."""
        run = await self._store.run(run_id, user_id=user_id)
        last = await self._store.events(run.root_id, after=run.last_seq - LAST_EVENTS)
        spec = self._parts.agents.get(run.agent)
        private = spec is None or spec.private
        return Handoff(run, journal_of(run, await self._store.record(run_id), private=private), last)

    async def runs(
        self,
        *,
        user_id: str,
        branch_id: str | None = None,
        agent: str | None = None,
        with_talk: bool = True,
        states: Sequence[RunState] = (),
        before: str | None = None,
        limit: int = 50,
    ) -> list[Run]:
        """Root runs, newest first, with turns of talk or without."""
        return await self._store.runs(
            user_id=user_id,
            branch_id=branch_id,
            agent=agent,
            with_talk=with_talk,
            states=states,
            before=before,
            limit=limit,
        )

    async def latest(self, *, user_id: str) -> list[Run]:
        """Of each branch the newest root run and those that are going, newest first."""
        return await self._store.latest(user_id)

    def follow(self, root_id: str, *, after: int = 0) -> AsyncGenerator[list[News], None]:
        """The run's events past `after`, then those to come, in batches; ends after `run_done`.

        Text in flight comes as a snapshot first. A cursor that the log does not have is answered with a `resync`
        and the log from its start; when the server goes away, the last word is a `reconnect`.
        """
        parts = self._parts
        return followed(self._store, parts.bus, parts.flights, root_id, after, watch=self._watch)

    def follow_learner(
        self, user_id: str, cursors: Mapping[str, int] | None, *, on: bool = True
    ) -> AsyncGenerator[list[Told], None]:
        """All of the learner's root runs as one stream: the unfinished, those that a cursor names, and those to come.

        Args:
            cursors: by root run the last number that the reader has; None for cursors that could not be read.
            on: whether it goes on with what comes; else it ends after what there is.
        """
        parts = self._parts
        return multiplexed(self._store, parts.bus, parts.flights, user_id, cursors, watch=self._watch, on=on)

    async def cancel(self, run_id: str, *, user_id: str) -> Run:
        """Ask a run and its children to stop; asking again, or after its end, changes nothing.

        What is carried here begins nothing more once this returns. Raises NotFound.
        """
        run = await self._store.run(run_id, user_id=user_id)
        if not run.ended:
            await self._store.cancel(run_id)
            crash_point("cancel_kept")
            await self._worker.seen()
        return await self._store.run(run_id, user_id=user_id)

    async def stop_all(self, *, user_id: str) -> None:
        """Stop every run of a learner, and wait for their ends. Raises GoingAway."""
        while open_roots := await self._store.open_roots(user_id):
            for run in open_roots:
                await self.cancel(run.id, user_id=user_id)
            for run in open_roots:
                async for _ in self.follow(run.id):
                    pass
            if self._closing:
                raise GoingAway

    async def answer(self, run_id: str, words: str, *, user_id: str, result: str | None = None) -> Run:
        """Give a run the answer that it waits for (W1). Raises NotFound, Conflict (it waits for none), BadInput."""
        run = await self._store.run(run_id, user_id=user_id)
        if run.state is not RunState.WAITING_ON_HUMAN or run.question is None or run.answered:
            raise Conflict("This run waits for no answer (any more).")
        answer = answer_to(run.question, words, await self._store.record(run_id), result=result)
        match answer.verdict:
            case Verdict.STOP:
                return await self.cancel(run_id, user_id=user_id)
            case Verdict.AFRESH:
                return await self._afresh(run)
            case Verdict.GO_ON:
                return await self._answered(run, answer)

    async def _answered(self, run: Run, answer: Answer) -> Run:
        """Store the answer. Raises Conflict: another was stored first, and the run may have gone on with it."""
        try:
            answered = await self._store.answer(run, answer.entries, (*run.approvals, *answer.approvals))
        except (Fenced, RunAlreadyEnded):
            raise Conflict("This was answered already.") from None
        crash_point("answer_kept")
        return answered

    async def resume(self, run_id: str, *, user_id: str) -> Run:
        """Have a run taken up again that was cut off. Raises NotFound, Conflict (it is not cut off)."""
        run = await self._store.run(run_id, user_id=user_id)
        if not run.cut_off:
            raise Conflict("Only a run that was cut off can be resumed.")
        return await self._store.offer(run)

    async def retry(self, run_id: str, *, user_id: str) -> Admission:
        """A new run in place of one that has ended.

        Raises NotFound, Conflict (it has not ended, is a part of another, or its agent is not here any more).
        """
        run = await self._store.run(run_id, user_id=user_id)
        if not run.ended:
            raise Conflict("This run has not ended: stop it first.")
        if not run.is_root:
            raise Conflict("This run is part of another: start that one again.")
        if self._closing:
            raise GoingAway
        again = self._parts.new_run(
            run.agent, user_id=user_id, node_id=run.node_id, branch_id=run.branch_id, small=run.small, task=run.task
        )
        return await self._admitted(replace(again, lane=run.lane), OnBusy.ATTACH, None)

    async def discard(self, run_id: str, *, user_id: str) -> Run:
        """Want to hear no more of a run: one that waits, or was cut off, ends. Raises NotFound, Conflict (it goes)."""
        run = await self._store.run(run_id, user_id=user_id)
        if run.ended:
            return await self._store.discard(run)
        if run.state is not RunState.WAITING_ON_HUMAN and not run.cut_off:
            raise Conflict("This run is going: stop it first.")
        await self._store.cancel(run_id, reason=DISCARDED)
        return await self._store.discard(await self._store.run(run_id))

    async def ended(self, run_id: str) -> Run:
        """The run once nobody carries it here: it has ended, as a rule."""
        going = self._worker.going.get(run_id)
        if going is not None and going.task is not None:
            await asyncio.wait([going.task])
        return await self._store.run(run_id)

    def say_goodbye(self) -> None:
        """Take no new runs, and end every follower's stream with a `reconnect`: the server is about to go away."""
        self._closing = True
        self._worker.leave()
        self._parts.bus.close()

    async def close(self) -> None:
        """Cut off what is going, and wait until it has gone."""
        self.say_goodbye()
        await self._worker.close()

    async def _admitted(self, run: Run, on_busy: OnBusy, key: Key | None) -> Admission:
        with self._worker.taking():
            admission = await self._store.admit(run, on_busy=on_busy, key=key, claim=self._parts.claim)
            crash_point("admitted")
            if admission.verdict == "new" and admission.run.state is RunState.RUNNING:
                self._worker.carry(admission.run)
        return admission

    async def _afresh(self, run: Run) -> Run:
        """End the run, and begin another in its place; a part of another is only ended."""
        if not run.is_root:
            raise BadInput("This run is part of another: stop it, and start that one again.", field="answer")
        await self._store.cancel(run.id, reason=STARTED_AGAIN)
        return (await self.retry(run.id, user_id=run.user_id)).run
