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
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.loop.turn import TurnResult
from sprout.offline.faults import Fault
from sprout.offline.pace import Pace
from sprout.offline.reply import Body
from sprout.offline.script import Reply, Scripted, TextOut, ToolOut
from sprout.runs.bus import News, Passing
from sprout.runs.log import Logged
from sprout.runs.state import RunState
from sprout.store.database import Database
from tests.runs.acting import an_agent, assert_whole
from tests.runs.living import Living, living

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


def kinds(news: Sequence[News]) -> list[str]:
    return [one.kind for one in news]


def logged(news: Sequence[News]) -> list[Logged]:
    return [one for one in news if isinstance(one, Logged)]


def data(one: News) -> dict[str, object]:
    parsed: dict[str, object] = json.loads(one.data)
    return parsed


async def started(life: Living) -> str:
    admission = await life.runs.start("topic", node=life.root, user_id=DEFAULT_USER_ID)
    assert admission.verdict == "new"
    return admission.run.id


async def test_V1_every_event_of_a_run_and_its_children_has_the_next_number(database: Database, data_dir: Path) -> None:
    async with living(database, Grower(), data_dir) as life:
        run_id = await started(life)
        news = await life.told(run_id)
        run = await life.store.run(run_id)
    assert [one.seq for one in logged(news)] == list(range(1, len(logged(news)) + 1))
    assert run.state is RunState.COMPLETED
    assert run.last_seq == logged(news)[-1].seq


async def test_V4_events_come_in_the_order_of_the_contract(database: Database, data_dir: Path) -> None:
    async with living(database, Grower(), data_dir) as life:
        news = logged(await life.told(await started(life)))
    own = [one.kind for one in news if data(one)["agent"] == "topic"]
    assert own[:3] == ["run_started", "agent_start", "agent_reasoning"]
    assert own[-2:] == ["agent_done", "run_done"]
    for title in ("Light", "Water"):
        call = next(
            i for i, one in enumerate(news) if one.kind == "tool_call" and data(one)["input"] == {"title": title}
        )
        node = next(i for i, one in enumerate(news) if one.kind == "node_created" and title in one.data)
        result = next(i for i, one in enumerate(news) if one.kind == "tool_result" and title in one.data)
        assert call < node < result
    children = [one for one in news if str(data(one)["agent"]).startswith("subconcept_bootstrap:")]
    assert {str(data(one)["agent"]) for one in children} == {"subconcept_bootstrap:Light", "subconcept_bootstrap:Water"}
    assert max(news.index(one) for one in children) < len(news) - 2
    assert kinds(news).count("run_done") == 1


async def test_V2_a_reader_who_leaves_at_any_event_and_returns_misses_and_repeats_nothing(
    database: Database, data_dir: Path
) -> None:
    async with living(database, Grower(), data_dir) as life:
        run_id = await started(life)
        whole = logged(await life.told(run_id))
        for cut in range(len(whole)):
            assert logged(await life.told(run_id, after=cut)) == whole[cut:]


async def test_V2_a_late_reader_gets_the_block_in_flight_from_its_start(database: Database, data_dir: Path) -> None:
    words = " ".join(f"word{number}" for number in range(400))
    grow = Reply([TextOut(words)])
    async with living(database, Grower(grow), data_dir, pace=Pace(tokens_per_s=1_500)) as life:
        run_id = await started(life)
        async for batch in life.runs.follow(run_id):
            if any(one.kind == "agent_reasoning_delta" for one in batch):
                break
        late = await life.told(run_id)
    told = ""
    for one in late:
        if one.kind == "block_snapshot":
            told = str(data(one)["text"])
        elif one.kind == "agent_reasoning_delta":
            told += str(data(one)["text"])
    final = next(str(data(one)["text"]) for one in late if one.kind == "agent_reasoning")
    assert "block_snapshot" in kinds(late)
    assert final == words
    assert final.startswith(told)
    assert len(told) > len(words) / 2


@pytest.mark.parametrize("cursor", [-1, 10_000])
async def test_B3_a_cursor_that_the_log_does_not_have_gets_resync_and_everything(
    database: Database, data_dir: Path, cursor: int
) -> None:
    async with living(database, Grower(), data_dir) as life:
        run_id = await started(life)
        whole = logged(await life.told(run_id))
        news = await life.told(run_id, after=cursor)
    assert news[0].kind == "resync"
    assert logged(news) == whole


