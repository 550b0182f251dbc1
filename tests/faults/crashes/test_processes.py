"""Killed, asked to go and frozen in the middle of many runs, in short; `make faults` plays the long forms."""

import asyncio
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import text

from faults.crashes.paused_process import freeze_and_thaw
from faults.crashes.random_kills import kill_under_load
from faults.crashes.shutdown import WAYS, shut_down_each_way
from harness.database.holder import TOP
from harness.services import require
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.pace import Pace
from sprout.store.engine.database import open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema.tables import User

POLITE = {"SIGTERM": 0, "SIGINT": 0}
QUICK = Pace(0.25, 300.0)
IF_FREE = text("select id from users for update skip locked")
WAIT_FOR_LOCK = text("select id from users, set_config('lock_timeout', '30s', true) for update of users")
UPDATE_MANY_ROWS = """
import asyncio, sys
from sqlalchemy import text
from sprout.store.engine.database import open_database

async def main():
    update, rows = text("update users set title = :title"), [{"title": str(n)} for n in range(1_000_000)]
    async with open_database(sys.argv[1]) as database:
        await database.write_tx(lambda tx: tx.connection.execute(update, rows))

asyncio.run(main())
"""


async def test_P2_killed_at_random_moments_under_runs_and_readers_nothing_is_lost_doubled_or_left(
    fork_server: Process,
) -> None:
    outcome = await kill_under_load(4, seed=3, runs=4, read=2, fork_server=fork_server)
    assert outcome.verdict.faults == []
    assert outcome.verdict.reasons.keys() == {"end_turn"}
    assert outcome.cuts > 0
    assert outcome.still_counted == []
    assert outcome.recoveries


async def test_P8_P9_a_shutdown_on_request_loses_nothing(fork_server: Process) -> None:
    outcome = await shut_down_each_way(list(WAYS.values()), runs=3, streams=6, pace=QUICK, fork_server=fork_server)
    assert outcome.verdict.faults == []
    assert outcome.verdict.reasons.keys() == {"end_turn"}
    assert [one.code for one in outcome.departures] == [0, 0, 0, -signal.SIGHUP], "a hangup is a kill"
    assert {
        name: one.not_notified for name, one in zip(WAYS, outcome.departures, strict=True) if name in POLITE
    } == POLITE
    assert outcome.departures[0].streams > 0
    assert outcome.errors == []
    assert outcome.recoveries


async def test_B1_a_worker_that_was_frozen_writes_nothing_more_and_works_again() -> None:
    require("postgres")
    outcome = await freeze_and_thaw(runs=2)
    assert outcome.verdict.faults == []
    assert outcome.written == 0
    assert outcome.left
    assert outcome.works_again
    assert outcome.taken_over_s


async def test_B1_who_is_frozen_between_the_rows_of_one_statement_holds_its_locks_for_seconds_at_most(
    postgres_url: str,
) -> None:
    async with open_database(postgres_url) as database:
        await database.write_tx(lambda tx: tx.session.add(User(id=DEFAULT_USER_ID)))
        async with _updating_many_rows(postgres_url) as other:
            while await database.write_tx(_is_free):
                assert other.returncode is None
            other.send_signal(signal.SIGSTOP)
            assert not await database.write_tx(_is_free), "frozen too late"
            await database.write_tx(lambda tx: tx.connection.execute(WAIT_FOR_LOCK))


def _is_free(tx: WriteTransaction) -> bool:
    return tx.connection.execute(IF_FREE).first() is not None


@asynccontextmanager
async def _updating_many_rows(url: str) -> AsyncIterator[Process]:
    """A process in the middle of one write transaction; killed at the end of the block."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", UPDATE_MANY_ROWS, url, cwd=TOP)
    try:
        yield process
    finally:
        process.kill()
        await process.wait()
