"""Web processes, workers, Redis and PostgreSQL lost behind a balancer, in short; `make faults` plays the long form."""

import json

from faults.crashes.machines import lose_machines
from harness.servers.postgres import postgres_programs
from harness.services import require, require_part

EVERY_KIND = 184  # a seed
KINDS = {
    "web process killed",
    "web process stopped",
    "worker killed",
    "worker stopped",
    "Redis restarted, empty",
    "PostgreSQL crashed",
}
EXPECTED = {"agent_run.lease_lost", "loop.stalled"}  # of who was frozen


async def test_P2_P8_with_processes_and_servers_lost_at_random_moments_every_run_ends_and_readers_have_all_of_it() -> (
    None
):
    for service in ("postgres", "redis", "nginx"):
        require(service)
    require_part("postgres", None if postgres_programs() else "there are no programs of PostgreSQL here")
    outcome = await lose_machines(8, seed=EVERY_KIND, runs=4, read=3)
    assert outcome.faults.keys() >= KINDS
    assert any("frozen" in kind for kind in outcome.faults)
    assert outcome.verdict.faults == []
    assert outcome.verdict.reasons.keys() == {"end_turn"}
    assert {json.loads(line)["event"] for line in outcome.errors} <= EXPECTED
