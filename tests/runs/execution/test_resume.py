"""Runs that are cut off, and go on where they stood (runs.md K, B; traps 1-12)."""

import asyncio
import itertools
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.loop.scripted_turn import policy_with
from sprout.agents.path.topic import topic_agent
from sprout.events import NodeRow, Usage
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.tools import Effect, Tool, tool
from sprout.offline.faults.scenarios import Fault
from sprout.offline.pace import Pace
from sprout.offline.reply import Body, Reply, TextOut, ToolOut
from sprout.runs.run_store import OnBusy
from sprout.runs.state import RunState
from sprout.store.engine.database import Database
from tests.runs.live_app import LiveApp, ModelBackend, live_app, model_backend
from tests.runs.scripted_agents import (
    Blocker,
    InterruptedStore,
    TurnScript,
    an_agent,
    assert_whole,
    data,
    drain_event_loop,
    kinds,
    of_kind,
)

FIRST = Reply([TextOut("Light first."), ToolOut("save", {"title": "Light"}), ToolOut("save", {"title": "Air"})])
LOOK = Reply([TextOut("I look."), ToolOut("look", {"at": "leaves"})])
LAST = Reply([TextOut("All grown.")])

WAYS = 3  # of going away: together they come to every boundary


def a_grower() -> TurnScript:
    """A topic in one step; a child says one word."""
    return TurnScript(FIRST, LAST, child=[Reply([TextOut("A child at work.")])])


def a_look(seen: list[str], hook: Callable[[], Awaitable[None]] | None = None) -> Tool:
    @tool()
    async def look(at: str) -> str:
        """Look at something."""
        seen.append(at)
        if hook is not None:
            await hook()
        return f"{at} is there"

    return look


def a_post(sent: list[str], hook: Callable[[], Awaitable[None]] | None = None) -> Tool:
    @tool(effect=Effect.WRITE)
    async def post(letter: str) -> str:
        """Send a letter, which nobody can take back."""
        sent.append(letter)
        if hook is not None:
            await hook()
        return f"{letter} is on its way"

    return post


async def cut_in_a_look(database: Database, data_dir: Path, model: TurnScript, seen: list[str]) -> tuple[NodeRow, str]:
    """The topic and the id of a run whose server is stopped while it looks."""
    hang = Blocker()
    async with live_app(database, model, data_dir, agents=[an_agent(a_look(seen, hang))]) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "usage")
        await hang.reached.wait()
    return life.root, run_id


async def assert_grown_once(life: LiveApp, run_id: str) -> None:
    """The path is there once, each concept had one child run, and the log tells it without a seam."""
    run = await life.store.run(run_id)
    log = await life.stored_events(run_id)
    nodes, _ = await life.repositories.children(run.node_id)
    titles = [node.title for node in nodes]
    started = [one["agent"] for one in of_kind(log, "run_started")]
    assert run.state is RunState.COMPLETED
    assert titles in (["Light", "Air"], ["Light"])  # a reply that broke off is not asked for again
    assert sorted(started) == sorted(["topic", *(f"subconcept_bootstrap:{title}" for title in titles)])
    assert kinds(log).count("agent_done") == len(started)
    assert all(one["ok"] for one in of_kind(log, "tool_result"))
    ended = [one["callId"] for one in of_kind(log, "tool_result")]
    assert len(ended) == len(set(ended)) == len(titles)
    assert_whole(log, run)


@pytest.mark.parametrize(("way", "begin"), [("killed", 1), ("killed before the write", 2), ("stopped", 3)])
async def test_K3_K8_B1_a_run_goes_on_from_every_boundary_with_each_effect_once(
    database: Database, data_dir: Path, way: str, begin: int
) -> None:
    """Traps 1, 2, 4, 5, 9, 62, 74, 80: whichever write is its worker's last, the next one ends the run as it would
    have ended; the first, which is still there, writes nothing more."""
    resumed = 0
    async with asyncio.timeout(120), model_backend(a_grower()) as brain:
        for at in range(begin, 100, WAYS):
            cut = partial(InterruptedStore, at=at, stored=way == "killed", killed=way != "stopped")
            async with cut_living(database, data_dir, cut, brain) as (life, store):
                run_id = await life.start()
                if not await store.is_cut_before(life.wait_until_released(run_id)):
                    await assert_grown_once(life, run_id)
                    break
                if way != "stopped":
                    await assert_taken_over(database, data_dir, life, run_id)
            if way == "stopped":
                await assert_taken_over(database, data_dir, life, run_id)
            resumed += 1
    assert resumed >= 3


