"""Runs in the database, on SQLite and PostgreSQL: numbers without gaps, one run per lane, one end."""

import asyncio
import json
from datetime import timedelta

import pytest
from sqlalchemy import Connection, event
from sqlmodel import col, select

from harness.builders import (
    CLAIM,
    a_child,
    a_concept,
    a_question,
    a_reasoning_event,
    a_run,
    a_topic,
    an_end_event,
    end_run,
    start_run,
    unfinished_runs,
)
from sprout.errors import NotFound
from sprout.events import ReachedLimit, ReasoningDelta, Usage
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.runs.run_store import CallBegun, CallEnded, Checkpoint, StoredEvent
from sprout.runs.state import Run, RunAlreadyEnded, RunError, RunState
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.completion import ENDED_WITH_ROOT
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.run_tables import CheckpointRow, ToolCall


@pytest.fixture
async def run(runs: SqlRunStore, paths: SqlPaths) -> Run:
    """A running root run, with one event in its log."""
    return await start_run(runs, a_run(await a_topic(paths)))


async def test_B2_a_hundred_appends_at_once_are_numbered_without_a_gap_and_published_in_that_order(
    runs: SqlRunStore, run: Run, published: list[StoredEvent]
) -> None:
    await asyncio.gather(
        *(runs.append(run, [a_reasoning_event(f"{n}"), a_reasoning_event(f"{n}!")]) for n in range(100))
    )

    stored = await runs.events(run.id)
    assert [one.seq for one in stored] == list(range(1, 202))
    assert published == stored
    assert (await runs.run(run.id)).last_seq == 201


async def test_V1_an_event_is_stored_as_it_is_sent_with_agent_run_and_time(
    runs: SqlRunStore, run: Run, published: list[StoredEvent]
) -> None:
    await runs.append(run, [a_reasoning_event("a\nb\x00c")])
    (first, second) = await runs.events(run.id)
    assert [first, second] == published
    assert (second.kind, "\n" in second.data) == ("agent_reasoning", False)
    data = json.loads(second.data)
    assert (data["agent"], data["runId"], data["text"]) == ("topic", run.id, "a\nb\x00c")
    assert data["at"].endswith("Z")


async def test_a_delta_is_refused_since_it_is_not_stored(runs: SqlRunStore, run: Run) -> None:
    with pytest.raises(ValueError, match="not durable"):
        await runs.append(run, [a_reasoning_event(), ReasoningDelta(block_id="b", text="a")])
    assert len(await runs.events(run.id)) == 1


async def test_V2_reading_goes_on_after_any_cursor(runs: SqlRunStore, run: Run) -> None:
    await runs.append(run, [a_reasoning_event(str(n)) for n in range(9)])
    assert [one.seq for one in await runs.events(run.id, after=3, limit=2)] == [4, 5]
    assert await runs.events(run.id, after=10) == []
    assert await runs.events(run.id, after=10**30) == []
    assert len(await runs.events(run.id, after=-1)) == 10
    assert await runs.events("no such run\x00") == []


async def test_R3_a_hundred_admissions_to_one_lane_make_one_run(runs: SqlRunStore, paths: SqlPaths) -> None:
    root = await a_topic(paths)
    admitted = await asyncio.gather(*(runs.admit(a_run(root)) for _ in range(100)))
    assert len({one.run.id for one in admitted}) == 1
    assert sorted(one.outcome for one in admitted) == ["attached"] * 99 + ["new"]
    assert await unfinished_runs(runs) == [admitted[0].run]


async def test_R3_a_lane_takes_a_new_run_once_the_last_has_ended(runs: SqlRunStore, paths: SqlPaths, run: Run) -> None:
    again = a_run(await paths.node(run.node_id, user_id=run.user_id))
    assert (await runs.admit(again)).run.id == run.id
    await end_run(runs, run)
    assert (await runs.admit(again)).run.id == again.id


