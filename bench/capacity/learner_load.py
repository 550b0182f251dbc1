"""A scripted learner on a server with PostgreSQL: what a path and a turn of a lesson cost the database.

`python -m bench.capacity.learner_load` measures anew and rewrites measured.json (about three minutes). The log of
PostgreSQL is one for all databases, so nothing else may write to that server: SPROUT_TEST_POSTGRES names it.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import psycopg
from psycopg import sql
from sqlalchemy import Engine, event

from bench.capacity.measurement import Measured, ProcessCost, Work, load, save
from bench.results import describe_machine
from bench.servers.processes import model_server, sprout_server
from harness.database.postgres import create_postgres
from harness.journeys.learner import right_answer
from harness.journeys.sprout_server import COURSE, SproutServer, start_server
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.pace import Pace
from sprout.store.engine.migrate import upgrade

AS_A_MODEL = Pace(first_token_s=1.0, tokens_per_s=60.0)
PATHS, LESSONS = 5, 15
MOST_TURNS = 12
STREAMED = {"accept": "text/event-stream"}
RUN_SECONDS = """
    select extract(epoch from runs.ended_at - runs.started_at)::float
    from runs join runs root on root.id = runs.root_id
    where (root.agent = 'topic') = %s order by runs.id
"""


@dataclass(slots=True)
class Heard:
    """Totals of the streams that a learner has read."""

    events: int = 0
    deltas: int = 0
    bytes: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    questions: list[str] = field(default_factory=list)

    def take(self, kind: str, data: str) -> None:
        """Count one event."""
        self.bytes += len(data)
        if kind.endswith("_delta"):
            self.deltas += 1
            return
        self.events += 1
        if kind == "usage":
            usage = json.loads(data)["usage"]
            self.model_calls += 1
            self.input_tokens += usage["inputTokens"] + usage["cacheWriteTokens"] + usage["cacheReadTokens"]
            self.output_tokens += usage["outputTokens"]
        if kind == "checkpoint_question":
            self.questions.append(json.loads(data)["prompt"])


async def read_stream(client: httpx2.AsyncClient, path: str, body: dict[str, Any], heard: Heard) -> None:
    """Start a run and read its stream to the end."""
    kind = ""
    async with client.stream("POST", path, json=body, headers=STREAMED, timeout=600) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                kind = line[7:]
            elif line.startswith("data: "):
                heard.take(kind, line[6:])


async def grow_path(server: SproutServer, heard: Heard) -> None:
    """One path of a built-in course, full size."""
    branch = await server.post("/branches", {"title": COURSE, "userId": DEFAULT_USER_ID})
    node = {"userId": DEFAULT_USER_ID, "type": "root", "title": COURSE, "branchId": branch["id"]}
    root = await server.post("/nodes", node)
    await read_stream(
        server.client, f"/api/agents/topics/{root['id']}/run", {"userId": DEFAULT_USER_ID, "small": False}, heard
    )


async def take_lesson(server: SproutServer, part: dict[str, Any], heard: Heard) -> int:
    """A lesson to its end, answered correctly; the number of its turns."""
    session = await server.post("/chat/sessions", {"userId": DEFAULT_USER_ID, "nodeId": part["id"]})
    content = ""
    for turn in range(1, MOST_TURNS + 1):
        heard.questions.clear()
        body = {"userId": DEFAULT_USER_ID, "content": content}
        await read_stream(server.client, f"/api/chat/sessions/{session['id']}/tutor", body, heard)
        if not heard.questions:
            return turn
        content = f"[ANSWER]\nMode: text\n{right_answer(heard.questions[-1])}"
    return MOST_TURNS


@contextmanager
def counted_statements() -> Iterator[list[int]]:
    """The number of statements that SQLAlchemy sends while this is held."""
    count = [0]

    def note(*_: Any) -> None:
        count[0] += 1

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield count
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """Counters of a database."""

    rows: int
    stored_bytes: int
    event_bytes: int
    wal_bytes: int
    commits: int

    @classmethod
    def of(cls, url: str) -> "DatabaseState":
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("checkpoint")
            tables = connection.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
            counts = [
                connection.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(name))).fetchone()
                for (name,) in tables
            ]
            row = connection.execute(
                "select pg_database_size(current_database()), (select sum(pg_total_relation_size(oid)) from pg_class"
                " where relkind = 'r' and relname like 'run_events%'), pg_current_wal_lsn() - '0/0',"
                " (select xact_commit from pg_stat_database where datname = current_database())"
            ).fetchone()
            assert row is not None
            return cls(sum(count[0] for count in counts if count), *(int(value) for value in row))


@asynccontextmanager
async def measured_work(url: str, works: "list[Work]") -> AsyncIterator[tuple[Heard, list[int]]]:
    """Measure what the block does; it says in the list how many pieces of work that were."""
    before, heard, pieces = await asyncio.to_thread(DatabaseState.of, url), Heard(), [1]
    with counted_statements() as statements:
        began_s = time.process_time()
        yield heard, pieces
        asked, cpu_s = statements[0], time.process_time() - began_s
    after, count = await asyncio.to_thread(DatabaseState.of, url), pieces[0]
    works.append(
        Work(
            rows=(after.rows - before.rows) / count,
            stored_bytes=(after.stored_bytes - before.stored_bytes) / count,
            event_bytes=(after.event_bytes - before.event_bytes) / count,
            wal_bytes=(after.wal_bytes - before.wal_bytes) / count,
            statements=asked / count,
            commits=(after.commits - before.commits) / count,
            cpu_s=cpu_s / count,
            events=heard.events / count,
            deltas=heard.deltas / count,
            stream_bytes=heard.bytes / count,
            model_calls=heard.model_calls / count,
            input_tokens=heard.input_tokens / count,
            output_tokens=heard.output_tokens / count,
            runs=count,
            run_seconds=(),
        )
    )


async def measure_work(pace: Pace, paths: int, lessons: int) -> tuple[Work, Work]:
    """The average path and the average turn of a lesson, with a model of this pace."""
    works: list[Work] = []
    with create_postgres() as url, tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
        await asyncio.to_thread(upgrade, url)
        async with start_server(Path(folder), url, pace=pace) as server:
            async with measured_work(url, works) as (heard, pieces):
                for _ in range(paths):
                    await grow_path(server, heard)
                pieces[0] = paths
            parts = await lesson_parts(server, lessons)
            async with measured_work(url, works) as (heard, pieces):
                pieces[0] = sum([await take_lesson(server, part, heard) for part in parts])
        with psycopg.connect(url) as connection:
            seconds = [seconds_of(connection, growing=growing) for growing in (True, False)]
    path, turn = (
        replace(work, runs=len(each) / work.runs, run_seconds=each) for work, each in zip(works, seconds, strict=True)
    )
    return path, turn


async def lesson_parts(server: SproutServer, count: int) -> list[dict[str, Any]]:
    """Parts to take lessons in, of the first path."""
    summary = (await server.paths())[0]
    graph = await server.get(f"/branches/{summary['branch']['id']}/graph")
    return [node for node in graph["nodes"] if node["type"] == "subconcept"][:count]


def seconds_of(connection: psycopg.Connection[Any], *, growing: bool) -> tuple[float, ...]:
    """Durations of the runs that grow paths, or of the others, which are turns of lessons."""
    found = connection.execute(RUN_SECONDS, [growing]).fetchall()
    return tuple(round(float(seconds), 3) for (seconds,) in found)


async def base_bytes() -> float:
    """Resident memory of a server that has just started."""
    with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
        async with model_server("lesson") as base_url, sprout_server(base_url, Path(folder), note_taking=False) as one:
            return float(one.memory_bytes())


async def measure() -> Measured:
    """Sizes with a model that speaks at once, and times with one that takes as long as a real one."""
    path, turn = await measure_work(Pace(), PATHS, LESSONS)
    slow_path, slow_turn = await measure_work(AS_A_MODEL, 1, 2)
    known = load()
    process: ProcessCost = replace(known.process, base_bytes=await base_bytes())
    now = datetime.now(UTC).date().isoformat()
    pace = (
        f"the built-in model: {AS_A_MODEL.first_token_s:g} s to the first token, {AS_A_MODEL.tokens_per_s:g} a second"
    )
    machine = "; ".join(describe_machine().values())
    source = f"{now}, python -m bench.capacity.learner_load, one process on PostgreSQL; {pace}; {machine}"
    return Measured(
        with_times(path, slow_path),
        with_times(turn, slow_turn),
        process,
        known.sources | {"learner": source},
    )


def with_times(work: Work, slow: Work) -> Work:
    """The sizes of one measurement with what depends on the pace of the model from another."""
    return replace(
        work, deltas=slow.deltas, stream_bytes=slow.stream_bytes, runs=slow.runs, run_seconds=slow.run_seconds
    )


if __name__ == "__main__":
    save(asyncio.run(measure()))
    sys.exit(0)