@asynccontextmanager
async def cut_living(
    database: Database, data_dir: Path, store_like: Callable[..., InterruptedStore], backend: ModelBackend
) -> AsyncIterator[tuple[LiveApp, InterruptedStore]]:
    """A server's life on a store that is cut off; what still waits for it is let go at the end."""
    async with live_app(database, a_grower(), data_dir, backend=backend, store_like=store_like) as life:
        assert isinstance(life.store, InterruptedStore)
        try:
            yield life, life.store
        finally:
            life.store.released.set()


async def assert_taken_over(database: Database, data_dir: Path, before: LiveApp, run_id: str) -> None:
    # The sweep also finds a child whose admission was under way in the first when it was cut off.
    async with live_app(database, a_grower(), data_dir, backend=before.backend, root=before.root, sweep_s=0.1) as life:
        await life.streamed(run_id)
        await assert_grown_once(life, run_id)


async def test_B1_a_worker_that_was_taken_over_meanwhile_writes_nothing_more_and_ends_quietly(
    database: Database, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Traps 9 and 10: the first goes on as if nothing had happened, and is refused at its next word."""
    seen: list[str] = []
    hang, model = Blocker(), TurnScript(LOOK, LAST)
    async with live_app(database, model, data_dir, agents=[an_agent(a_look(seen, hang))]) as first:
        run_id = await first.start()
        await hang.reached.wait()
        async with live_app(database, model, data_dir, agents=[an_agent(a_look(seen))], root=first.root) as second:
            await second.streamed(run_id)
            whole = await second.stored_events(run_id)
            hang.may_go.set()
            left = await first.wait_until_released(run_id)
            assert await second.stored_events(run_id) == whole
    assert (left.state, left.epoch) == (RunState.COMPLETED, 2)
    assert seen == ["leaves", "leaves"]  # reading twice does no harm
    assert [record.name for record in caplog.records if record.levelname == "ERROR"] == []


async def test_K8_a_reply_that_broke_off_after_a_call_is_not_asked_for_again(
    database: Database, data_dir: Path
) -> None:
    """Finished calls are stored with the words before them, and the model goes on from there."""
    seen: list[str] = []
    long = "word " * 4_000
    reply = Reply([TextOut("I look."), ToolOut("look", {"at": "leaves"}), TextOut(long)])
    agent = an_agent(a_look(seen))
    async with live_app(database, TurnScript(reply), data_dir, agents=[agent], pace=Pace(tokens_per_s=500)) as first:
        run_id = await first.start()
        await first.wait_for_event(run_id, "tool_result")
    model = TurnScript(reply, LAST)
    async with live_app(database, model, data_dir, agents=[agent], root=first.root) as life:
        log = [one for one in await life.streamed(run_id) if one.kind != "agent_reasoning_delta"]
        sent = life.server.requests[0].body["messages"]
        run = await life.store.run(run_id)
    assert seen == ["leaves"]
    assert [message["role"] for message in sent[:3]] == ["user", "assistant", "user"]
    assert [block["type"] for block in sent[1]["content"]] == ["text", "tool_use"]
    assert model.asked == 1
    assert run.state is RunState.COMPLETED
    assert long.strip() not in json.dumps([data(one) for one in log])


async def test_K6_a_read_that_was_cut_off_is_simply_run_again(database: Database, data_dir: Path) -> None:
    """Trap 4."""
    seen: list[str] = []
    model = TurnScript(LOOK, LAST)
    root, run_id = await cut_in_a_look(database, data_dir, model, seen)
    async with live_app(database, model, data_dir, agents=[an_agent(a_look(seen))], root=root) as life:
        await life.streamed(run_id)
        log = await life.stored_events(run_id)
        assert_whole(log, await life.store.run(run_id))
    assert seen == ["leaves", "leaves"]
    assert kinds(log).count("tool_result") == 1
    assert model.asked == 2


async def test_trap_56_a_stop_of_the_server_waits_for_a_write_that_cannot_be_repeated_and_keeps_its_end(
    database: Database, data_dir: Path
) -> None:
    sent: list[str] = []
    hang = Blocker()
    model = TurnScript(Reply([ToolOut("post", {"letter": "a bill"}), ToolOut("post", {"letter": "another"})]), LAST)
    agent = an_agent(a_post(sent, hang))
    async with live_app(database, model, data_dir, agents=[agent]) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "usage")
        await hang.reached.wait()
        closing = asyncio.create_task(life.runs.close())
        await drain_event_loop()
        assert not closing.done()
        hang.may_go.set()
        await closing
    async with live_app(database, model, data_dir, agents=[agent], root=life.root) as life:
        run = await life.wait_until_released(run_id)
        log = await life.stored_events(run_id)
    assert sent == ["a bill"]  # the other had not begun when the server was stopped, and says so
    assert [one["ok"] for one in of_kind(log, "tool_result")] == [True, False]
    assert run.state is RunState.COMPLETED
    assert_whole(log, run)


@pytest.mark.parametrize("cut_in", [2, 4])
async def test_trap_7_what_was_spent_before_a_cut_counts_against_the_budget(
    database: Database, data_dir: Path, cut_in: int
) -> None:
    """A run that was cut off ends where the same run ends that was not."""
    steps = [Reply([ToolOut("look", {"at": f"leaf {n}"})], usage={"output_tokens": 700}) for n in range(30)]
    policy, model, seen = policy_with(max_run_tokens=4_000, max_iterations=40), TurnScript(*steps), list[str]()
    async with live_app(database, model, data_dir, agents=[an_agent(a_look(seen), policy=policy)]) as life:
        whole = await life.wait_until_released(await life.start())
    hang = Blocker(at=cut_in)
    async with live_app(database, model, data_dir, agents=[an_agent(a_look(seen, hang), policy=policy)]) as life:
        run_id = await life.start()
        await life.wait_for_event(run_id, "usage", times=cut_in)
        await hang.reached.wait()
    async with live_app(
        database, model, data_dir, agents=[an_agent(a_look(seen), policy=policy)], root=life.root
    ) as life:
        run = await life.wait_until_released(run_id)
        assert_whole(await life.stored_events(run_id), run)
    assert (run.state, run.reason, run.epoch) == (RunState.COMPLETED, "budget", 2)
    assert run.usage.output_tokens == whole.usage.output_tokens


async def test_trap_60_61_time_that_was_worked_before_a_cut_counts_against_the_limits(
    database: Database, data_dir: Path
) -> None:
    """The checkpoints say how long the run has worked; the time between two workers is not counted."""
    seen: list[str] = []
    model = TurnScript(LOOK, Reply([ToolOut("look", {"at": "stems"})]), LAST)
    async with live_app(database, model, data_dir, agents=[an_agent(a_look(seen))], auto_resume=False) as life:
        run_id = await life.start()
        await life.wait_until_released(run_id)
        worked = [one.elapsed_s for one in (await life.store.record(run_id)).checkpoints]
    assert worked == sorted(worked)
    assert worked[-1] > 0

    root, cut_id = await cut_in_a_look(database, data_dir, model, seen)
    impatient = an_agent(a_look(seen), policy=policy_with(hard_limit_s=1e-9, soft_limit_s=1e-9))
    async with live_app(database, model, data_dir, agents=[impatient], root=root) as life:
        late = await life.wait_until_released(cut_id)
        log = await life.stored_events(cut_id)
    assert (late.state, late.reason) == (RunState.TIMED_OUT, "hard_limit")
    assert_whole(log, late)


async def test_B4_the_third_crash_at_one_place_fails_the_run_and_the_next_in_its_lane_goes(
    database: Database, data_dir: Path
) -> None:
    """Trap 8."""
    model = TurnScript(LOOK, LAST)
    async with AsyncExitStack() as lives:
        hang, looks = Blocker(), list[str]()
        life = await lives.enter_async_context(
            live_app(database, model, data_dir, agents=[an_agent(a_look(looks, hang))])
        )
        run_id = await life.start()
        next_id = await life.start(on_busy=OnBusy.ENQUEUE)
        for crashes in (0, 1, 1, 2):  # the first worker was cut off in the middle of the reply, the others after it
            await hang.reached.wait()
            assert (await life.store.run(run_id)).crashes == crashes
            hang = Blocker()
            agent = an_agent(a_look(looks, None if crashes == 2 else hang))
            life = await lives.enter_async_context(
                live_app(database, model, data_dir, agents=[agent], root=life.root, backend=life.backend)
            )
        await life.streamed(next_id)
        failed, after = await life.store.run(run_id), await life.store.run(next_id)
        log = await life.stored_events(run_id)
    assert failed.error is not None
    assert (failed.state, failed.error.code) == (RunState.FAILED, "crash_loop")
    assert after.state is RunState.COMPLETED
    assert kinds(log).count("run_resumed") == 3
    assert_whole(log, failed)


async def test_K4_without_auto_resume_a_cut_off_run_says_so_and_waits_to_be_asked(
    database: Database, data_dir: Path
) -> None:
    seen: list[str] = []
    model = TurnScript(LOOK, LAST)
    root, run_id = await cut_in_a_look(database, data_dir, model, seen)
    async with live_app(
        database, model, data_dir, agents=[an_agent(a_look(seen))], root=root, auto_resume=False
    ) as life:
        cut_off = await life.store.run(run_id)
        assert (cut_off.state, cut_off.cut_off, cut_off.epoch) == (RunState.RUNNING, True, 1)
        handoff = await life.runs.handoff(run_id, user_id=DEFAULT_USER_ID)
        assert handoff.journal.next == "Resume it: it continues from here."
        asked = await life.runs.resume(run_id, user_id=DEFAULT_USER_ID)
        assert asked.id == run_id
        await life.streamed(run_id)
        log = await life.stored_events(run_id)
        run = await life.store.run(run_id)
    assert of_kind(log, "run_resumed")[0]["cause"] == "asked"
    assert run.state is RunState.COMPLETED
    assert_whole(log, run)


async def test_a_run_that_was_cut_off_before_its_brief_simply_begins(database: Database, data_dir: Path) -> None:
    model = a_grower()
    stopped = partial(InterruptedStore, at=1, stored=False)
    async with model_backend(model) as brain, cut_living(database, data_dir, stopped, brain) as (first, cut):
        run_id = await first.start()
        await cut.cut.wait()
        async with live_app(database, model, data_dir, root=first.root) as life:
            await life.streamed(run_id)
            log = await life.stored_events(run_id)
            await assert_grown_once(life, run_id)
    assert kinds(log)[:4] == ["run_started", "run_resumed", "agent_start", "agent_reasoning"]


async def test_K3_K5_a_run_that_asks_no_model_goes_on_from_every_boundary_and_waits_for_nobody(
    database: Database, data_dir: Path
) -> None:
    """A path that is there already is told again: a run without instructions has none that can have changed."""
    resumed = 0
    async with asyncio.timeout(120), model_backend(a_grower()) as brain:
        async with live_app(database, a_grower(), data_dir, backend=brain) as life:
            await life.streamed(await life.start())
            root = life.root
            concepts, _ = await life.repositories.children(root.id)
            for node in (root, *concepts):
                await life.repositories.mark_generated(node.id, user_id=life.user_id)
        told = partial(live_app, database, a_grower(), data_dir, backend=brain, root=root)
        tellers = [topic_agent(life.repositories)]
        for at, stored in itertools.product(range(1, 4), (False, True)):
            cut = partial(InterruptedStore, at=at, stored=stored)
            async with told(store_like=cut, agents=tellers) as first:
                assert isinstance(first.store, InterruptedStore)
                run_id = await first.start()
                await first.store.cut.wait()
                async with told(agents=tellers) as second:
                    await second.streamed(run_id)
                    run = await second.wait_until_released(run_id)
                    log = await second.stored_events(run_id)
                first.store.released.set()
            assert (run.state, run.usage) == (RunState.COMPLETED, Usage())
            assert of_kind(log, "agent_done")[-1]["conceptCount"] == len(concepts) == kinds(log).count("node_created")
            assert_whole(log, run)
            resumed += kinds(log).count("run_resumed")
    assert resumed == 5  # after the last write there was nothing left to do


async def test_a_model_failure_after_a_resume_counts_what_was_spent_before(database: Database, data_dir: Path) -> None:
    model = TurnScript(LOOK, Fault("bad_key"))
    seen: list[str] = []
    root, run_id = await cut_in_a_look(database, data_dir, model, seen)
    async with live_app(database, model, data_dir, agents=[an_agent(a_look(seen))], root=root) as life:
        await life.streamed(run_id)
        run = await life.store.run(run_id)
        assert_whole(await life.stored_events(run_id), run)
    assert run.state is RunState.FAILED
    assert run.usage.output_tokens > 0


PAGES = 7
NARROW = policy_with(
    context_window=8_000,
    reserve_tokens=500,
    buffer_tokens=300,
    max_output_tokens=500,
    thrash_pattern=99,  # reading on is no circle
)


class Reader:
    """A model that reads page after page of what it is given, and knows by the pages alone where it is."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def answer(self, body: Body) -> Reply:
        page = len(self.read) + 1
        return LAST if page > PAGES else Reply([TextOut(f"Page {page}."), ToolOut("page", {"number": page})])

    def tool(self, hang: Blocker | None = None) -> Tool:
        @tool()
        async def page(number: int) -> str:
            """Read a page."""
            if hang is not None and number == PAGES - 1:
                await hang()
            self.read.append(f"page {number}")
            return f"This is page {number}. " + "Light falls on the leaf, and air goes in. " * 120

        return page


async def test_K3_C8_a_run_whose_view_was_compacted_goes_on_with_the_same_view(
    database: Database, data_dir: Path
) -> None:
    """The request after the restart equals the one that would have been sent without it."""
    whole, cut, hang = Reader(), Reader(), Blocker()
    async with live_app(database, whole, data_dir, agents=[an_agent(whole.tool(), policy=NARROW)]) as life:
        run_id = await life.start()
        await life.streamed(run_id)
        wanted = [request.body["messages"] for request in life.server.requests]
        assert "context_compacted" in kinds(await life.stored_events(run_id))
    async with live_app(database, cut, data_dir, agents=[an_agent(cut.tool(hang), policy=NARROW)]) as life:
        run_id, root = await life.start(), life.root
        await hang.reached.wait()
        await life.wait_for_event(run_id, "tool_call", times=PAGES - 1)
        assert "context_compacted" in kinds(await life.stored_events(run_id)), "it was cut off after one"
        asked = [request.body["messages"] for request in life.server.requests]
    async with live_app(database, cut, data_dir, agents=[an_agent(cut.tool(), policy=NARROW)], root=root) as life:
        await life.streamed(run_id)
        asked += [request.body["messages"] for request in life.server.requests]
        assert (await life.store.run(run_id)).state is RunState.COMPLETED
    assert [without_ids(one) for one in asked] == [without_ids(one) for one in wanted]


def without_ids(messages: list[dict[str, Any]]) -> str:
    """Sent messages with their calls numbered in order: call ids differ from run to run."""
    text = json.dumps(messages)
    for number, call_id in enumerate(dict.fromkeys(re.findall(r'"(toolu_[^"]+)"', text))):
        text = text.replace(call_id, f"call {number}")
    return text
