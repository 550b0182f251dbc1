"""Killed, asked to go and frozen in the middle of many runs, in short; `make faults` plays the long forms."""

import signal
from asyncio.subprocess import Process

from sqlalchemy import text

from faults.frozen import frozen_and_thawed
from faults.kills import killed
from faults.sigterm import WAYS, asked_to_go
from sprout.offline.pace import Pace
from sprout.store.database import open_database
from tests.services import require

POLITE = {"SIGTERM": 0, "SIGINT": 0}
QUICK = Pace(0.25, 300.0)


async def test_P2_killed_at_random_moments_under_runs_and_readers_nothing_is_lost_doubled_or_left(
    cradle: Process,
) -> None:
    outcome = await killed(4, seed=3, runs=4, read=2, cradle=cradle)
    assert outcome.verdict.faults == []
    assert outcome.verdict.reasons.keys() == {"end_turn"}
    assert outcome.cuts > 0
    assert outcome.restless == []
    assert outcome.recoveries


async def test_P8_P9_whoever_asks_a_server_to_go_loses_nothing(cradle: Process) -> None:
    outcome = await asked_to_go(list(WAYS.values()), runs=3, streams=6, pace=QUICK, cradle=cradle)
    assert outcome.verdict.faults == []
    assert outcome.verdict.reasons.keys() == {"end_turn"}
    assert [one.code for one in outcome.departures] == [0, 0, 0, -signal.SIGHUP], "a hangup is a kill"
    assert {name: one.untold for name, one in zip(WAYS, outcome.departures, strict=True) if name in POLITE} == POLITE
    assert outcome.departures[0].streams > 0
    assert outcome.errors == []
    assert outcome.recoveries


async def test_B1_a_server_that_was_frozen_writes_nothing_more_and_works_again(cradle: Process) -> None:
    require("postgres")
    outcome = await frozen_and_thawed(runs=2, pace=QUICK, cradle=cradle)
    assert outcome.verdict.faults == []
    assert outcome.written == 0
    assert outcome.left
    assert outcome.works_again
    assert outcome.taken_over_s


async def test_who_is_frozen_in_a_transaction_holds_its_locks_for_seconds_at_most(postgres_url: str) -> None:
    async with open_database(postgres_url) as database:
        wanted = text("show idle_in_transaction_session_timeout")
        told: str = await database.write(lambda write: write.connection.execute(wanted).scalar_one())
    assert told == "5s", "else nobody could take over what it carried: its root's row would stay locked"
