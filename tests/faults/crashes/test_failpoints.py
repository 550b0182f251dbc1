"""Killed at crash points, in short: the next process goes on, and nothing is lost, doubled or left (faults.md P1)."""

import re
from asyncio.subprocess import Process
from pathlib import Path

from faults.crashes.failpoints import CASES, KILLED_ELSEWHERE, kill_at_failpoints
from sprout.failpoints import FAILPOINTS

PACKAGE = Path(__file__).parents[3] / "sprout"
CALL = re.compile(r"failpoint\(\s*\"(\w+)\"\s*\)")
RUN = [name for name, case in CASES.items() if case.trigger == "run"]
SHORT = [name for name in CASES if name not in RUN or name in RUN[::3]]  # whatever leads there; `make faults` has all

CANCELLED = [name for name in SHORT if CASES[name].trigger == "cancel"]  # perhaps before there are any concepts


def test_every_crash_point_has_a_case_and_is_somewhere_in_the_code() -> None:
    in_code = {name for file in PACKAGE.rglob("*.py") for name in CALL.findall(file.read_text(encoding="utf-8"))}
    assert set(FAILPOINTS) == in_code
    assert set(FAILPOINTS) == CASES.keys() | KILLED_ELSEWHERE.keys()
    assert len(FAILPOINTS) == len(set(FAILPOINTS))


async def test_P1_killed_at_any_crash_point_every_run_goes_on_and_nothing_is_lost_or_doubled(
    fork_server: Process,
) -> None:
    outcome = await kill_at_failpoints(SHORT, seed=7, fork_server=fork_server)
    assert len(outcome.kills) == len(SHORT)
    assert outcome.missed == []
    assert outcome.verdict.faults == []
    assert outcome.verdict.runs >= 3 * (len(SHORT) - len(CANCELLED)) + len(CANCELLED), "a topic and its two concepts"
    assert outcome.recoveries
