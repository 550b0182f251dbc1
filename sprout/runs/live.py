"""The runs that are going: start, follow, cancel; whoever holds LiveRuns owns their tasks."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sprout.agents.agent import AgentSpec, Brief, Job
from sprout.errors import ModelFailure, ModelFailureKind, SproutError
from sprout.events import AgentDone, AgentError, AgentStart, Caps, Event, NodeRow, RunDone, RunStarted, Usage
from sprout.ids import new_id
from sprout.loop.model import ChatModel, ModelTraits
from sprout.loop.recovery import OVERLOAD_SCHEDULE
from sprout.loop.stop import Stop
from sprout.loop.summary import summariser
from sprout.loop.turn import TurnResult, run_turn
from sprout.runs.bus import EventBus, News
from sprout.runs.follow import followed
from sprout.runs.gate import GatedModel, ModelGate
from sprout.runs.leftovers import settle_cut_off
from sprout.runs.log import Entry, RunStore
from sprout.runs.observer import Nobody, Observer
from sprout.runs.state import ENDED, Run, RunError, RunState
from sprout.runs.writer import Flights, RunWriter

log = logging.getLogger(__name__)

RESTART_S = 5.0
WORTH_ANOTHER_TRY = OVERLOAD_SCHEDULE | {ModelFailureKind.RATE_LIMITED}
UNFINISHED = frozenset({"failed", "waiting_on_human"})
STATE_OF_ENDING = {"cancelled": RunState.CANCELLED, "failed": RunState.FAILED}
BROKE = RunError("internal", "Sprout itself failed here. The log says why; try again.", retryable=True)


class HardLimit(SproutError):
    """A run took longer than any run may."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"This took longer than {limit_s / 60:.0f} minutes and was ended. What was saved is kept.")