async def test_a_run_can_be_admitted_for_an_own_node_only(runs: SqlRunStore, paths: SqlPaths) -> None:
    mine, theirs = await a_topic(paths), await a_topic(paths, user_id="someone-else")
    with pytest.raises(NotFound):
        await runs.admit(a_run(theirs, user_id=mine.user_id))
    with pytest.raises(NotFound):
        await runs.admit(a_run(mine, node_id="gone"))
    assert await unfinished_runs(runs) == []

    await runs.admit(a_run(theirs))
    with pytest.raises(NotFound):  # nor can one join theirs
        await runs.admit(a_run(theirs, user_id=mine.user_id))


async def test_B1_a_run_is_claimed_once(runs: SqlRunStore, paths: SqlPaths) -> None:
    queued = (await runs.admit(a_run(await a_topic(paths)))).run
    results = await asyncio.gather(*(runs.claim(queued.lane, CLAIM) for _ in range(5)))
    assert [type(one) for one in results].count(Run) == 1
    assert [one.kind for one in await runs.events(queued.id)] == ["run_started"]


async def test_B5_of_many_ends_one_is_written(runs: SqlRunStore, run: Run) -> None:
    endings = (
        end_run(runs, run, state)
        for state in (RunState.COMPLETED, RunState.CANCELLED, RunState.FAILED, RunState.TIMED_OUT) * 5
    )
    results = await asyncio.gather(*endings, return_exceptions=True)

    (settled,) = (one for one in results if isinstance(one, Run))
    assert all(isinstance(one, (Run, RunAlreadyEnded)) for one in results)
    ends = [one for one in await runs.events(run.id) if one.kind == "run_done"]
    assert [json.loads(one.data)["status"] for one in ends] == [settled.state]
    assert (await runs.run(run.id)).state is settled.state


async def test_B5_nothing_follows_the_end(runs: SqlRunStore, run: Run, published: list[StoredEvent]) -> None:
    await end_run(runs, run)
    for late in ([a_reasoning_event()], [], [CallBegun("c", "save", "{}", "write")]):
        with pytest.raises(RunAlreadyEnded) as refused:
            await runs.append(run, late)
        assert refused.value.state is RunState.COMPLETED
    assert published[-1].kind == "run_done"
    assert await runs.events(run.id) == published


async def test_an_ended_run_says_how_it_went(runs: SqlRunStore, run: Run) -> None:
    error = RunError("overloaded", "Claude is overloaded: try again later.", retryable=True)
    usage = Usage(input_tokens=5, output_tokens=4, cache_write_tokens=3, cache_read_tokens=2, cost_usd=0.125)
    settled = await runs.settle(
        run, RunState.FAILED, reason="model_failed", usage=usage, error=error, entries=[an_end_event("failed")]
    )
    assert settled == await runs.run(run.id)
    assert (settled.state, settled.reason, settled.usage, settled.error) == (
        RunState.FAILED,
        "model_failed",
        usage,
        error,
    )
    for moment in (settled.created_at, settled.started_at, settled.ended_at):
        assert moment is not None
        assert moment.utcoffset() == timedelta(0)


async def test_M3_the_limit_that_ended_a_run_stands_in_its_row(runs: SqlRunStore, run: Run) -> None:
    limit = ReachedLimit(unit="usd", amount=0.125)
    settled = await runs.settle(
        run,
        RunState.COMPLETED,
        reason="budget",
        usage=Usage(),
        error=None,
        entries=[an_end_event("completed")],
        reached_limit=limit,
    )
    assert run.reached_limit is None
    assert settled.reached_limit == limit
    assert (await runs.run(run.id)) == settled


async def test_a_run_that_waits_for_a_human_has_not_ended(runs: SqlRunStore, run: Run) -> None:
    waiting = await runs.pause(run, a_question(), [a_reasoning_event()])
    assert waiting.ended_at is None
    assert [one.id for one in await unfinished_runs(runs)] == [run.id]
    assert (await end_run(runs, waiting, RunState.CANCELLED)).state is RunState.CANCELLED


async def test_a_childs_events_are_in_its_roots_log(runs: SqlRunStore, paths: SqlPaths, run: Run) -> None:
    concept = await a_concept(paths, await paths.node(run.node_id, user_id=run.user_id), "Light")
    child = await start_run(runs, a_child(run, concept))
    await asyncio.gather(*(runs.append(one, [a_reasoning_event()]) for one in (run, child) * 10))

    stored = await runs.events(run.id)
    assert [one.seq for one in stored] == list(range(1, 23))
    assert {json.loads(one.data)["runId"] for one in stored} == {run.id, child.id}
    assert (await runs.run(child.id)).last_seq == 22
    assert await runs.events(child.id) == []


