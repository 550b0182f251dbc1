"""Run executor: executes one run, from its claim to its end or a pause."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial

from sprout.agents.agent import Brief, Job, NothingSaved
from sprout.agents.missing_agent import missing_agent
from sprout.clock import utc_now
from sprout.errors import DatabaseBusy, DatabaseUnavailable, SetupError, SproutError, StorageFull
from sprout.events import AgentDone, AgentStart, Event, Usage, UsageReported
from sprout.failpoints import failpoint
from sprout.loop.context.keeper import Flush
from sprout.loop.context.summary import summariser
from sprout.loop.encoding.message_codec import messages_as_json
from sprout.loop.journal import Journal, OpenJournal, journal_tools, readable_journal
from sprout.loop.model_notices import notice
from sprout.loop.resume.prompt_digest import prompt_digest
from sprout.loop.stop import Stop
from sprout.loop.turn import TurnHooks, TurnResult, run_turn
from sprout.runs.budget.call_reservation import CallBudget
from sprout.runs.ending import early_ending_words
from sprout.runs.execution.children import ChildRuns
from sprout.runs.execution.crash_guard import CrashGuard
from sprout.runs.execution.dependencies import RunDependencies, turn_options
from sprout.runs.execution.memory_flush import memory_flush
from sprout.runs.execution.outcome import (
    INTERNAL_ERROR,
    UNFINISHED_REASONS,
    HardLimit,
    error_of,
    failure_of,
)
from sprout.runs.execution.pause import loop_question, unstored_results, visible_input
from sprout.runs.execution.resume import ResumePlan, plan_resume
from sprout.runs.execution.settlement import Abandoned, Settlement
from sprout.runs.execution.wakeup import Wakeup
from sprout.runs.execution.writer import RunWriter
from sprout.runs.fair_queue import urgency_of
from sprout.runs.metered_model import Meter, MeteredModel, OpenCallUsage
from sprout.runs.model_gate import RunGate
from sprout.runs.model_probes import require_fit
from sprout.runs.questions import RunQuestion, changed_question, in_doubt_question
from sprout.runs.run_store import Checkpoint, Entry
from sprout.runs.state import Fenced, Run, RunAlreadyEnded, RunError, RunState

log = logging.getLogger(__name__)


class AnswerNeeded(Exception):
    """The run cannot continue before a person has answered."""

    def __init__(self, question: RunQuestion, entries: Sequence[Entry] = ()) -> None:
        super().__init__(question.question)
        self.question = question
        self.entries = entries


class RunExecutor:
    """Executes one run.

    Args:
        stop: requested when the run is cancelled.
        wakeup: signalled when a run under this one has changed.
        start_run: starts to execute a child that was claimed at its admission.
        on_idle: called when the run begins to wait for its children.
    """

    def __init__(
        self,
        dependencies: RunDependencies,
        run: Run,
        stop: Stop,
        wakeup: Wakeup,
        start_run: Callable[[Run], object],
        on_idle: Callable[[], None],
    ) -> None:
        self._parts = dependencies
        self._run = run
        self._stop = stop
        self._crash_guard = CrashGuard(dependencies.store, run, dependencies.quarantine, on_idle)
        self._children = ChildRuns(dependencies, run, wakeup, start_run, self._crash_guard, stop, self._append_events)
        self._spec = dependencies.agents.get(run.agent) or missing_agent(run.agent)
        self._clock = asyncio.get_running_loop().time
        self._began_s = self._clock()
        self._elapsed_before_s = 0.0
        self._open_call = OpenCallUsage()
        self._journal = Journal()
        self._writer = RunWriter(
            run,
            dependencies.store,
            dependencies.bus,
            dependencies.observer,
            elapsed_s=self._elapsed_s,
            on_progress=self._crash_guard.release,
            private=self._spec.private,
        )
        self._settlement = Settlement(dependencies, run, self._children, self._writer, stop, self._elapsed_s)

    async def execute(self, lease_lost: Callable[[], bool]) -> Run:
        """The run afterwards: ended, waiting, or claimed by another worker. Raises Abandoned.

        Args:
            lease_lost: whether the lease was lost, so that a cancelled execution writes nothing more.
        """
        run = self._run
        log_fields = {"run": run.id, "agent": run.agent, "lane": run.lane}
        try:
            await self._crash_guard.wait_turn(self._stop)
            return await self._execute()
        except AnswerNeeded as waits:
            return await self._settlement.pause(waits.question, waits.entries)
        except (Fenced, RunAlreadyEnded) as error:
            log.info("agent_run.superseded", extra={**log_fields, "reason": type(error).__name__})
            return await self._parts.store.run(run.id)
        except HardLimit as error:
            failure = error_of(error, retryable=True)
            return await self._settlement.fail(failure, state=RunState.TIMED_OUT, reached_limit=error.limit)
        except SetupError as error:
            log.exception("agent_run.abandoned", extra=log_fields)
            raise Abandoned(crashed=True) from error
        except (DatabaseBusy, DatabaseUnavailable, StorageFull) as error:
            log.warning("agent_run.abandoned", extra=log_fields, exc_info=True)
            raise Abandoned(crashed=False) from error
        except SproutError as error:
            log.warning("agent_run.refused", extra=log_fields, exc_info=True)
            return await self._settlement.fail(error_of(error, retryable=True))
        except asyncio.CancelledError:
            if not lease_lost():
                with suppress(SproutError):  # what is not stored now is done again when the run is resumed
                    await self._writer.flush()
            raise
        except Abandoned:
            raise
        except Exception:
            # A bug in one run must not end its siblings.
            log.exception("agent_run.crashed", extra=log_fields)
            return await self._settlement.fail(INTERNAL_ERROR)
        finally:
            self._crash_guard.release()
            await self._writer.discard()
            self._parts.observer.release(run)

    async def _execute(self) -> Run:
        run, observer = self._run, self._parts.observer
        observer.observe(run, run.opening_event())
        kept = None if run.epoch == 1 else plan_resume(await self._parts.store.record(run.id))
        brief = await self._spec.brief(_job(run, resumed=kept is not None and kept.has_loop), self._children)
        messages = brief.messages if kept is None else kept.messages
        if self._spec.mechanisms.journal and messages:
            brief = await self._with_journal(brief, kept)
        if kept is None:
            await self._store_input(brief)
        else:
            await self._prepare_resume(brief, kept)
        if brief.begin is not None and (events := await brief.begin()):
            await self._writer.store([*events])
        if kept is not None and kept.final is not None:
            return await self._settlement.done(kept.final, kept.usage)
        result = await self._run_loop_or_give_up(brief, kept) if messages else None
        failpoint("loop_ended")
        self._settlement.transitions = result.transitions if result else ()
        own = result.usage if result else Usage()
        if result is not None and result.question is not None:
            question = loop_question(result.question, result, brief.tools)
            raise AnswerNeeded(question, unstored_results(result, self._writer))
        if result is not None and (error := failure_of(result)) is not None:
            return await self._settlement.fail(error, own)
        try:
            done = await self._finish(brief, result)
        except NothingSaved as refused:
            limit = result.reached_limit if result else None
            return await self._settlement.fail(self._unsaved_error(result, refused), own, reached_limit=limit)
        await self._writer.store([self._settlement.turn_end("final", done)])
        failpoint("final_stored")
        return await self._settlement.done(done, own)

    async def _with_journal(self, brief: Brief, kept: ResumePlan | None) -> Brief:
        """The brief with the journal and its tools; it goes on from the agent's last run on the node."""
        self._journal = readable_journal(await self._parts.store.journal_before(self._run))
        own = None if kept is None else kept.journal
        journal = OpenJournal(self._journal if own is None else readable_journal(own), self._store_journal)
        system = f"{brief.system}\n\n{notice('journal_use')}"
        return replace(brief, system=system, tools=(*brief.tools, *journal_tools(journal)))

    async def _store_journal(self, journal: Journal) -> None:
        state = journal.model_dump_json()
        await self._writer.store([Checkpoint("journal_update", elapsed_s=self._elapsed_s(), state=state)])

    async def _append_events(self, events: Sequence[Event]) -> None:
        await self._writer.store([*events])

    async def _store_input(self, brief: Brief) -> None:
        """Store the input of the run, from which a later claim resumes."""
        digest = prompt_digest(brief.system, brief.tools, self._run.model)
        announced = any(isinstance(event, AgentStart) for event in brief.opening)
        opening: list[Entry] = [*brief.opening, *([AgentStart()] if brief.messages and not announced else [])]
        await self._writer.store(
            [
                *opening,
                Checkpoint("input", messages=messages_as_json(brief.messages), state=brief.objective, digest=digest),
            ]
        )
        failpoint("input_stored")

    async def _prepare_resume(self, brief: Brief, kept: ResumePlan) -> None:
        """Check that the run can be resumed, and publish ends of calls that are not in the log. Raises AnswerNeeded."""
        digest = prompt_digest(brief.system, brief.tools, self._run.model)
        if kept.final is None and kept.has_loop and kept.digest != digest:
            raise AnswerNeeded(changed_question(utc_now(), before=kept.digest, after=digest))
        if kept.unreadable is not None:
            raise AnswerNeeded(kept.unreadable)
        if kept.in_doubt is not None:
            log.warning("agent_run.resume_unsafe", extra={"run": self._run.id, "tool": kept.in_doubt.name})
            shown = visible_input(kept.in_doubt, brief.tools)
            raise AnswerNeeded(in_doubt_question(kept.in_doubt.name, kept.in_doubt.id, shown, utc_now()))
        self._elapsed_before_s = kept.state.elapsed_s
        self._writer.expect_ends(kept.started_calls)
        if kept.unpublished:
            await self._writer.store(kept.unpublished)

    async def _finish(self, brief: Brief, result: TurnResult | None) -> AgentDone:
        """The agent's closing event; an agent that was stopped is not asked for one."""
        reason = result.reason if result else "end_turn"
        if brief.finish is None or self._stop.requested or reason in UNFINISHED_REASONS:
            return AgentDone(reason="cancelled" if self._stop.requested else reason, usage=Usage())
        done = await brief.finish(result)
        limit = result.reached_limit if result else None
        said = {"rationale": None, "rationale_code": None} if self._spec.private else {}
        return done.model_copy(update={"reason": reason, "reached_limit": limit, **said})

    async def _run_loop_or_give_up(self, brief: Brief, kept: ResumePlan | None) -> TurnResult:
        """The loop's end; an agent whose work is broken off may put right what it leaves. Raises HardLimit."""
        try:
            result = await self._run_loop(brief, kept)
        except HardLimit:
            if brief.give_up is not None:
                await brief.give_up()
            raise
        if brief.give_up is not None and (self._stop.requested or result.failure is not None):
            await brief.give_up()
        return result

    async def _run_loop(self, brief: Brief, kept: ResumePlan | None) -> TurnResult:
        run, policy = self._run, self._spec.policy
        probe = await self._parts.probe_of(run.model)
        require_fit(probe)
        choice = self._parts.model_of(run).with_window_of(probe)
        model = self._metered_model()
        turn = run_turn(
            model,
            model_name=run.model,
            system=brief.system,
            messages=kept.messages if kept else brief.messages,
            tools=brief.tools,
            policy=policy,
            stop=self._stop,
            options=turn_options(self._spec, brief, choice, self._journal),
            hooks=TurnHooks(
                summarise=summariser(model, choice.summaries, policy, window=choice.traits.window),
                flush=self._memory_flush(brief),
                on_undelivered=self._writer.store_late_end,
                output_filter=brief.output_filter,
                clock=self._clock,
            ),
            resume=replace(kept.state, approvals=run.approvals) if kept else None,
        )
        left_s = policy.hard_limit_s - self._elapsed_before_s
        try:
            async with asyncio.timeout(left_s), aclosing(turn) as steps:
                async for step in steps:
                    if isinstance(step, TurnResult):
                        return step
                    await self._writer.add(step)
                    if isinstance(step, UsageReported):
                        self._open_call.usage = Usage()
        except TimeoutError:
            if self._open_call.usage != Usage():
                await self._writer.store([UsageReported(usage=self._open_call.usage)])
            raise HardLimit(policy.hard_limit_s) from None
        raise AssertionError("a turn ends with its result")

    def _memory_flush(self, brief: Brief) -> Flush | None:
        """The hook that remembers what leaves the view, for an agent that has such a memory."""
        memories = self._parts.memories
        if memories is None or not self._spec.mechanisms.memory:
            return None
        return memory_flush(brief.tools, memories, _job(self._run, resumed=False).actor())

    def _metered_model(self) -> MeteredModel:
        """The model within budget, gate and telemetry: waiting for money takes no slot, and no wait is measured."""
        run, parts = self._run, self._parts
        gate = RunGate(parts.gate, run.user_id, run.root_id, urgency_of(run.agent), self._crash_guard.idle)
        meters: list[Meter] = [gate.admit, partial(parts.observer.model_call, run), self._open_call.meter]
        if parts.ledger is not None and parts.ledger.limited:
            budget = CallBudget(parts.ledger, learner=run.user_id, run_id=run.id, branch_id=run.branch_id)
            meters.insert(0, budget.reserve)
        return MeteredModel(parts.model, *meters)

    def _unsaved_error(self, result: TurnResult | None, refused: NothingSaved) -> RunError:
        """The error of a run that left nothing to keep: its code is the reason of the loop where that explains it."""
        reason, limit = (result.reason, result.reached_limit) if result else ("end_turn", None)
        words = early_ending_words(reason, limit, self._run.agent, saved=False)
        return error_of(refused, retryable=True) if words is None else RunError(reason, words, True)

    def _elapsed_s(self) -> float:
        return self._elapsed_before_s + self._clock() - self._began_s


def _job(run: Run, *, resumed: bool) -> Job:
    return Job(
        run_id=run.id,
        root_run_id=run.root_id,
        user_id=run.user_id,
        node_id=run.node_id,
        label=run.label,
        model=run.model,
        small=run.small,
        epoch=run.epoch,
        resumed=resumed,
        task=run.task,
    )
