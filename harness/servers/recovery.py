"""Recovery times of interrupted runs, from the times in their event logs."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import create_engine, text

from harness.servers.server_process import ServerProcess, ServerSite
from sprout.store.engine.urls import sync_url

STANDS_STILL = frozenset({"agent_done", "agent_error", "waiting_on_human", "run_queued"})


@dataclass(frozen=True, slots=True)
class Recovery:
    """The time to a run's first new event, after a server process (0 is the first) started and accepted connections."""

    life: int
    after_start_s: float
    after_accept_s: float


def recoveries(place: ServerSite) -> list[Recovery]:
    """Of each life here that follows another: of each run that should be going then, in the order of lives.

    A life that was killed before it had taken up a run says nothing of that run.
    """
    runs = _event_times(place.database)
    lives = range(1, len(place.processes))
    return [found for number in lives for events in runs if (found := _recovery_of(events, place.processes, number))]


def _event_times(database: str) -> list[list[tuple[float, str]]]:
    """Of each run the times and kinds of its events."""
    events: dict[str, list[tuple[float, str]]] = defaultdict(list)
    engine = create_engine(sync_url(database))
    with engine.connect() as connection:
        for row in connection.execute(text("select kind, data from run_events order by root_id, seq")):
            fields = json.loads(row.data)
            events[fields["runId"]].append((datetime.fromisoformat(fields["at"]).timestamp(), row.kind))
    engine.dispose()
    return list(events.values())


def _recovery_of(events: list[tuple[float, str]], lives: Sequence[ServerProcess], number: int) -> Recovery | None:
    life, next_born_s = lives[number], lives[number + 1].started_s if number + 1 < len(lives) else float("inf")
    before = [kind for at_s, kind in events if at_s < life.started_s]
    after = [at_s for at_s, _ in events if life.started_s <= at_s < next_born_s]
    if not before or before[-1] in STANDS_STILL or not after:
        return None
    return Recovery(number, after[0] - life.started_s, max(0.0, after[0] - life.accepted_s))
