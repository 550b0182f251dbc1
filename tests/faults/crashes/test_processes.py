"""Killed, asked to go and frozen in the middle of many runs, in short; `make faults` plays the long forms."""

import signal
from asyncio.subprocess import Process

from sqlalchemy import text

from faults.crashes.paused_process import freeze_and_thaw
from faults.crashes.random_kills import kill_under_load
from faults.crashes.shutdown import WAYS, shut_down_each_way
from harness.services import require
from sprout.offline.pace import Pace
from sprout.store.engine.database import open_database

POLITE = {"SIGTERM": 0, "SIGINT": 0}
QUICK = Pace(0.25, 300.0)


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


async def test_B1_a_server_that_was_frozen_writes_nothing_more_and_works_again(fork_server: Process) -> None:
    require("postgres")
    outcome = await freeze_and_thaw(runs=2, pace=QUICK, fork_server=fork_server)
    assert outcome.verdict.faults == []
    assert outcome.written == 0
    assert outcome.left
    assert outcome.works_again
    assert outcome.taken_over_s


async def test_who_is_frozen_in_a_transaction_holds_its_locks_for_seconds_at_most(postgres_url: str) -> None:
    async with open_database(postgres_url) as database:
        wanted = text("show idle_in_transaction_session_timeout")
        stored: str = await database.write_tx(lambda write: write.connection.execute(wanted).scalar_one())
    assert stored == "5s", "else nobody could take over what it carried: its root's row would stay locked"