async def test_a_child_that_has_ended_writes_no_more_while_its_root_goes_on(
    runs: SqlRunStore, paths: SqlPaths, run: Run
) -> None:
    concept = await a_concept(paths, await paths.node(run.node_id, user_id=run.user_id), "Light")
    child = await start_run(runs, a_child(run, concept))
    await end_run(runs, child)
    with pytest.raises(RunAlreadyEnded):
        await runs.append(child, [a_reasoning_event()])
    await runs.append(run, [a_reasoning_event()])
    assert [one.kind for one in await runs.events(run.id)] == ["run_started", "run_started", "agent_reasoning"]


async def test_B5_a_root_that_ends_takes_its_children_along(runs: SqlRunStore, paths: SqlPaths, run: Run) -> None:
    root = await paths.node(run.node_id, user_id=run.user_id)
    going = await start_run(runs, a_child(run, await a_concept(paths, root, "Light")))
    done = await start_run(runs, a_child(run, await a_concept(paths, root, "Leaves")))
    await end_run(runs, done)
    await end_run(runs, run, RunState.TIMED_OUT)

    left = await runs.run(going.id)
    assert (left.state, left.reason, left.ended_at is not None) == (RunState.TIMED_OUT, ENDED_WITH_ROOT, True)
    assert (await runs.run(done.id)).reason == "end_turn"
    assert await unfinished_runs(runs) == []
    with pytest.raises(RunAlreadyEnded):
        await runs.append(going, [a_reasoning_event()])
    with pytest.raises(RunAlreadyEnded):
        await runs.admit(a_child(run, await a_concept(paths, root, "Late")))


async def test_asking_a_root_to_stop_asks_its_children_too(runs: SqlRunStore, paths: SqlPaths, run: Run) -> None:
    concept = await a_concept(paths, await paths.node(run.node_id, user_id=run.user_id), "Light")
    child = await start_run(runs, a_child(run, concept))
    await runs.cancel(run.id)
    assert (await runs.run(run.id)).cancel_requested
    assert (await runs.run(child.id)).cancel_requested

    await end_run(runs, run, RunState.CANCELLED)
    await runs.cancel(run.id)  # once more does no harm
    with pytest.raises(NotFound):
        await runs.cancel("nothing")


async def test_D13_another_learners_run_is_not_found(runs: SqlRunStore, run: Run) -> None:
    assert (await runs.run(run.id, user_id=run.user_id)).id == run.id
    with pytest.raises(NotFound) as foreign:
        await runs.run(run.id, user_id="someone-else")
    with pytest.raises(NotFound) as missing:
        await runs.run("nothing", user_id=run.user_id)
    assert str(foreign.value).replace(run.id, "nothing") == str(missing.value)
    assert await runs.runs(user_id="someone-else") == []


async def test_runs_are_listed_newest_first_and_what_is_unfinished_oldest_first(
    runs: SqlRunStore, paths: SqlPaths
) -> None:
    nodes = [await a_topic(paths, f"Topic {n}") for n in range(3)]
    admitted = [(await runs.admit(a_run(node))).run for node in nodes]
    child = (await runs.admit(a_child(admitted[0], await a_concept(paths, nodes[0], "Light")))).run
    admitted[0] = await runs.run(admitted[0].id)
    assert await runs.runs(user_id=DEFAULT_USER_ID) == admitted[::-1]
    assert await runs.runs(user_id=DEFAULT_USER_ID, limit=1) == admitted[2:]
    assert await runs.runs(user_id=DEFAULT_USER_ID, branch_id=nodes[0].branch_id, roots_only=False) == [
        child,
        admitted[0],
    ]
    assert await unfinished_runs(runs) == [*admitted, child]


