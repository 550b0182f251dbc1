"""Cost of appending, independent of the log's length: the same statements, none of which scans a table."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import insert, update

from harness.builders import (
    CLAIM,
    a_child,
    a_concept,
    a_question,
    a_reasoning_event,
    a_run,
    a_topic,
    end_run,
    queue_run,
    start_run,
)
from sprout.clock import utc_now
from sprout.learning.actor import Actor
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.runs.run_store import CallBegun, CallEnded, Checkpoint, Entry, OnBusy, RequestKey
from sprout.runs.state import Run
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import Run as RunRow
from sprout.store.schema.run_tables import RunEvent
from tests.statement_counter import count_statements

MANY = 100_000
ASKED = QuestionDraft(
    "Why do leaves look green?",
    "open_ended",
    "They reflect it.",
    1,
    ("Light",),
    criteria=(Criterion("colour", "names the colour that is reflected", 0.5), Criterion("light", "names light", 0.5)),
)


@pytest.fixture
async def run(runs: SqlRunStore, paths: SqlPaths) -> Run:
    return await start_run(runs, a_run(await a_topic(paths)))


async def test_ten_events_go_into_a_long_log_by_two_statements_as_into_a_short_one(
    database: Database, runs: SqlRunStore, run: Run
) -> None:
    with count_statements(database) as short:
        await runs.append(run, [a_reasoning_event(str(n)) for n in range(10)])
    await lengthen(database, run, MANY)
    with count_statements(database) as long:
        await runs.append(run, [a_reasoning_event(str(n)) for n in range(10)])
    assert [sql for sql, _ in long] == [sql for sql, _ in short]
    assert len(long) == 2
    assert [one.seq for one in await runs.events(run.id, after=MANY + 9)] == [MANY + 10]


async def test_a_boundary_takes_a_statement_for_each_sort_of_entry(
    database: Database, runs: SqlRunStore, run: Run
) -> None:
    calls = [CallBegun(f"c{n}", "look", "{}", "read") for n in range(3)]
    ends = [CallEnded(f"c{n}", "found", is_error=False, attempts=1) for n in range(3)]
    checkpoints = [Checkpoint("tool_result", n, "[]") for n in range(3)]
    boundaries: list[tuple[list[Entry], int]] = [
        ([*calls], 2),
        ([*ends], 2),
        ([*checkpoints], 2),
        ([*ends, a_reasoning_event()], 3),
    ]
    boundaries.append(([*calls, *ends, *checkpoints, a_reasoning_event()], 5))
    for entries, most in boundaries:
        with count_statements(database) as sent:
            await runs.append(run, entries)
        assert len(sent) == most


async def test_a_runs_life_and_an_agents_work_take_few_statements(
    database: Database, runs: SqlRunStore, paths: SqlPaths, repositories: SqlPathRepository, run: Run
) -> None:
    concept = await a_concept(paths, await paths.node(run.node_id, user_id=run.user_id), "Light")
    actor = Actor(run.user_id, run.label, run.id, run.root_id, "c", epoch=run.epoch)
    for work, most in (
        (lambda: runs.append(run, [CallBegun("c", "save", "{}", "write")]), 2),
        (
            lambda: repositories.edit_graph(
                run.node_id, lambda graph: graph.add("Leaves", None, utc_now()), actor=actor
            ),
            8,
        ),
        (lambda: runs.append(run, [CallBegun("d", "ask", "{}", "write")]), 2),
        (lambda: repositories.save_question(concept.id, ASKED, actor=replace(actor, call_id="d")), 10),
        (lambda: end_run(runs, run), 8),
    ):
        with count_statements(database) as sent:
            await work()
        assert len(sent) <= most, [sql for sql, _ in sent]
    with count_statements(database) as sent:
        await start_run(runs, a_run(concept))
    assert len([sql for sql, _ in sent if "pg_advisory" not in sql]) <= 6


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_no_statement_of_an_append_searches_a_table(
    database: Database, paths: SqlPaths, runs: SqlRunStore, run: Run
) -> None:
    concept = await a_concept(paths, await paths.node(run.node_id, user_id=run.user_id), "Light")
    child = await start_run(runs, a_child(run, concept))
    began: list[Entry] = [CallBegun("c", "look", "{}", "read"), Checkpoint("input", 0, "[]")]
    with count_statements(database) as sent:
        await runs.append(child, [a_reasoning_event(), *began])
        await runs.append(child, [*began, CallEnded("c", "found", is_error=False, attempts=1)])
        await runs.events(run.id, after=1)
    plans = [await plan(database, sql, values) for sql, values in sent]
    assert len(plans) > 8
    assert not [step for steps in plans for step in steps if "SCAN" in step]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_no_statement_of_a_runs_way_searches_a_table(
    database: Database, paths: SqlPaths, runs: SqlRunStore, run: Run
) -> None:
    """Admission, start, pause, answer, claim, cancel, end, sweep, lists: what is read is found by an index."""
    node = await paths.node(run.node_id, user_id=run.user_id)
    with count_statements(database) as sent:
        child = await start_run(runs, a_child(run, await a_concept(paths, node, "Light")))
        await runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, key=RequestKey("k", "digest"))
        await runs.admit(a_run(node), key=RequestKey("k", "digest"))
        await runs.answer(await runs.pause(child, a_question(), []), [], [])
        await runs.cancel((await runs.claim(child.lane, CLAIM) or child).id)
        await runs.renew_lease(CLAIM)
        await runs.claimable_lanes(CLAIM)
        await runs.record(run.id)
        await runs.unfinished_roots(run.user_id)
        await runs.runs(user_id=run.user_id, before=run.id)
        await end_run(runs, run)
        await runs.release_lease(CLAIM)
    plans = [await plan(database, sql, values) for sql, values in sent]
    assert len(sent) > 60
    assert {step for steps in plans for step in steps if "SCAN" in step} <= {"SCAN tree"}, (
        "what the statement itself made"
    )


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_an_edit_of_a_concept_looks_at_nothing_that_its_learner_knows_or_answered_elsewhere(
    database: Database, paths: SqlPaths
) -> None:
    concept = await a_concept(paths, await a_topic(paths), "Light")
    with count_statements(database) as sent:
        await a_concept(paths, concept, "Rays")
    steps = [step for sql, values in sent if "user_node_progress" in sql for step in await plan(database, sql, values)]
    assert {step.split()[1] for step in steps if step.startswith("SEARCH")} >= {"user_node_progress", "answers"}
    assert not [step for step in steps if step.endswith("(user_id=?)")]


@pytest.mark.parametrize(
    ("database_url", "most"), [("sqlite", (6, 7, 8)), ("postgres", (7, 9, 10))], indirect=["database_url"]
)
async def test_a_long_queue_costs_those_who_do_not_stand_in_it_nothing(
    database: Database, paths: SqlPaths, runs: SqlRunStore, run: Run, most: tuple[int, int, int]
) -> None:
    """An admission, a claim and an end take the same statements, whatever else queues in other lanes."""
    other = await a_topic(paths, "Rivers")
    for _ in range(30):
        await queue_run(runs, a_run(other))
    node = await paths.node(run.node_id, user_id=run.user_id)
    with count_statements(database) as admission:
        await queue_run(runs, a_run(node))
    with count_statements(database) as claim:
        assert await runs.claim(f"topic:{other.id}", CLAIM) is not None
    with count_statements(database) as end:
        await end_run(runs, run)
    each = [len(admission), len(claim), len(end)]
    assert all(took <= at_most for took, at_most in zip(each, most, strict=True)), each


async def lengthen(database: Database, run: Run, length: int) -> None:
    """Fill the run's log up to this number."""
    rows = [
        {"root_id": run.id, "seq": seq, "run_id": run.id, "kind": "agent_reasoning", "data": "{}"}
        for seq in range(run.last_seq + 11, length + 1)
    ]
    runs_table = table_of(RunRow)

    def body(tx: WriteTransaction) -> None:
        tx.connection.execute(insert(table_of(RunEvent)), rows)
        tx.connection.execute(update(runs_table).where(runs_table.c.id == run.id).values(last_seq=length))

    await database.write_tx(body)


async def plan(database: Database, sql: str, values: Any) -> list[str]:
    one = values[0] if isinstance(values, list) else values
    async with database.open_read_connection() as connection:
        found = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", one)
        return [row.detail for row in found]