async def test_R3_a_second_start_joins_the_run_that_is_going(database: Database, data_dir: Path) -> None:
    may_save = asyncio.Event()

    async def wait() -> None:
        await may_save.wait()

    async with living(database, Grower(), data_dir, before_save=wait) as life:
        first = await started(life)
        joined = [await life.runs.start("topic", node=life.root, user_id=DEFAULT_USER_ID) for _ in range(5)]
        assert all(one.verdict == "attached" and one.run.id == first for one in joined)
        may_save.set()
        one, other = await asyncio.gather(life.told(first), life.told(first))
        nodes, _ = await life.shelf.children(life.root.id)
    assert logged(one) == logged(other)
    assert [node.title for node in nodes] == ["Light", "Water"]


async def test_a_concept_is_worked_on_the_moment_it_is_saved(database: Database, data_dir: Path) -> None:
    saves = 0
    child_done = asyncio.Event()

    async def second_save_waits_for_the_first_child() -> None:
        nonlocal saves
        saves += 1
        if saves == 2:
            await asyncio.wait_for(child_done.wait(), 10)

    async with living(database, Grower(), data_dir, before_save=second_save_waits_for_the_first_child) as life:
        run_id = await started(life)
        async for batch in life.runs.follow(run_id):
            if any(one.kind == "agent_done" and "subconcept_bootstrap:Light" in one.data for one in batch):
                child_done.set()
        run = await life.store.run(run_id)
    assert run.state is RunState.COMPLETED


async def test_a_call_of_a_tool_that_does_not_exist_does_not_end_the_run(database: Database, data_dir: Path) -> None:
    grow = Reply([ToolOut("conjure", {"title": "Gold"}), ToolOut("save", raw_json='{"title": '), *GROW.blocks])
    async with living(database, Grower(grow), data_dir) as life:
        news = logged(await life.told(await started(life)))
        nodes, _ = await life.shelf.children(life.root.id)
    assert [node.title for node in nodes] == ["Light", "Water"]
    assert [data(one)["ok"] for one in news if one.kind == "tool_result"].count(False) == 2
    assert data(news[-1])["status"] == "completed"


async def test_X1_cancel_stops_the_run_and_keeps_what_was_saved(database: Database, data_dir: Path) -> None:
    saving = asyncio.Event()
    finish_saving = asyncio.Event()

    async def wait() -> None:
        saving.set()
        await finish_saving.wait()

    async with living(database, Grower(), data_dir, before_save=wait) as life:
        run_id = await started(life)
        await saving.wait()
        await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        again = await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        assert again.state is RunState.RUNNING
        finish_saving.set()
        news = logged(await life.told(run_id))
        run = await life.runs.cancel(run_id, user_id=DEFAULT_USER_ID)
        nodes, _ = await life.shelf.children(life.root.id)
    assert run.state is RunState.CANCELLED
    assert [node.title for node in nodes] == ["Light"]
    assert data(news[-1])["status"] == "cancelled"
    assert "agent_error" not in kinds(news)


async def test_X1_cancel_closes_the_models_stream_at_once(database: Database, data_dir: Path) -> None:
    grow = Reply([TextOut("word " * 5_000)])
    async with living(database, Grower(grow), data_dir, pace=Pace(tokens_per_s=200)) as life:
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
    async with living(database, Grower(), data_dir) as life:
        run_id = await started(life)
        async for _ in life.runs.follow(run_id):
            break
        run = await life.runs.ended(run_id)
    assert run.state is RunState.COMPLETED


async def test_a_failure_of_the_model_ends_the_run_with_what_to_do(database: Database, data_dir: Path) -> None:
    async with living(database, Scripted([Fault("bad_key")]), data_dir) as life:
        run_id = await started(life)
        news = logged(await life.told(run_id))
        run = await life.store.run(run_id)
    assert run.state is RunState.FAILED
    assert run.error is not None
    assert "ANTHROPIC_API_KEY" in run.error.message
    assert kinds(news)[-2:] == ["agent_error", "run_done"]


