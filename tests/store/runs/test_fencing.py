"""A worker whose run somebody else has taken over writes nothing more, on both databases (B1, trap 9)."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from sqlmodel import col, select

from harness.builders import (
    CLAIM,
    a_child,
    a_concept,
    a_draft,
    a_question,
    a_reasoning_event,
    a_run,
    a_topic,
    an_end_event,
    cut_off_run,
    enroll_worker,
    expire_worker,
    start_run,
)
from sprout.clock import utc_now
from sprout.events import Usage
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.repositories import Repositories
from sprout.loop.tool_calls.permissions import Approval
from sprout.runs.run_store import CallBegun, CallCleared, CallEnded, Checkpoint, Entry, StoredEvent
from sprout.runs.state import Fenced, Run, RunState
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.run_tables import CheckpointRow, GraphOperation, ToolCall

ROUNDS = 40
NOW = utc_now()
Write = Callable[[SqlRunStore, Repositories, Run], Awaitable[object]]


def appending(*entries: Entry) -> Write:
    return lambda runs, _, run: runs.append(run, entries)


def edit(_: SqlRunStore, repositories: Repositories, run: Run) -> Awaitable[object]:
    actor = Actor(run.user_id, run.label, run.id, run.root_id, "open", epoch=run.epoch)
    return repositories.edit_graph(run.node_id, lambda graph: graph.add("Late", None, utc_now()), actor=actor)


def edit_of_nothing(_: SqlRunStore, repositories: Repositories, run: Run) -> Awaitable[object]:
    actor = Actor(run.user_id, run.label, run.id, run.root_id, epoch=run.epoch)
    return repositories.edit_graph(
        run.node_id, lambda graph: replace(graph.add("A", None, utc_now()), events=()), actor=actor
    )


def question(_: SqlRunStore, repositories: Repositories, run: Run) -> Awaitable[object]:
    actor = Actor(run.user_id, run.label, run.id, run.root_id, "open", epoch=run.epoch)
    return repositories.save_question(run.node_id, a_draft(), actor=actor)


def child(runs: SqlRunStore, _: Repositories, run: Run) -> Awaitable[object]:
    late = replace(run, id=new_id(), parent_id=run.id, lane=f"late:{run.id}", state=RunState.QUEUED, owner=None)
    return runs.admit(late, lease=CLAIM, parent=run)


def settle(runs: SqlRunStore, _: Repositories, run: Run) -> Awaitable[object]:
    closing = [an_end_event()] if run.is_root else []
    return runs.settle(
        run, RunState.COMPLETED, reason="end_turn", usage=Usage(), error=None, entries=[a_reasoning_event(), *closing]
    )


def pause(runs: SqlRunStore, _: Repositories, run: Run) -> Awaitable[object]:
    return runs.pause(run, a_question(), [Checkpoint("human_pause", 1)])


WRITES: dict[str, Write] = {
    "nothing": appending(),
    "an event": appending(a_reasoning_event()),
    "a checkpoint": appending(Checkpoint("llm_response", 1)),
    "the beginning of a call": appending(CallBegun("late", "save", "{}", "write")),
    "the end of a call": appending(CallEnded("open", "late", is_error=False, attempts=1)),
    "a call that is cleared": appending(CallCleared("open")),
    "an edit": edit,
    "an edit of nothing": edit_of_nothing,
    "a question": question,
    "a child": child,
    "a pause": pause,
    "an answer": lambda runs, _, run: runs.answer(run, [a_reasoning_event()], [Approval("open", "d")]),
    "an end": settle,
}
EVERY_WRITE = pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
KINDS = pytest.mark.parametrize("kind", ["root", "child"])


@EVERY_WRITE
@KINDS
async def test_trap_9_a_frozen_writer_writes_nothing_more(
    runs: SqlRunStore,
    repositories: SqlPathRepository,
    paths: SqlPaths,
    database: Database,
    published: list[StoredEvent],
    write: Write,
    kind: str,
) -> None:
    old, new = await take_over(runs, paths, database, kind)
    before, published_count = await everything(database, runs, old), len(published)
    with pytest.raises(Fenced) as fenced:
        await write(runs, repositories, old)
    assert fenced.value.run_id == old.id
    assert await everything(database, runs, old) == before
    assert published[published_count:] == []
    await runs.append(new, [a_reasoning_event()])  # while its worker goes on


async def test_trap_9_a_lost_wish_to_go_on_or_to_hear_no_more_of_it_is_refused_too(
    runs: SqlRunStore, paths: SqlPaths, database: Database
) -> None:
    old, new = await take_over(runs, paths, database, "root")
    for refused in (runs.request_resume(old), runs.discard(old)):
        with pytest.raises(Exception, match="run"):
            await refused
    await runs.release_run(old, crashed=True)
    assert await runs.run(new.id) == new


@KINDS
async def test_B1_a_write_that_races_with_a_takeover_comes_before_it_or_not_at_all(
    runs: SqlRunStore, paths: SqlPaths, database: Database, published: list[StoredEvent], kind: str
) -> None:
    """B1, I2: where the takeover commits while the write waits for the log, the write is refused all the same."""
    chance, won = random.Random(9), 0
    old, _ = await take_over(runs, paths, database, kind)
    lane = old.lane
    for n in range(ROUNDS):
        worker = await enroll_worker(runs, f"worker {n}")
        await expire_worker(database, replace(CLAIM, owner=(await runs.run(old.id)).owner or ""))
        old = await runs.run(old.id)
        await runs.append(old, [Checkpoint("tool_result", n)])  # or so many crashes at one place would end it
        published_count = len(published)
        late = [runs.append(old, [a_reasoning_event(f"{n}"), Checkpoint("llm_response", n)]) for _ in range(3)]
        contenders: list[Awaitable[Any]] = [*late, runs.claim(lane, worker)]
        chance.shuffle(contenders)
        results = await asyncio.gather(*contenders, return_exceptions=True)

        (new,) = [one for one in results if isinstance(one, Run)]
        refused = [one for one in results if isinstance(one, Fenced)]
        assert all(one is None or isinstance(one, (Run, Fenced)) for one in results)
        assert new.epoch == old.epoch + 1
        written = 3 - len(refused)
        won += written
        in_log_order = sorted(published[published_count:], key=lambda one: one.seq)  # two may change places
        assert [one.kind for one in in_log_order] == ["agent_reasoning"] * written + ["run_resumed"]
        assert len((await runs.record(old.id)).checkpoints) == won + n + 1
        old = new
    assert 0 < won < 3 * ROUNDS, "both orders have been seen"
    stored = await runs.events(old.root_id)
    assert [one.seq for one in stored] == list(range(1, len(stored) + 1))


@KINDS
async def test_B1_an_edit_that_races_with_a_takeover_is_there_whole_or_not_at_all(
    runs: SqlRunStore, paths: SqlPaths, database: Database, repositories: SqlPathRepository, kind: str
) -> None:
    """K7, I5: the node, its event and the record of who did it; a tool of the old worker changes nothing."""
    old, won = (await take_over(runs, paths, database, kind))[1], 0
    for n in range(ROUNDS):
        await runs.append(old, [Checkpoint("tool_result", n)])
        await expire_worker(database, replace(CLAIM, owner=old.owner or ""))
        actor = Actor(old.user_id, old.label, old.id, old.root_id, epoch=old.epoch)
        edit = repositories.edit_graph(
            old.node_id, partial(ConceptGraph.add, title=f"N{n}", desc=None, now=NOW), actor=actor
        )
        both = [edit, runs.claim(old.lane, await enroll_worker(runs, f"worker {n}"))]
        first, second = await asyncio.gather(*(both if n % 2 else both[::-1]), return_exceptions=True)
        edited, new = (first, second) if n % 2 else (second, first)
        assert isinstance(edited, (Edit, Fenced))
        assert isinstance(new, Run)
        old, won = new, won + isinstance(edited, Edit)
    made = [one for one in await runs.events(old.root_id) if one.kind == "node_created"]
    async with database.open_read_session() as session:
        records = (await session.exec(select(GraphOperation).where(GraphOperation.run_id == old.id))).all()
    nodes = [node for node in (await repositories.children(old.node_id))[0] if node.title.startswith("N")]
    assert (len(made), len(records), len(nodes)) == (won, won, won)


@KINDS
async def test_B1_of_an_end_and_a_takeover_at_once_the_loser_finds_the_winner(
    runs: SqlRunStore, paths: SqlPaths, database: Database, repositories: SqlPathRepository, kind: str
) -> None:
    """B5: the run has ended and nothing was resumed, or it is resumed and has not ended."""
    for n in range(20):
        dead = await enroll_worker(runs, f"dead {n}")
        node = await a_topic(paths, f"Topic {n}")
        old = await start_run(runs, a_run(node), dead)
        if kind == "child":
            old = await start_run(runs, a_child(old, await a_concept(paths, node, "Light")), dead)
        await expire_worker(database, dead)
        end, new = await asyncio.gather(
            settle(runs, repositories, old), runs.claim(old.lane, CLAIM), return_exceptions=True
        )
        now = await runs.run(old.id)
        if isinstance(new, Run):
            assert isinstance(end, Fenced)
            assert (now.state, now.epoch) == (RunState.RUNNING, 2)
        else:
            assert (isinstance(end, Run), new, now.state) == (True, None, RunState.COMPLETED)


async def take_over(runs: SqlRunStore, paths: SqlPaths, database: Database, kind: str) -> tuple[Run, Run]:
    """A run with an open call as its frozen worker knows it, and as it is now."""
    node = await a_topic(paths)
    old = await cut_off_run(runs, database, a_run(node), "frozen root")
    if kind == "child":
        old = await cut_off_run(runs, database, a_child(old, await a_concept(paths, node, "Light")), "frozen child")
    await runs.append(old, [CallBegun("open", "save", "{}", "write")])
    new = await runs.claim(old.lane, CLAIM)
    assert new is not None
    return old, new


async def everything(database: Database, runs: SqlRunStore, run: Run) -> list[object]:
    """All that a write could have changed."""
    tables = (ToolCall, CheckpointRow, GraphOperation)
    async with database.open_read_session() as session:
        rows = [
            [one.model_dump() for one in (await session.exec(select(table).order_by(col(table.run_id)))).all()]
            for table in tables
        ]
    return [*rows, await runs.events(run.root_id), await runs.run(run.id), await runs.run(run.root_id)]
