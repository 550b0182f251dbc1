"""What appending costs does not grow with the log: the same statements, none of which searches a table."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import insert, update

from sprout.clock import utc_now
from sprout.learning.paths.shelf import Actor
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.runs.log import CallBegun, CallEnded, Checkpoint, Entry, Key, OnBusy
from sprout.runs.state import Run
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.library import SqlLibrary
from sprout.store.run_tables import Run as RunRow
from sprout.store.run_tables import RunEvent
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from sprout.store.write import Write
from tests.builders import CLAIM, a_child, a_concept, a_question, a_run, a_thought, a_topic, ended, queued, started
from tests.counting import counted

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
async def run(runs: SqlRunStore, library: SqlLibrary) -> Run:
    return await started(runs, a_run(await a_topic(library)))


async def test_ten_events_go_into_a_long_log_by_two_statements_as_into_a_short_one(
    database: Database, runs: SqlRunStore, run: Run
) -> None:
    with counted(database) as short:
        await runs.append(run, [a_thought(str(n)) for n in range(10)])
    await lengthen(database, run, MANY)
    with counted(database) as long:
        await runs.append(run, [a_thought(str(n)) for n in range(10)])
    assert [sql for sql, _ in long] == [sql for sql, _ in short]
    assert len(long) == 2
    assert [one.seq for one in await runs.events(run.id, after=MANY + 9)] == [MANY + 10]


async def test_a_boundary_takes_a_statement_for_each_sort_of_entry(
    database: Database, runs: SqlRunStore, run: Run
) -> None:
    calls = [CallBegun(f"c{n}", "look", "{}", "read") for n in range(3)]
    ends = [CallEnded(f"c{n}", "found", is_error=False, attempts=1) for n in range(3)]
    kept = [Checkpoint("tool_result", n, "[]") for n in range(3)]
    boundaries: list[tuple[list[Entry], int]] = [([*calls], 2), ([*ends], 2), ([*kept], 2), ([*ends, a_thought()], 3)]
    boundaries.append(([*calls, *ends, *kept, a_thought()], 5))
    for entries, most in boundaries:
        with counted(database) as sent:
            await runs.append(run, entries)
        assert len(sent) == most


async def test_a_runs_life_and_an_agents_work_take_few_statements(
    database: Database, runs: SqlRunStore, library: SqlLibrary, shelf: SqlShelf, run: Run
) -> None:
    concept = await a_concept(library, await library.node(run.node_id, user_id=run.user_id), "Light")
    actor = Actor(run.user_id, run.label, run.id, run.root_id, "c", epoch=run.epoch)
    for work, most in (
        (lambda: runs.append(run, [CallBegun("c", "save", "{}", "write")]), 2),
        (lambda: shelf.edit_graph(run.node_id, lambda graph: graph.add("Leaves", None, utc_now()), actor=actor), 8),
        (lambda: runs.append(run, [CallBegun("d", "ask", "{}", "write")]), 2),
        (lambda: shelf.save_question(concept.id, ASKED, actor=replace(actor, call_id="d")), 9),
        (lambda: ended(runs, run), 8),
    ):
        with counted(database) as sent:
            await work()
        assert len(sent) <= most, [sql for sql, _ in sent]
    with counted(database) as sent:
        await started(runs, a_run(concept))
    assert len([sql for sql, _ in sent if "pg_advisory" not in sql]) <= 6


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_no_statement_of_an_append_searches_a_table(
    database: Database, library: SqlLibrary, runs: SqlRunStore, run: Run
) -> None:
    concept = await a_concept(library, await library.node(run.node_id, user_id=run.user_id), "Light")
    child = await started(runs, a_child(run, concept))
    began: list[Entry] = [CallBegun("c", "look", "{}", "read"), Checkpoint("input", 0, "[]")]
    with counted(database) as sent:
        await runs.append(child, [a_thought(), *began])
        await runs.append(child, [*began, CallEnded("c", "found", is_error=False, attempts=1)])
        await runs.events(run.id, after=1)
    plans = [await plan(database, sql, values) for sql, values in sent]
    assert len(plans) > 8
    assert not [step for steps in plans for step in steps if "SCAN" in step]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_no_statement_of_a_runs_way_searches_a_table(
    database: Database, library: SqlLibrary, runs: SqlRunStore, run: Run
) -> None:
    """Admission, start, pause, answer, claim, cancel, end, sweep, lists: what is read is found by an index."""
    node = await library.node(run.node_id, user_id=run.user_id)
    with counted(database) as sent:
        child = await started(runs, a_child(run, await a_concept(library, node, "Light")))
        await runs.admit(a_run(node), on_busy=OnBusy.ENQUEUE, key=Key("k", "digest"))
        await runs.admit(a_run(node), key=Key("k", "digest"))
        await runs.answer(await runs.pause(child, a_question(), []), [], [])
        await runs.cancel((await runs.claim(child.lane, CLAIM) or child).id)
        await runs.renew(CLAIM)
        await runs.stale_lanes(CLAIM)
        await runs.record(run.id)
        await runs.open_roots(run.user_id)
        await runs.runs(user_id=run.user_id, before=run.id)
        await ended(runs, run)
        await runs.release(CLAIM)
    plans = [await plan(database, sql, values) for sql, values in sent]
    assert len(sent) > 60
    assert {step for steps in plans for step in steps if "SCAN" in step} <= {"SCAN tree"}, (
        "what the statement itself made"
    )


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_an_edit_of_a_concept_looks_at_nothing_that_its_learner_knows_or_answered_elsewhere(
    database: Database, library: SqlLibrary
) -> None:
    concept = await a_concept(library, await a_topic(library), "Light")
    with counted(database) as sent:
        await a_concept(library, concept, "Rays")
    steps = [step for sql, values in sent if "user_node_progress" in sql for step in await plan(database, sql, values)]
    assert {step.split()[1] for step in steps if step.startswith("SEARCH")} >= {"user_node_progress", "answers"}
    assert not [step for step in steps if step.endswith("(user_id=?)")]


@pytest.mark.parametrize(
    ("database_url", "most"), [("sqlite", (6, 7, 8)), ("postgres", (7, 9, 10))], indirect=["database_url"]
)
async def test_a_long_queue_costs_those_who_do_not_stand_in_it_nothing(
    database: Database, library: SqlLibrary, runs: SqlRunStore, run: Run, most: tuple[int, int, int]
) -> None:
    """An admission, a claim and an end take the same statements, whatever else queues in other lanes."""
    other = await a_topic(library, "Rivers")
    for _ in range(30):
        await queued(runs, a_run(other))
    node = await library.node(run.node_id, user_id=run.user_id)
    with counted(database) as admission:
        await queued(runs, a_run(node))
    with counted(database) as claim:
        assert await runs.claim(f"topic:{other.id}", CLAIM) is not None
    with counted(database) as end:
        await ended(runs, run)
    each = [len(admission), len(claim), len(end)]
    assert all(took <= at_most for took, at_most in zip(each, most, strict=True)), each


async def lengthen(database: Database, run: Run, length: int) -> None:
    """Fill the run's log up to this number."""
    rows = [
        {"root_id": run.id, "seq": seq, "run_id": run.id, "kind": "agent_reasoning", "data": "{}"}
        for seq in range(run.last_seq + 11, length + 1)
    ]
    runs_table = table_of(RunRow)

    def body(write: Write) -> None:
        write.connection.execute(insert(table_of(RunEvent)), rows)
        write.connection.execute(update(runs_table).where(runs_table.c.id == run.id).values(last_seq=length))

    await database.write(body)


async def plan(database: Database, sql: str, values: Any) -> list[str]:
    one = values[0] if isinstance(values, list) else values
    async with database.reading_rows() as connection:
        found = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", one)
        return [row.detail for row in found]
