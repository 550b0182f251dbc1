"""Agents, models and cut-offs for tests of whole runs."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from harness.loop.scripted_turn import QUICK
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.errors import SetupError
from sprout.events import AgentDone, ReachedLimit, Usage
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Tool
from sprout.loop.turn import TurnResult
from sprout.offline.faults.scenarios import Fault
from sprout.offline.reply import Body, Reply, TextOut
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.questions import RunQuestion
from sprout.runs.run_store import Admission, Entry, OnBusy, RequestKey, StoredEvent, WorkerLease
from sprout.runs.state import Run, RunError, RunState
from sprout.runs.streaming.bus import BusMessage
from sprout.store.engine.database import Database
from sprout.store.runs.event_log import Publish
from sprout.store.runs.repository import SqlRunStore

Said = Reply | Fault | Callable[[Body], Reply | Fault]
Hook = Callable[[str], Awaitable[None]]
Make = Callable[[Job, Team], Tool]

T = TypeVar("T")


def an_agent(
    *tools: Tool | Make,
    name: str = "topic",
    system: str = "You work.",
    policy: LoopPolicy = QUICK,
    mechanisms: LoopMechanisms | None = None,
) -> AgentSpec:
    """An agent that is told to begin, and ends with what it says last."""

    async def brief(job: Job, team: Team) -> Brief:
        made = tuple(one if isinstance(one, Tool) else one(job, team) for one in tools)
        begin = (Message("user", (Text("Begin."),)),)
        return Brief(system=system, messages=begin, tools=made, finish=_finish)

    lane = "concept" if name == "subconcept" else name
    return AgentSpec(name, lane, policy, brief, mechanisms=mechanisms or LoopMechanisms())


def a_quick_agent(hook: Hook | None = None, *, name: str = "topic") -> AgentSpec:
    """An agent that needs no model; the hook is called with the run's id."""

    async def brief(job: Job, team: Team) -> Brief:
        if hook is not None:
            await hook(job.run_id)
        return Brief()

    return AgentSpec(name, name, QUICK, brief)


async def _finish(result: TurnResult | None) -> AgentDone:
    return AgentDone(reason="", usage=Usage(), rationale=result.text if result else None)


class Blocker:
    """A place where whoever comes stays, as long as it is closed.

    Args:
        at: which arrival is the first that stays, from 1 on.
    """

    def __init__(self, *, at: int = 1) -> None:
        self.reached = asyncio.Event()
        self.may_go = asyncio.Event()
        self._at = at
        self._came = 0

    async def __call__(self) -> None:
        self._came += 1
        if self._came >= self._at:
            self.reached.set()
            await self.may_go.wait()


class TurnScript:
    """A model that knows what comes next by the conversation alone, whoever leads it: one entry for each of its turns.

    Args:
        replies: by words of the system prompt, since children have a script of their own.
    """

    def __init__(self, *replies: Said, **by_system: Sequence[Said]) -> None:
        self._scripts: Mapping[str, Sequence[Said]] = {**by_system, "": replies}
        self.asked = 0

    def answer(self, body: Body) -> Reply | Fault:
        self.asked += 1
        script = next(script for words, script in self._scripts.items() if words in json.dumps(body.get("system", "")))
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        reply = script[turn] if turn < len(script) else Reply([TextOut("That is all.")])
        return reply(body) if callable(reply) else reply


class InterruptedStore(SqlRunStore):
    """A store behind which the process is stopped at one of its worker's writes: that write gets no answer.

    Args:
        at: which write, from 1 on; 0 for none.
        stored: whether that write had come through.
        killed: whether nothing at all is written after it, as by a process that is gone; whoever tries waits until
            `buried` is set.
    """

    def __init__(
        self,
        database: Database,
        publish: Publish,
        dispatcher: Dispatcher,
        *,
        at: int = 0,
        stored: bool = True,
        killed: bool = True,
    ) -> None:
        super().__init__(database, publish, dispatcher)
        self._jobs = dispatcher
        self.cut = asyncio.Event()
        self.released = asyncio.Event()
        self.kinds: list[str] = []
        self._at = at
        self._stored = stored
        self._killed = killed

    async def is_cut_before(self, end: Coroutine[Any, Any, object]) -> bool:
        """Wait for the cut or for the end, whichever comes first; whether it was the cut."""
        first = [asyncio.create_task(self.cut.wait()), asyncio.create_task(end)]
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        for task in first:
            task.cancel()
        return self.cut.is_set()

    async def admit(
        self,
        run: Run,
        *,
        on_busy: OnBusy = OnBusy.ATTACH,
        key: RequestKey | None = None,
        lease: WorkerLease | None = None,
        parent: Run | None = None,
    ) -> Admission:
        if self.cut.is_set() and self._killed:
            await self._never_answer()
        return await super().admit(run, on_busy=on_busy, key=key, lease=lease, parent=parent)

    async def append(self, run: Run, entries: Sequence[Entry]) -> None:
        await self._counted("append", lambda: super(InterruptedStore, self).append(run, entries))

    async def pause(self, run: Run, question: RunQuestion, entries: Sequence[Entry]) -> Run:
        return await self._counted("pause", lambda: super(InterruptedStore, self).pause(run, question, entries))

    async def release_run(self, run: Run, *, crashed: bool) -> None:
        await self._counted("abandon", lambda: super(InterruptedStore, self).release_run(run, crashed=crashed))

    async def settle(
        self,
        run: Run,
        state: RunState,
        *,
        reason: str,
        usage: Usage,
        error: RunError | None,
        entries: Sequence[Entry],
        reached_limit: ReachedLimit | None = None,
    ) -> Run:
        settle = super().settle
        return await self._counted(
            "settle",
            lambda: settle(
                run, state, reason=reason, usage=usage, error=error, entries=entries, reached_limit=reached_limit
            ),
        )

    async def _counted(self, kind: str, write: Callable[[], Awaitable[T]]) -> T:
        if self.cut.is_set() and self._killed:
            await self._never_answer()
        self.kinds.append(kind)
        if len(self.kinds) != self._at:
            return await write()
        if self._stored:
            await write()
        self.cut.set()
        if self._killed:
            self._jobs.stop()
        await self._never_answer()
        raise AssertionError("nobody comes back from silence")

    async def _never_answer(self) -> None:
        await self.released.wait()
        raise SetupError("The database is gone.")


async def drain_event_loop() -> None:
    """Everything has gone on that could."""
    for _ in range(20):
        await asyncio.sleep(0)


def kinds(messages: Sequence[BusMessage]) -> list[str]:
    return [one.kind for one in messages]


def data(message: BusMessage) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(message.data)
    return parsed


def of_kind(messages: Sequence[BusMessage], kind: str) -> list[dict[str, Any]]:
    """The data of all events of a kind."""
    return [data(one) for one in messages if one.kind == kind]


def stored_events(messages: Sequence[BusMessage]) -> list[StoredEvent]:
    return [one for one in messages if isinstance(one, StoredEvent)]


def assert_whole(log: Sequence[StoredEvent], run: Run) -> None:
    """The log of a root run that has ended: numbered without a gap, one end, and what was spent adds up."""
    assert [one.seq for one in log] == list(range(1, len(log) + 1))
    assert kinds(log).count("run_done") == 1
    assert log[-1].kind == "run_done"
    spent = Usage()
    for one in of_kind(log, "usage"):
        spent = spent.plus(Usage.model_validate(one["usage"]))
    assert run.usage == spent
    assert data(log[-1])["usage"] == json.loads(run.usage.model_dump_json(by_alias=True))
