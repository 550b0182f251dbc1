"""Cost of an append, a checkpoint and a replay as a run's log grows; on SQLite, every commit on the disk."""

import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import insert, update

from harness.builders import RecordingDispatcher, a_run, a_topic, start_run
from sprout.events import ReasoningBlock
from sprout.runs.run_store import Checkpoint
from sprout.runs.state import Run
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database, open_database
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema.columns import table_of
from sprout.store.schema.run_tables import Run as RunRow
from sprout.store.schema.run_tables import RunEvent

LENGTHS = (10, 1_000, 100_000, 1_000_000)
TIMES = 300
PAGE = 500
AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class LogCost:
    """Milliseconds: the median of an append and of a checkpoint, and of one event of a replay."""

    append_ms: float
    checkpoint_ms: float
    replay_ms: float


async def measure_log(length: int) -> LogCost:
    """Measure the operations on a log of this length."""
    async with _open_log(length) as (store, run):
        page = await store.events(run.id, after=max(0, length // 2 - PAGE), limit=PAGE)
        replay_ms = await _median_ms(lambda: store.events(run.id, after=page[0].seq - 1, limit=len(page)))
        append_ms = await _median_ms(lambda: store.append(run, [ReasoningBlock(block_id="b", text="Light first.")]))
        checkpoint_ms = await _median_ms(lambda: store.append(run, [Checkpoint("llm_response", 1)]))
        return LogCost(append_ms, checkpoint_ms, replay_ms / len(page))


async def _median_ms(work: Callable[[], Awaitable[object]]) -> float:
    took: list[float] = []
    for _ in range(TIMES):
        began = time.perf_counter()
        await work()
        took.append((time.perf_counter() - began) * 1_000)
    return statistics.median(took)


@asynccontextmanager
async def _open_log(length: int) -> AsyncIterator[tuple[SqlRunStore, Run]]:
    with TemporaryDirectory() as folder:
        async with open_database(f"sqlite:///{Path(folder) / 'log.sqlite3'}") as database:
            store = SqlRunStore(database, lambda _: None, RecordingDispatcher())
            paths = SqlPaths(database, lambda _: None, storage=LocalStorage(Path(folder)))
            run = await start_run(store, a_run(await a_topic(paths)))
            await _fill_log(database, run, length)
            yield store, run


async def _fill_log(database: Database, run: Run, length: int) -> None:
    """Fill the run's log up to this number."""
    row = {"root_id": run.id, "run_id": run.id, "kind": "agent_reasoning", "data": '{"text":"Light first."}'}
    for begin in range(2, length + 1, AT_ONCE):
        rows = [{**row, "seq": seq} for seq in range(begin, min(begin + AT_ONCE, length + 1))]
        await database.write_tx(lambda write, rows=rows: write.connection.execute(insert(table_of(RunEvent)), rows))  # type: ignore[misc]
    runs = table_of(RunRow)
    await database.write_tx(
        lambda write: write.connection.execute(update(runs).where(runs.c.id == run.id).values(last_seq=length))
    )