async def test_K6_an_envelope_is_open_until_its_call_has_ended(runs: SqlRunStore, run: Run, database: Database) -> None:
    calls = [CallBegun("c1", "look", '{"a": "\\u0000"}', "read"), CallBegun("c2", "save", "{}", "write")]
    await runs.append(run, calls)
    await runs.append(run, [CallEnded("c1", "found \x00 \ud800", is_error=True, attempts=2)])

    one, two = await calls_of(database, run)
    assert (one.name, one.effect, one.input, one.result, one.is_error, one.attempts) == (
        *("look", "read", '{"a": "\\u0000"}'),
        *("found \ufffd \ufffd", True, 2),
    )
    assert one.completed_at is not None
    assert (two.completed_at, two.result) == (None, None)


async def test_K6_a_call_that_has_ended_is_not_opened_again(runs: SqlRunStore, run: Run, database: Database) -> None:
    calls = [CallBegun("c1", "look", "{}", "read"), CallBegun("c2", "look", "{}", "read")]
    await runs.append(run, calls)
    await runs.append(run, [CallEnded("c1", "found", is_error=False, attempts=1)])
    before = await calls_of(database, run)
    await runs.append(run, calls)
    after = await calls_of(database, run)
    assert (after[0].started_at, after[0].result) == (before[0].started_at, "found")
    assert after[1].started_at > before[1].started_at


async def test_the_end_of_a_call_that_never_began_is_refused_with_all_that_came_with_it(
    runs: SqlRunStore, run: Run
) -> None:
    with pytest.raises(NotFound):
        await runs.append(run, [a_reasoning_event(), CallEnded("c9", "?", is_error=False, attempts=1)])
    assert len(await runs.events(run.id)) == 1


async def test_K1_checkpoints_are_counted_per_run(runs: SqlRunStore, run: Run, database: Database) -> None:
    await runs.append(run, [Checkpoint("input", 0, '[{"role": "user"}]')])
    await runs.append(run, [Checkpoint("llm_response", 1, "[]"), Checkpoint("tool_result", 1, "[]")])
    async with database.open_read_session() as session:
        of_the_run = select(CheckpointRow).where(CheckpointRow.run_id == run.id).order_by(col(CheckpointRow.position))
        rows = (await session.exec(of_the_run)).all()
    assert [(one.position, one.kind, one.iteration) for one in rows] == [
        *((1, "input", 0), (2, "llm_response", 1), (3, "tool_result", 1))
    ]


async def test_trap_12_a_cancelled_task_still_commits_and_tells_what_it_began_to_commit(
    runs: SqlRunStore, run: Run, database: Database, published: list[StoredEvent]
) -> None:
    task = asyncio.create_task(runs.append(run, [a_reasoning_event()]))
    cancel_at_commit(database, task)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await runs.events(run.id) == published
    assert published[-1].seq == 2
    await runs.append(run, [a_reasoning_event()])
    assert published[-1].seq == 3


async def test_a_task_cancelled_at_any_moment_leaves_no_hole_and_no_lock(
    runs: SqlRunStore, run: Run, published: list[StoredEvent]
) -> None:
    tasks = []  # kept, and with them the frames in which they were cancelled: those must not hold the database
    for turns_of_the_loop in range(0, 150, 2):
        tasks.append(asyncio.create_task(runs.append(run, [a_reasoning_event()])))
        for _ in range(turns_of_the_loop):
            await asyncio.sleep(0)
        tasks[-1].cancel()
        await asyncio.wait(tasks[-1:])
        await runs.append(run, [a_reasoning_event("after")])
    stored = await runs.events(run.id)
    assert [one.seq for one in stored] == list(range(1, len(stored) + 1))
    assert stored == published


async def calls_of(database: Database, run: Run) -> list[ToolCall]:
    wanted = select(ToolCall).where(ToolCall.run_id == run.id).order_by(col(ToolCall.call_id))
    async with database.open_read_session() as session:
        return list((await session.exec(wanted)).all())


def cancel_at_commit(database: Database, task: asyncio.Task[None]) -> None:
    """Cancel the task when its next commit goes out to the database."""
    loop = asyncio.get_running_loop()

    def cancel(_connection: Connection) -> None:
        loop.call_soon_threadsafe(task.cancel)  # the commit goes out in the writer's thread

    event.listen(database.writer.engine, "commit", cancel, once=True)
