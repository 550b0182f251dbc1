"""One run in its carrier's hands: from its claim, fresh or taken up again, to its end or to a question."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress

from sprout.agents.agent import Brief, Job
from sprout.clock import utc_now
from sprout.crashing import crash_point
from sprout.errors import DatabaseBusy, SetupError, SproutError, StorageFull
from sprout.events import AgentDone, AgentError, AgentStart, Event, RunDone, Usage
from sprout.loop.digest import prompt_digest
from sprout.loop.kept import messages_as_json
from sprout.loop.model import ChatModel
from sprout.loop.stop import Stop
from sprout.loop.summary import summariser
from sprout.loop.turn import TurnResult, run_turn
from sprout.runs.absent import absent
from sprout.runs.at_work import AtWork
from sprout.runs.children import Children
from sprout.runs.gate import GatedModel
from sprout.runs.log import Checkpoint, Entry
from sprout.runs.nudge import Nudge
from sprout.runs.outcome import BROKE, STATE_OF_ENDING, UNFINISHED, HardLimit, error_of
from sprout.runs.parts import Parts
from sprout.runs.pausing import asked_by_loop, shown_input, unkept_results
from sprout.runs.pursed_model import PursedModel
from sprout.runs.question import RunQuestion, changed, in_doubt
from sprout.runs.recall import Recall, recall
from sprout.runs.state import ENDED, Fenced, Run, RunAlreadyEnded, RunError, RunState
from sprout.runs.writer import RunWriter

log = logging.getLogger(__name__)


class Waits(Exception):
    """The run cannot go on before a person has answered."""

    def __init__(self, question: RunQuestion, entries: Sequence[Entry] = ()) -> None:
        super().__init__(question.question)
        self.question = question
        self.entries = entries


class Abandoned(Exception):
    """The run cannot be carried on or ended here now: whoever finds it later shall try.

    Args:
        crashed: whether that counts as a crash of the run.
    """

    def __init__(self, *, crashed: bool) -> None:
        super().__init__("abandoned")
        self.crashed = crashed


class Carrying:
    """Carries one run.

    Args:
        stop: set when the run shall stop.
        nudge: given when something under the run has changed.
        carry: carries a child that was admitted and begun here.
    """

    def __init__(self, parts: Parts, run: Run, stop: Stop, nudge: Nudge, carry: Callable[[Run], object]) -> None:
        self._parts = parts
        self._run = run
        self._stop = stop
        self._at_work = AtWork(parts.store, run, parts.suspects)
        self._children = Children(parts, run, nudge, carry, self._at_work, stop, self._told)
        self._spec = parts.agents.get(run.agent) or absent(run.agent)
        self._clock = asyncio.get_running_loop().time
        self._began_s = self._clock()
        self._elapsed_before_s = 0.0
        self._writer = self._new_writer(())

    async def to_the_end(self, is_lost: Callable[[], bool]) -> Run:
        """The run as it is left: ended, waiting, or in other hands. Raises Abandoned.

        Args:
            is_lost: whether the run was taken from here, so that a carrier who is cancelled writes nothing more.
        """
        run = self._run
        whose = {"run": run.id, "agent": run.agent, "lane": run.lane}
        try:
            await self._at_work.begin(self._stop)
            return await self._carried_out()
        except Waits as waits:
            return await self._paused(waits)
        except (Fenced, RunAlreadyEnded) as error:
            log.info("agent_run.left", extra={**whose, "reason": type(error).__name__})
            return await self._parts.store.run(run.id)
        except HardLimit as error:
            return await self._failed(RunError("hard_limit", str(error), True), state=RunState.TIMED_OUT)
        except (SetupError, DatabaseBusy, StorageFull) as error:
            log.exception("agent_run.abandoned", extra=whose)
            raise Abandoned(crashed=isinstance(error, SetupError)) from error
        except SproutError as error:
            log.warning("agent_run.refused", extra=whose, exc_info=True)
            return await self._failed(RunError("refused", str(error), retryable=True))
        except asyncio.CancelledError:
            if not is_lost():
                with suppress(SproutError):  # what is not stored now is done again by whoever takes the run up
                    await self._writer.flush()
            raise
        except Abandoned:
            raise
        except Exception:
            # The one broad catch: a bug in one run must not end its siblings.
            log.exception("agent_run.broke", extra=whose)
            return await self._failed(BROKE)
        finally:
            self._at_work.end_turn()
            await self._writer.stop()
            self._parts.observer.left(run)

    async def _carried_out(self) -> Run:
        run, observer = self._run, self._parts.observer
        observer.observe(run, run.opening())
        kept = None if run.epoch == 1 else recall(await self._parts.store.record(run.id))
        brief = await self._spec.brief(_job(run, resumed=kept is not None), self._children)
        if kept is None:
            await self._begun(brief)
        else:
            await self._taken_up(brief, kept)
        if brief.begin is not None and (news := await brief.begin()):
            await self._writer.keep([*news])
        if kept is not None and kept.final is not None:
            return await self._settled_as(kept.final, kept.usage)
        messages = brief.messages if kept is None else kept.messages
        result = await self._looped_out(brief, kept) if messages else None
        crash_point("loop_ended")
        own = result.usage if result else Usage()
        if result is not None and result.question is not None:
            question = asked_by_loop(result.question, result, brief.tools)
            raise Waits(question, unkept_results(result, self._writer))
        if result is not None and (error := error_of(result)) is not None:
            return await self._failed(error, own)
        done = await self._finished(brief, result)
        await self._writer.keep([Checkpoint("final", elapsed_s=self._elapsed_s(), state=done.model_dump_json())])
        crash_point("final_kept")
        return await self._settled_as(done, own)

    async def _told(self, events: Sequence[Event]) -> None:
        await self._writer.keep([*events])

    async def _begun(self, brief: Brief) -> None:
        """Store how the run begins: a carrier after this one goes on from here."""
        digest = prompt_digest(brief.system, brief.tools, self._run.model)
        opening: list[Entry] = [*brief.opening, *([AgentStart()] if brief.messages else [])]
        await self._writer.keep(
            [
                *opening,
                Checkpoint("input", messages=messages_as_json(brief.messages), state=brief.objective, digest=digest),
            ]
        )
        crash_point("input_kept")

    async def _taken_up(self, brief: Brief, kept: Recall) -> None:
        """See that the run can go on as it is, and tell the ends of calls that nobody was told of. Raises Waits."""
        digest = prompt_digest(brief.system, brief.tools, self._run.model)
        if kept.final is None and kept.unreadable is None and kept.digest != digest:
            raise Waits(changed(utc_now(), before=kept.digest, after=digest))
        if kept.unreadable is not None:
            raise Waits(kept.unreadable)
        if kept.in_doubt is not None:
            log.warning("agent_run.resume_unsafe", extra={"run": self._run.id, "tool": kept.in_doubt.name})
            shown = shown_input(kept.in_doubt, brief.tools)
            raise Waits(in_doubt(kept.in_doubt.name, kept.in_doubt.id, shown, utc_now()))
        self._elapsed_before_s = kept.carried.elapsed_s
        self._writer = self._new_writer(kept.begun)
        if kept.untold:
            await self._writer.keep(kept.untold)

    async def _finished(self, brief: Brief, result: TurnResult | None) -> AgentDone:
        """What the agent makes of its loop's end; one that was stopped makes nothing of it."""
        reason = result.reason if result else "end_turn"
        if brief.finish is None or self._stop.requested or reason in UNFINISHED:
            return AgentDone(reason="cancelled" if self._stop.requested else reason, usage=Usage())
        done = await brief.finish(result)
        rationale = None if self._spec.private else done.rationale
        return done.model_copy(update={"reason": reason, "rationale": rationale})

    async def _looped_out(self, brief: Brief, kept: Recall | None) -> TurnResult:
        """The loop's end; an agent whose work is broken off may put right what it leaves. Raises HardLimit."""
        try:
            result = await self._looped(brief, kept)
        except HardLimit:
            if brief.give_up is not None:
                await brief.give_up()
            raise
        if brief.give_up is not None and (self._stop.requested or result.failure is not None):
            await brief.give_up()
        return result

    async def _looped(self, brief: Brief, kept: Recall | None) -> TurnResult:
        run, policy = self._run, self._spec.policy
        choice = self._parts.choose(run.agent, run.small)
        watched = self._parts.observer.watched(self._parts.model, run)
        model: ChatModel = GatedModel(
            watched, self._parts.gate, learner=run.user_id, root_id=run.root_id, waiting=self._at_work.waiting
        )
        if self._parts.purse is not None and self._parts.purse.limited:
            model = PursedModel(model, self._parts.purse, learner=run.user_id, run_id=run.id)
        turn = run_turn(
            model,
            model_name=run.model,
            system=brief.system,
            messages=kept.messages if kept else brief.messages,
            tools=brief.tools,
            policy=policy,
            clock=self._clock,
            traits=choice.traits,
            stop=self._stop,
            stop_checks=brief.stop_checks,
            fallback_model=choice.fallback,
            voice=self._spec.voice,
            screen=brief.screen,
            summarise=summariser(model, choice.summaries, policy, window=choice.traits.window),
            permissions=brief.permissions,
            approvals=run.approvals,
            known=kept.known if kept else (),
            can_wait=True,
            carried=kept.carried if kept else None,
            left=self._writer.leave,
        )
        left_s = policy.hard_limit_s - self._elapsed_before_s
        try:
            async with asyncio.timeout(left_s), aclosing(turn) as steps:
                async for step in steps:
                    if isinstance(step, TurnResult):
                        return step
                    await self._writer.take(step)
        except TimeoutError:
            raise HardLimit(policy.hard_limit_s) from None
        raise AssertionError("a turn ends with its result")

    async def _settled_as(self, done: AgentDone, own: Usage) -> Run:
        """Wait for the children, then end as the agent has ended."""
        await self._children.ended()
        usage = own.plus(await self._children.spent())
        reason = "cancelled" if self._stop.requested else done.reason
        last = done.model_copy(update={"reason": reason, "usage": usage})
        return await self._settled(STATE_OF_ENDING.get(reason, RunState.COMPLETED), last, reason, usage, None)

    async def _failed(self, error: RunError, own: Usage | None = None, *, state: RunState = RunState.FAILED) -> Run:
        """Settle the run as failed; one that cannot even be settled is abandoned.

        What fails while the run is let go of is no failure of the run: whoever takes it up tries again.
        """
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise asyncio.CancelledError
        try:
            await self._children.ended()
            if own is None:
                await self._writer.flush()  # what was spent last may not be stored yet
                own = (await self._parts.store.record(self._run.id)).usage
            usage = own.plus(await self._children.spent())
            event = AgentError(code=error.code, message=error.message, retryable=error.retryable)
            return await self._settled(state, event, error.code, usage, error)
        except (Fenced, RunAlreadyEnded):
            return await self._parts.store.run(self._run.id)
        except (DatabaseBusy, StorageFull):
            raise Abandoned(crashed=False) from None
        except Exception:
            log.exception("agent_run.not_settled", extra={"run": self._run.id, "agent": self._run.agent})
            raise Abandoned(crashed=True) from None

    async def _settled(
        self, state: RunState, last: AgentDone | AgentError, reason: str, usage: Usage, error: RunError | None
    ) -> Run:
        closing: list[Event] = [last]
        if self._run.is_root:
            closing.append(RunDone(status=ENDED[state], reason=reason, usage=usage))
        entries: list[Entry] = [*await self._writer.close(), *closing]
        settled = await self._parts.store.settle(
            self._run, state, reason=reason, usage=usage, error=error, entries=entries
        )
        crash_point("settled")
        self._writer.landed(entries)
        for event in closing:
            self._parts.observer.observe(settled, event)
        return settled

    async def _paused(self, waits: Waits) -> Run:
        entries: list[Entry] = [*await self._writer.close(), *waits.entries]
        entries.append(Checkpoint("human_pause", elapsed_s=self._elapsed_s()))
        self._parts.observer.observe(self._run, waits.question.as_event())
        try:
            waiting = await self._parts.store.pause(self._run, waits.question, entries)
        except (Fenced, RunAlreadyEnded):
            return await self._parts.store.run(self._run.id)
        crash_point("paused")
        self._writer.landed(entries)
        return waiting

    def _new_writer(self, begun: Sequence[str]) -> RunWriter:
        parts = self._parts
        return RunWriter(
            self._run,
            parts.store,
            parts.bus,
            parts.flights,
            parts.observer,
            elapsed_s=self._elapsed_s,
            begun=begun,
            came_further=self._at_work.end_turn,
            private=self._spec.private,
        )

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
