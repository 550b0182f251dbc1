"""How long runs that were cut off stood still: read from the times in their log."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import create_engine, text

from faults.harness.server import Life, Place
from sprout.store.urls import sync_url

STANDS_STILL = frozenset({"agent_done", "agent_error", "waiting_on_human", "run_queued"})


@dataclass(frozen=True, slots=True)
class Recovery:
    """One run in one life (0 is the first): how long after the life's begin, and after its first connection, the run
    had a new event."""

    life: int
    after_birth_s: float
    after_accept_s: float


def recoveries(place: Place) -> list[Recovery]:
    """Of each life here that follows another: of each run that should be going then, in the order of lives.

    A life that was killed before it had taken up a run says nothing of that run.
    """
    runs = _told(place.database)
    lives = range(1, len(place.lives))
    return [found for number in lives for told in runs if (found := _recovery(told, place.lives, number))]


def _told(database: str) -> list[list[tuple[float, str]]]:
    """Of each run the times and kinds of its events."""
    told: dict[str, list[tuple[float, str]]] = defaultdict(list)
    engine = create_engine(sync_url(database))
    with engine.connect() as connection:
        for row in connection.execute(text("select kind, data from run_events order by root_id, seq")):
            fields = json.loads(row.data)
            told[fields["runId"]].append((datetime.fromisoformat(fields["at"]).timestamp(), row.kind))
    engine.dispose()
    return list(told.values())


def _recovery(told: list[tuple[float, str]], lives: Sequence[Life], number: int) -> Recovery | None:
    life, next_born_s = lives[number], lives[number + 1].born_s if number + 1 < len(lives) else float("inf")
    before = [kind for at_s, kind in told if at_s < life.born_s]
    after = [at_s for at_s, _ in told if life.born_s <= at_s < next_born_s]
    if not before or before[-1] in STANDS_STILL or not after:
        return None
    return Recovery(number, after[0] - life.born_s, max(0.0, after[0] - life.accepted_s))