async def test_one_failed_child_leaves_the_others_and_the_parent_alone(database: Database, data_dir: Path) -> None:
    class OneChildFails(Grower):
        failed = False

        def answer(self, body: Body) -> Reply | Fault:
            if not body.get("tools") and not self.failed:
                self.failed = True
                return Fault("no_credit")
            return super().answer(body)

    async with living(database, OneChildFails(), data_dir) as life:
        news = logged(await life.told(await started(life)))
    assert kinds(news).count("agent_error") == 1
    assert kinds(news).count("agent_done") == 2
    assert data(news[-1])["status"] == "completed"


async def test_K4_what_a_stop_of_the_server_cuts_off_goes_on_with_the_next(database: Database, data_dir: Path) -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    model = Grower()
    async with living(database, model, data_dir, before_save=wait) as life:
        run_id = await started(life)
        last: list[News] = []
        reader = asyncio.create_task(_collect(life, run_id, last))
        async with asyncio.timeout(10):
            while not any(one.kind == "tool_call" for one in last):
                await asyncio.sleep(0)
        root = life.root
    await reader
    assert last[-1].kind == "reconnect"

    async with living(database, model, data_dir, root=root) as life:
        news = logged(await life.told(run_id))
        run = await life.store.run(run_id)
        nodes, _ = await life.shelf.children(root.id)
    assert [one.seq for one in news] == list(range(1, len(news) + 1))
    assert kinds(news).count("run_resumed") == 1
    assert kinds(news).count("run_done") == 1
    assert data(news[-1])["status"] == "completed"
    assert (run.state, run.crashes, run.epoch) == (RunState.COMPLETED, 0, 2)
    assert [node.title for node in nodes] == ["Light"]  # the other call had not begun: its reply is not asked for again


async def _collect(life: Living, run_id: str, into: list[News]) -> None:
    async for batch in life.runs.follow(run_id):
        into.extend(batch)


async def test_a_run_of_somebody_else_is_not_found(database: Database, data_dir: Path) -> None:
    async with living(database, Grower(), data_dir) as life:
        run_id = await started(life)
        with pytest.raises(NotFound):
            await life.runs.run(run_id, user_id="somebody-else")
        with pytest.raises(NotFound):
            await life.runs.cancel(run_id, user_id="somebody-else")


async def test_usage_of_a_root_run_holds_its_childrens(database: Database, data_dir: Path) -> None:
    async with living(database, Grower(), data_dir) as life:
        run_id = await started(life)
        news = logged(await life.told(run_id))
        run = await life.store.run(run_id)
    spent = [data(one)["usage"] for one in news if one.kind == "usage"]
    assert run.usage.output_tokens == sum(usage["outputTokens"] for usage in spent)  # type: ignore[index]
    assert data(news[-1])["usage"] == run.usage.model_dump(by_alias=True)


async def test_what_was_spent_last_is_counted_where_an_agent_makes_nothing_of_it(
    database: Database, data_dir: Path
) -> None:
    spec = an_agent()

    async def refused(_: TurnResult | None) -> AgentDone:
        raise BadInput("There is nothing to make of this.")

    async def brief(job: Job, team: Team) -> Brief:
        return replace(await spec.brief(job, team), finish=refused)

    agents = [replace(spec, brief=brief)]
    async with living(database, Scripted([Reply([TextOut("That is it.")])]), data_dir, agents=agents) as life:
        run_id = await life.started()
        await life.told(run_id)
        run = await life.store.run(run_id)
        assert_whole(await life.logged(run_id), run)
    assert (run.reason, run.usage.output_tokens > 0) == ("refused", True)


async def test_V5_a_reader_that_falls_behind_catches_up_from_the_log(database: Database, data_dir: Path) -> None:
    many = Reply([ToolOut("save", {"title": f"Concept {number}"}) for number in range(60)])
    async with living(database, Grower(many), data_dir) as life:
        run_id = await started(life)
        slow = life.runs.follow(run_id)
        first = await anext(slow)
        await life.runs.ended(run_id)
        rest = [one async for batch in slow for one in batch]
        whole = await life.logged(run_id)
    assert logged([*first, *rest]) == whole
    assert not isinstance(rest[-1], Passing)
