"""The life of runs: started, followed, joined, cut off, stopped (runs.md)."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sprout.agents.agent import Brief, Job, Team
from sprout.errors import BadInput, NotFound
from sprout.events import AgentDone
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.turn import TurnResult
from sprout.offline.faults.scenarios import Fault
from sprout.offline.pace import Pace
from sprout.offline.reply import Body
from sprout.offline.script import Reply, Scripted, TextOut, ToolOut
from sprout.runs.run_store import StoredEvent
from sprout.runs.state import RunState
from sprout.runs.streaming.bus import BusMessage, EphemeralEvent
from sprout.store.engine.database import Database
from tests import topologies
from tests.runs.live_app import LiveApp, live_app
from tests.runs.scripted_agents import an_agent, assert_whole

GROW = Reply([TextOut("Two concepts."), ToolOut("save", {"title": "Light"}), ToolOut("save", {"title": "Water"})])


class Grower:
    """The topic agent saves two concepts, its children say a word."""

    def __init__(self, grow: Reply | Fault = GROW, words: str = "All grown.") -> None:
        self._grow = grow
        self._words = words
        self._grown = False

    def answer(self, body: Body) -> Reply | Fault:
        if body.get("tools") and not self._grown:
            self._grown = True
            return self._grow
        return Reply([TextOut(self._words if body.get("tools") else "A child at work.")])


def kinds(messages: Sequence[BusMessage]) -> list[str]:
    return [one.kind for one in messages]


def stored_events(messages: Sequence[BusMessage]) -> list[StoredEvent]:
    return [one for one in messages if isinstance(one, StoredEvent)]


def data(message: BusMessage) -> dict[str, object]:
    parsed: dict[str, object] = json.loads(message.data)
    return parsed


async def started(life: LiveApp) -> str:
    admission = await life.runs.start("topic", node=life.root, user_id=DEFAULT_USER_ID)
    assert admission.outcome == "new"
    return admission.run.id


async def test_V1_every_event_of_a_run_and_its_children_has_the_next_number(database: Database, data_dir: Path) -> None:
    async with live_app(database, Grower(), data_dir) as life:
        run_id = await started(life)
        messages = await life.streamed(run_id)
        run = await life.store.run(run_id)
    assert [one.seq for one in stored_events(messages)] == list(range(1, len(stored_events(messages)) + 1))
    assert run.state is RunState.COMPLETED
    assert run.last_seq == stored_events(messages)[-1].seq


@topologies.workers
async def test_B7_with_one_place_for_growth_a_parent_does_not_wait_for_the_place_that_it_holds(
    database: Database, data_dir: Path
) -> None:
    async with live_app(database, Grower(), data_dir, places=2) as life:
        run_id = await started(life)
        await life.streamed(run_id)
        assert (await life.store.run(run_id)).state is RunState.COMPLETED


async def test_V4_events_come_in_the_order_of_the_contract(database: Database, data_dir: Path) -> None:
    async with live_app(database, Grower(), data_dir) as life:
        events = stored_events(await life.streamed(await started(life)))
    own = [one.kind for one in events if data(one)["agent"] == "topic"]
    assert own[:3] == ["run_started", "agent_start", "agent_reasoning"]
    assert own[-2:] == ["agent_done", "run_done"]
    for title in ("Light", "Water"):
        call = next(
            i for i, one in enumerate(events) if one.kind == "tool_call" and data(one)["input"] == {"title": title}
        )
        node = next(i for i, one in enumerate(events) if one.kind == "node_created" and title in one.data)
        result = next(i for i, one in enumerate(events) if one.kind == "tool_result" and title in one.data)
        assert call < node < result
    children = [one for one in events if str(data(one)["agent"]).startswith("subconcept_bootstrap:")]
    assert {str(data(one)["agent"]) for one in children} == {"subconcept_bootstrap:Light", "subconcept_bootstrap:Water"}
    assert max(events.index(one) for one in children) < len(events) - 2
    assert kinds(events).count("run_done") == 1


async def test_V2_a_reader_who_leaves_at_any_event_and_returns_misses_and_repeats_nothing(
    database: Database, data_dir: Path
) -> None:
    async with live_app(database, Grower(), data_dir) as life:
        run_id = await started(life)
        whole = stored_events(await life.streamed(run_id))
        for cut in range(len(whole)):
            assert stored_events(await life.streamed(run_id, after=cut)) == whole[cut:]


async def test_V2_a_late_reader_gets_the_block_in_flight_from_its_start(database: Database, data_dir: Path) -> None:
    words = " ".join(f"word{number}" for number in range(400))
    grow = Reply([TextOut(words)])
    async with live_app(database, Grower(grow), data_dir, pace=Pace(tokens_per_s=1_500)) as life:
        run_id = await started(life)
        async for batch in life.runs.follow(run_id):
            if any(one.kind == "agent_reasoning_delta" for one in batch):
                break
        late = await life.streamed(run_id)
    text = ""
    for one in late:
        if one.kind == "block_snapshot":
            text = str(data(one)["text"])
        elif one.kind == "agent_reasoning_delta":
            text += str(data(one)["text"])
    final = next(str(data(one)["text"]) for one in late if one.kind == "agent_reasoning")
    assert "block_snapshot" in kinds(late)
    assert final == words
    assert final.startswith(text)
    assert len(text) > len(words) / 2


@pytest.mark.parametrize("cursor", [-1, 10_000])
async def test_B3_a_cursor_that_the_log_does_not_have_gets_resync_and_everything(
    database: Database, data_dir: Path, cursor: int
) -> None:
    async with live_app(database, Grower(), data_dir) as life:
        run_id = await started(life)
        whole = stored_events(await life.streamed(run_id))
        messages = await life.streamed(run_id, after=cursor)
    assert messages[0].kind == "resync"
    assert stored_events(messages) == whole


async def test_R3_a_second_start_joins_the_run_that_is_going(database: Database, data_dir: Path) -> None:
    may_save = asyncio.Event()

    async def wait() -> None:
        await may_save.wait()

    async with live_app(database, Grower(), data_dir, before_save=wait) as life:
        first = await started(life)
        joined = [await life.runs.start("topic", node=life.root, user_id=DEFAULT_USER_ID) for _ in range(5)]
        assert all(one.outcome == "attached" and one.run.id == first for one in joined)
        may_save.set()
        one, other = await asyncio.gather(life.streamed(first), life.streamed(first))
        nodes, _ = await life.repositories.children(life.root.id)
    assert stored_events(one) == stored_events(other)
    assert [node.title for node in nodes] == ["Light", "Water"]


async def test_a_concept_is_worked_on_the_moment_it_is_saved(database: Database, data_dir: Path) -> None:
    saves = 0
    child_done = asyncio.Event()

    async def second_save_waits_for_the_first_child() -> None:
        nonlocal saves
        saves += 1
        if saves == 2:
            await asyncio.wait_for(child_done.wait(), 10)

    async with live_app(database, Grower(), data_dir, before_save=second_save_waits_for_the_first_child) as life:
        run_id = await started(life)
        async for batch in life.runs.follow(run_id):
            if any(one.kind == "agent_done" and "subconcept_bootstrap:Light" in one.data for one in batch):
                child_done.set()
        run = await life.store.run(run_id)
    assert run.state is RunState.COMPLETED


async def test_a_call_of_a_tool_that_does_not_exist_does_not_end_the_run(database: Database, data_dir: Path) -> None:
    grow = Reply([ToolOut("conjure", {"title": "Gold"}), ToolOut("save", raw_json='{"title": '), *GROW.blocks])
    async with live_app(database, Grower(grow), data_dir) as life:
        events = stored_events(await life.streamed(await started(life)))
        nodes, _ = await life.repositories.children(life.root.id)
    assert [node.title for node in nodes] == ["Light", "Water"]
    assert [data(one)["ok"] for one in events if one.kind == "tool_result"].count(False) == 2
    assert data(events[-1])["status"] == "completed"


async def test_X1_cancel_stops_the_run_and_keeps_what_was_saved(database: Database, data_dir: Path) -> None:
    saving = asyncio.Event()
    finish_saving = asyncio.Event()

    async def wait() -> None:
        saving.set()
        await finish_saving.wait()

    async with live_app(database, Grower(), data_dir, before_save=wait) as life:
        run_id = await started(life)
        await saving.wait()
        await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        again = await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        assert again.state is RunState.RUNNING
        finish_saving.set()
        events = stored_events(await life.streamed(run_id))
        run = await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        nodes, _ = await life.repositories.children(life.root.id)
    assert run.state is RunState.CANCELLED
    assert [node.title for node in nodes] == ["Light"]
    assert data(events[-1])["status"] == "cancelled"
    assert "agent_error" not in kinds(events)


async def test_X1_cancel_closes_the_models_stream_at_once(database: Database, data_dir: Path) -> None:
    grow = Reply([TextOut("word " * 5_000)])
    async with live_app(database, Grower(grow), data_dir, pace=Pace(tokens_per_s=200)) as life:
        run_id = await started(life)
        async for batch in life.runs.follow(run_id):
            if any(one.kind == "agent_reasoning_delta" for one in batch):
                await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        run = await life.store.run(run_id)
        async with asyncio.timeout(5):
            while not life.server.requests[0].closed_early:
                await asyncio.sleep(0)
    assert run.state is RunState.CANCELLED


async def test_X3_a_reader_who_leaves_does_not_cancel(database: Database, data_dir: Path) -> None:
    async with live_app(database, Grower(), data_dir) as life:
        run_id = await started(life)
        async for _ in life.runs.follow(run_id):
            break
        run = await life.wait_until_released(run_id)
    assert run.state is RunState.COMPLETED


async def test_a_failure_of_the_model_ends_the_run_with_what_to_do(database: Database, data_dir: Path) -> None:
    async with live_app(database, Scripted([Fault("bad_key")]), data_dir) as life:
        run_id = await started(life)
        events = stored_events(await life.streamed(run_id))
        run = await life.store.run(run_id)
    assert run.state is RunState.FAILED
    assert run.error is not None
    assert "ANTHROPIC_API_KEY" in run.error.message
    assert kinds(events)[-2:] == ["agent_error", "run_done"]


async def test_one_failed_child_leaves_the_others_and_the_parent_alone(database: Database, data_dir: Path) -> None:
    class OneChildFails(Grower):
        failed = False

        def answer(self, body: Body) -> Reply | Fault:
            if not body.get("tools") and not self.failed:
                self.failed = True
                return Fault("no_credit")
            return super().answer(body)

    async with live_app(database, OneChildFails(), data_dir) as life:
        events = stored_events(await life.streamed(await started(life)))
    assert kinds(events).count("agent_error") == 1
    assert kinds(events).count("agent_done") == 2
    assert data(events[-1])["status"] == "completed"


@topologies.quick_stop
async def test_K4_what_a_stop_of_the_server_cuts_off_goes_on_with_the_next(database: Database, data_dir: Path) -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    model = Grower()
    async with live_app(database, model, data_dir, before_save=wait) as life:
        run_id = await started(life)
        last: list[BusMessage] = []
        reader = asyncio.create_task(_collect(life, run_id, last))
        async with asyncio.timeout(10):
            while not any(one.kind == "tool_call" for one in last):
                await asyncio.sleep(0)
        root = life.root
    await reader
    assert last[-1].kind == "reconnect"

    async with live_app(database, model, data_dir, root=root) as life:
        events = stored_events(await life.streamed(run_id))
        run = await life.store.run(run_id)
        nodes, _ = await life.repositories.children(root.id)
    assert [one.seq for one in events] == list(range(1, len(events) + 1))
    assert kinds(events).count("run_resumed") == 1
    assert kinds(events).count("run_done") == 1
    assert data(events[-1])["status"] == "completed"
    assert (run.state, run.crashes, run.epoch) == (RunState.COMPLETED, 0, 2)
    assert [node.title for node in nodes] == ["Light"]  # the other call had not begun: its reply is not asked for again


async def _collect(life: LiveApp, run_id: str, into: list[BusMessage]) -> None:
    async for batch in life.runs.follow(run_id):
        into.extend(batch)


async def test_a_run_of_another_learner_is_not_found(database: Database, data_dir: Path) -> None:
    async with live_app(database, Grower(), data_dir) as life:
        run_id = await started(life)
        with pytest.raises(NotFound):
            await life.runs.run(run_id, user_id="somebody-else")
        with pytest.raises(NotFound):
            await life.runs.cancel(run_id, user_id="somebody-else")


async def test_usage_of_a_root_run_holds_its_childrens(database: Database, data_dir: Path) -> None:
    async with live_app(database, Grower(), data_dir) as life:
        run_id = await started(life)
        events = stored_events(await life.streamed(run_id))
        run = await life.store.run(run_id)
    spent = [data(one)["usage"] for one in events if one.kind == "usage"]
    assert run.usage.output_tokens == sum(usage["outputTokens"] for usage in spent)  # type: ignore[index]
    assert data(events[-1])["usage"] == run.usage.model_dump(by_alias=True)


async def test_what_was_spent_last_is_counted_where_an_agent_makes_nothing_of_it(
    database: Database, data_dir: Path
) -> None:
    spec = an_agent()

    async def refused(_: TurnResult | None) -> AgentDone:
        raise BadInput("There is nothing to make of this.")

    async def brief(job: Job, team: Team) -> Brief:
        return replace(await spec.brief(job, team), finish=refused)

    agents = [replace(spec, brief=brief)]
    async with live_app(database, Scripted([Reply([TextOut("That is it.")])]), data_dir, agents=agents) as life:
        run_id = await life.start()
        await life.streamed(run_id)
        run = await life.store.run(run_id)
        assert_whole(await life.stored_events(run_id), run)
    assert (run.reason, run.usage.output_tokens > 0) == ("bad_input", True)


async def test_V5_a_reader_that_falls_behind_catches_up_from_the_log(database: Database, data_dir: Path) -> None:
    many = Reply([ToolOut("save", {"title": f"Concept {number}"}) for number in range(60)])
    async with live_app(database, Grower(many), data_dir) as life:
        run_id = await started(life)
        slow = life.runs.follow(run_id)
        first = await anext(slow)
        await life.wait_until_released(run_id)
        rest = [one async for batch in slow for one in batch]
        whole = await life.stored_events(run_id)
    assert stored_events([*first, *rest]) == whole
    assert not isinstance(rest[-1], EphemeralEvent)


@topologies.workers
async def test_X5_a_process_that_is_shutting_down_still_admits_runs_which_another_one_carries(
    database: Database, data_dir: Path
) -> None:
    async with live_app(database, Grower(), data_dir, places=0) as leaving:
        leaving.runs.begin_shutdown()
        run_id = await leaving.start()
        assert (await leaving.store.run(run_id)).state is RunState.QUEUED
    async with live_app(database, Grower(), data_dir, root=leaving.root, exclusive=False) as other:
        await other.streamed(run_id)
        assert (await other.store.run(run_id)).ended


@topologies.workers
async def test_X5_a_process_that_is_shutting_down_still_stops_runs_which_another_one_carries(
    database: Database, data_dir: Path
) -> None:
    async with (
        live_app(database, Grower(), data_dir, places=0) as leaving,
        live_app(database, Scripted([Fault("stall")]), data_dir, root=leaving.root, exclusive=False) as other,
    ):
        run_id = await leaving.start()
        await other.wait_for_event(run_id, "run_started")
        leaving.runs.begin_shutdown()
        await leaving.runs.cancel_all(user_id=DEFAULT_USER_ID, branch_id=leaving.root.branch_id)
        assert (await leaving.store.run(run_id)).state is RunState.CANCELLED
