"""A rolling restart of all processes under load, in short; `make faults ARGS="rolling"` plays ten of them."""

from collections import Counter

from faults.crashes.rolling_restart import restart_in_turn
from harness.servers.postgres import postgres_programs
from harness.services import require, require_part


async def test_X8_a_rolling_restart_under_load_loses_nothing_and_no_client_sees_an_error() -> None:
    for service in ("postgres", "redis", "nginx"):
        require(service)
    require_part("postgres", None if postgres_programs() else "there are no programs of PostgreSQL here")
    outcome = await restart_in_turn(1, clients=1)
    assert len(outcome.restarts_s) == 4
    assert outcome.codes == {0}
    assert outcome.seen.errors == Counter()
    assert outcome.seen.streams_moved > 0
    assert outcome.verdict.faults == []
    assert outcome.verdict.reasons.keys() == {"end_turn"}
    assert outcome.logged == []