class GoingAway(SproutError):
    """The server is about to stop and takes no new runs."""

    def __init__(self) -> None:
        super().__init__("Sprout is restarting. Try again in a few seconds.")
        self.retry_after_s = RESTART_S


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that an agent is given.

    Args:
        fallback: takes over while the model is overloaded.
        summaries: writes the summaries of long conversations.
        offline: whether it is the built-in one.
    """

    name: str
    fallback: str | None
    summaries: str
    offline: bool
    traits: ModelTraits = ModelTraits()


@asynccontextmanager
async def live_runs(
    store: RunStore,
    bus: EventBus,
    model: ChatModel,
    agents: Sequence[AgentSpec],
    choose: Callable[[str, bool], ModelChoice],
    gate: ModelGate,
    observer: Observer = Nobody(),
) -> AsyncIterator["LiveRuns"]:
    """Own the tasks of all runs: none outlives this block; those still going are cut off, and say so in their log.

    Args:
        choose: the model for an agent's name, in small mode or not.
    """
    await settle_cut_off(store, observer)
    runs = LiveRuns(store, bus, model, {agent.name: agent for agent in agents}, choose, gate, observer)
    try:
        yield runs
    finally:
        await runs.close()
        await settle_cut_off(store, observer)


@dataclass(slots=True)
class _Going:
    run: Run
    stop: Stop
    task: asyncio.Task[Run]
    children: list["_Going"]


class LiveRuns:
    def __init__(
        self,
        store: RunStore,
        bus: EventBus,
        model: ChatModel,
        agents: Mapping[str, AgentSpec],
        choose: Callable[[str, bool], ModelChoice],
        gate: ModelGate,
        observer: Observer,
    ) -> None:
        self._store = store
        self._bus = bus
        self._model = model
        self._agents = agents
        self._choose = choose
        self._gate = gate
        self._observer = observer
        self._flights = Flights()
        self._going: dict[str, _Going] = {}
        self._closing = False

    async def start(self, agent: str, *, node: NodeRow, user_id: str, small: bool = False) -> tuple[Run, bool]:
        """A new root run of an agent on a node, or the one that is going in the same lane: then True.

        Raises GoingAway.
        """
        if self._closing:
            raise GoingAway
        spec, run_id = self._agents[agent], new_id()
        run = self._new_run(spec, run_id, user_id=user_id, node_id=node.id, branch_id=node.branch_id, small=small)
        going = await self._begin(replace(run, root_id=run_id, label=agent), None)
        return (going.run, False) if isinstance(going, _Going) else (going, True)

    async def run(self, run_id: str, *, user_id: str) -> Run:
        """Raises NotFound."""
        return await self._store.run(run_id, user_id=user_id)

    async def runs(self, *, user_id: str, branch_id: str | None = None, limit: int = 50) -> list[Run]:
        """Root runs, newest first."""
        return await self._store.runs(user_id=user_id, branch_id=branch_id, limit=limit)

    async def latest(self, *, user_id: str) -> list[Run]:
        """Of each branch the newest root run and those that are going, newest first."""
        return await self._store.latest(user_id)

    def follow(self, root_id: str, *, after: int = 0) -> AsyncGenerator[list[News], None]:
        """The run's events past `after`, then those to come, in batches; ends after `run_done`.

        Text in flight comes as a snapshot first. A cursor that the log does not have is answered with a `resync`
        and the log from its start; when the server goes away, the last word is a `reconnect`.
        """
        return followed(self._store, self._bus, self._flights, root_id, after)

    async def cancel(self, run_id: str, *, user_id: str) -> Run:
        """Ask a run and its children to stop; asking again, or after its end, changes nothing. Raises NotFound."""
        run = await self._store.run(run_id, user_id=user_id)
        if not run.ended:
            await self._store.request_cancel(run_id)
            self._stop(self._going.get(run_id))
        return await self._store.run(run_id, user_id=user_id)

    async def ended(self, run_id: str) -> Run:
        """The run once it has ended."""
        going = self._going.get(run_id)
        return await asyncio.shield(going.task) if going else await self._store.run(run_id)

    def say_goodbye(self) -> None:
        """Take no new runs, and end every follower's stream with a `reconnect`: the server is about to go away."""
        self._closing = True
        self._bus.close()

    async def close(self) -> None:
        """Cut off what is going, and wait until it has gone."""
        self.say_goodbye()
        tasks = [going.task for going in self._going.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _stop(self, going: _Going | None) -> None:
        if going is not None:
            going.stop.request()
            for child in going.children:
                self._stop(child)

    def _new_run(
        self, spec: AgentSpec, run_id: str, *, user_id: str, node_id: str, branch_id: str | None, small: bool
    ) -> Run:
        choice, policy = self._choose(spec.name, small), spec.policy
        return Run(
            id=run_id,
            root_id=run_id,
            parent_id=None,
            user_id=user_id,
            agent=spec.name,
            label=spec.name,
            lane=f"{spec.lane}:{node_id}",
            node_id=node_id,
            branch_id=branch_id,
            small=small,
            model=choice.name,
            offline=choice.offline,
            caps=Caps(iterations=policy.max_iterations, tokens=policy.max_run_tokens, cost_usd=policy.max_run_cost_usd),
            created_at=datetime.now(UTC),
        )

    async def _begin(self, run: Run, parent: _Going | None) -> _Going | Run:
        """The run, going; or the one that its lane has already."""
        admitted = await self._store.admit(run)
        if admitted.id != run.id:
            return admitted
        stop = Stop()
        if parent is not None and parent.stop.requested:
            stop.request()
        going = _Going(admitted, stop, asyncio.create_task(self._driven(admitted, stop)), [])
        self._going[run.id] = going
        if parent is not None:
            parent.children.append(going)
        return going

    async def _driven(self, run: Run, stop: Stop) -> Run:
        writer = RunWriter(run, self._store, self._bus, self._flights, self._observer)
        try:
            return await self._carried_out(run, stop, writer)
        except HardLimit as error:
            return await self._failed(run, writer, RunError("hard_limit", str(error), True), state=RunState.TIMED_OUT)
        except SproutError as error:
            log.warning("agent_run.refused", extra={"run": run.id, "agent": run.agent}, exc_info=True)
            return await self._failed(run, writer, RunError("refused", str(error), retryable=True))
        except Exception:
            # The one broad catch: a bug in one run must not end its siblings.
            log.exception("agent_run.broke", extra={"run": run.id, "agent": run.agent})
            return await self._failed(run, writer, BROKE)
        finally:
            await writer.stop()
            del self._going[run.id]

    async def _carried_out(self, run: Run, stop: Stop, writer: RunWriter) -> Run:
        started = RunStarted(lane=run.lane, model=run.model, caps=run.caps, offline=run.offline)
        run = await self._store.start(run, [started])
        self._observer.observe(run, started)
        going = self._going[run.id]
        brief = await self._agents[run.agent].brief(_job(run), _Team(self, going))
        for event in brief.opening:
            await writer.take(event)
        await writer.flush()
        if brief.begin is not None:
            await brief.begin()
        result = await self._looped(run, stop, brief, writer) if brief.messages else None
        done = await self._finished(brief, result, stop)
        await self._children_ended(going)
        usage = (result.usage if result else Usage()).plus(_sum(child.task.result().usage for child in going.children))
        if result is not None and (error := _error_of(result)) is not None:
            return await self._failed(run, writer, error, usage)
        reason = "cancelled" if stop.requested else done.reason
        last = done.model_copy(update={"reason": reason, "usage": usage})
        state = STATE_OF_ENDING.get(reason, RunState.COMPLETED)
        return await self._settled(run, writer, state, last, reason, usage, None)

    async def _finished(self, brief: Brief, result: TurnResult | None, stop: Stop) -> AgentDone:
        """What the agent makes of its loop's end; one that was stopped or failed makes nothing of it."""
        reason = result.reason if result else "end_turn"
        if brief.finish is None or stop.requested or reason in UNFINISHED:
            return AgentDone(reason=reason, usage=Usage())
        return (await brief.finish(result)).model_copy(update={"reason": reason})

    async def _looped(self, run: Run, stop: Stop, brief: Brief, writer: RunWriter) -> TurnResult:
        await writer.take(AgentStart())
        policy, choice = self._agents[run.agent].policy, self._choose(run.agent, run.small)
        watched = self._observer.watched(self._model, run)
        model = GatedModel(watched, self._gate, learner=run.user_id, root_id=run.root_id)
        turn = run_turn(
            model,
            model_name=run.model,
            system=brief.system,
            messages=brief.messages,
            tools=brief.tools,
            policy=policy,
            traits=choice.traits,
            stop=stop,
            stop_checks=brief.stop_checks,
            fallback_model=choice.fallback,
            summarise=summariser(model, choice.summaries, policy, window=choice.traits.window),
        )
        try:
            async with asyncio.timeout(policy.hard_limit_s), aclosing(turn) as steps:
                async for step in steps:
                    if isinstance(step, TurnResult):
                        return step
                    await writer.take(step)
        except TimeoutError:
            raise HardLimit(policy.hard_limit_s) from None
        raise AssertionError("a turn ends with its result")

    async def _children_ended(self, going: _Going) -> None:
        """Wait for all children, also for those that start meanwhile."""
        while pending := [child.task for child in going.children if not child.task.done()]:
            await asyncio.wait(pending)

    async def _failed(
        self,
        run: Run,
        writer: RunWriter,
        error: RunError,
        usage: Usage | None = None,
        *,
        state: RunState = RunState.FAILED,
    ) -> Run:
        """Settle a run as failed. A run that cannot even be settled is left to the next start."""
        event = AgentError(code=error.code, message=error.message, retryable=error.retryable)
        going = self._going[run.id]
        await self._children_ended(going)
        spent = usage or _sum(child.task.result().usage for child in going.children)
        try:
            return await self._settled(run, writer, state, event, error.code, spent, error)
        except Exception:
            log.exception("agent_run.not_settled", extra={"run": run.id, "agent": run.agent})
            return run

    async def _settled(
        self,
        run: Run,
        writer: RunWriter,
        state: RunState,
        last: AgentDone | AgentError,
        reason: str,
        usage: Usage,
        error: RunError | None,
    ) -> Run:
        closing: list[Event] = [last]
        if run.parent_id is None:
            closing.append(RunDone(status=ENDED[state], reason=reason, usage=usage))
        entries: list[Entry] = [*await writer.close(), *closing]
        settled = await self._store.settle(run, state, reason=reason, usage=usage, error=error, entries=entries)
        writer.landed(entries)
        for event in closing:
            self._observer.observe(settled, event)
        return settled

    async def start_child(self, parent: _Going, agent: str, *, node_id: str, label: str) -> None:
        run, spec = parent.run, self._agents[agent]
        child = self._new_run(
            spec, new_id(), user_id=run.user_id, node_id=node_id, branch_id=run.branch_id, small=run.small
        )
        await self._begin(replace(child, root_id=run.root_id, parent_id=run.id, label=label), parent)


@dataclass(frozen=True, slots=True)
class _Team:
    runs: LiveRuns
    going: _Going

    async def start(self, agent: str, *, node_id: str, label: str) -> None:
        await self.runs.start_child(self.going, agent, node_id=node_id, label=label)


def _job(run: Run) -> Job:
    return Job(run.id, run.root_id, run.user_id, run.node_id, run.label, run.model, run.small)


def _error_of(result: TurnResult) -> RunError | None:
    """Why a loop's end is a failure of its run; None where it is not."""
    if result.question is not None:
        return RunError("needs_human", f"{result.question.why} {result.question.question}", retryable=True)
    return None if result.failure is None else _as_error(result.failure)


def _as_error(failure: ModelFailure) -> RunError:
    return RunError(failure.kind.value, str(failure), failure.kind in WORTH_ANOTHER_TRY)


def _sum(usages: Iterable[Usage]) -> Usage:
    total = Usage()
    for usage in usages:
        total = total.plus(usage)
    return total
