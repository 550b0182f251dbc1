"""A learner who comes back after a month and has forgotten a third of what was mastered."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from faults.learners.answer_book import KnownQuestion
from faults.learners.scripted_learners import (
    LearnerMessage,
    QuestionSituation,
    right_answer,
    seeded_random,
    wrong_answer,
)
from harness.servers.server_process import ServerSite

DAYS = 30
FORGOTTEN = 1 / 3
LESSONS_BEFORE_LEAVING = 11  # lessons: into the second concept


class ReturningLearner:
    """Knows all of it, until a third is forgotten: then hesitant, half right, and right again with a little help."""

    name = "returner"

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.forgotten: set[str] = set()
        self._remembered: set[tuple[str, ...]] = set()

    def forget(self, mastered: list[str], *, first: list[str]) -> None:
        """Forget a third of what was mastered, beginning with what the next part rests on."""
        order = [*first, *sorted(set(mastered) - {*first}, key=lambda title: seeded_random(self._seed, title).random())]
        self.forgotten = {*order[: max(1, round(len(mastered) * FORGOTTEN))]}

    def respond(self, asked: QuestionSituation) -> LearnerMessage:
        known = asked.known
        gap = known.idea[0] in self.forgotten and known.idea not in self._remembered
        if not gap or asked.diagnostic:
            return right_answer(asked)
        if known.is_open and asked.earlier_messages and asked.earlier_messages[-1].right is False:
            return LearnerMessage("hint")
        return wrong_answer(asked, sum(message.right is False for message in asked.earlier_messages))

    def observe_reply(self, known: KnownQuestion, reply: str, level: int, *, settled: bool) -> None:
        if level or settled:
            self._remembered.add(known.idea)


async def age_database(place: ServerSite) -> None:
    """Let a month go by: the server is killed, everything it has stored becomes older, and another one is born."""
    await place.processes[-1].kill()
    await asyncio.to_thread(_shift_dates, place.data / "sprout.sqlite3")
    await place.start()


def _shift_dates(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        for table in tables:
            kinds = [(name, kind) for _, name, kind, *_ in connection.execute(f"pragma table_info({table})")]
            for column in (name for name, kind in kinds if kind == "DATETIME"):
                moved = f"date(substr({column}, 1, 10), '-{DAYS} days') || substr({column}, 11)"
                connection.execute(f"update {table} set {column} = {moved}")  # noqa: S608 - names of ours
