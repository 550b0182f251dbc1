"""A collection of ten thousand cards, most of them due: its day has its size, and how long each request takes."""

import tempfile
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import insert, select, update

from faults.core.loop_faults import ProofFigure
from harness.clients.raw_http import send_request
from harness.database.empty_sqlite import create_empty_database
from harness.servers.server_process import ServerSite
from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.learning.paths.path_file import validate_path
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.reviews.cards import DEFAULT_RETENTION, ReviewGrade
from sprout.learning.reviews.workload import DEFAULT_MINUTES, USUAL_SECONDS, day_size
from sprout.store.assessment.review_cards import reschedule, sync_cards
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewEntry

CARDS = 10_000
PARTS_OF_CONCEPT, CONCEPTS_OF_PATH = 50, 20
LEARNED_BEFORE = timedelta(days=100)
USER = {"userId": DEFAULT_USER_ID}
RIGHT = "2"
NO_MODEL = "http://127.0.0.1:9"

_nodes = table_of(tables.Node)


@dataclass(frozen=True, slots=True)
class CollectionDay:
    """The first day with a collection.

    Args:
        wrong: what is not as it must be.
        took_s: request → seconds of the server's CPU, and until the answer.
    """

    wrong: list[str]
    took_s: dict[str, tuple[float, float]]


async def open_day(cards: int, *, fork_server: Process | None = None) -> CollectionDay:
    """Store so many cards that are all due, ask a server for the day, and begin and answer its session."""
    with tempfile.TemporaryDirectory(prefix="sprout-cards-") as folder:
        async with open_database(create_empty_database(Path(folder))) as database:
            await store_collection(database, cards)
        place = ServerSite(Path(folder), NO_MODEL, fork_server)
        process = await place.start()
        try:
            return await _ask_for_day(place.port, cards, psutil.Process(process.pid))
        finally:
            await place.kill_all()


async def store_collection(database: Database, cards: int) -> None:
    """Paths with so many parts, learned and reviewed once long ago, with two questions about each."""
    await database.write_tx(lambda tx: tx.session.add(tables.User(id=DEFAULT_USER_ID)))
    per_path = PARTS_OF_CONCEPT * CONCEPTS_OF_PATH
    for first in range(0, cards, per_path):
        path = validate_path(_path(first, min(cards, first + per_path)))
        await SqlPathExchange(database).import_path(path, user_id=DEFAULT_USER_ID)
    wanted = select(_nodes.c.id).where(_nodes.c.type == "subconcept").order_by(_nodes.c.creation)
    parts = await database.read_tx(lambda connection: connection.execute(wanted).scalars().all())
    learned_at = utc_now() - LEARNED_BEFORE

    def body(tx: WriteTransaction) -> None:
        sync_cards(tx, dict.fromkeys(parts, learned_at), DEFAULT_USER_ID)
        review = {"user_id": DEFAULT_USER_ID, "grade": ReviewGrade.GOOD.value, "retention": DEFAULT_RETENTION}
        at = learned_at + timedelta(days=1)
        tx.connection.execute(
            insert(table_of(ReviewEntry)), [{**review, "id": new_id(), "node_id": one, "at": at} for one in parts]
        )
        reschedule(tx, parts, DEFAULT_USER_ID)
        tx.connection.execute(update(table_of(tables.Assessment)).values(completed_at=learned_at))

    await database.write_tx(body)


async def cards(count: int = CARDS) -> list[ProofFigure]:
    """A day with ten thousand cards that are all due: its size, and how long its requests take."""
    day = await open_day(count)
    return [
        ProofFigure("cards", f"with {count:,} due: {request}, CPU, until the answer", f"{cpu_s:.2f} s, {wait_s:.2f} s")
        for request, (cpu_s, wait_s) in day.took_s.items()
    ] + [ProofFigure("cards", "numbers that are wrong", "; ".join(day.wrong) or "0", not day.wrong)]


async def _ask_for_day(port: int, cards: int, server: psutil.Process) -> CollectionDay:
    wrong, took_s = list[str](), dict[str, tuple[float, float]]()

    def cpu_s() -> float:
        spent = server.cpu_times()
        return float(spent.user + spent.system)

    async def ask(method: str, path: str, session: str = "", **body: Any) -> Any:
        began_s, began_cpu_s = time.perf_counter(), cpu_s()
        answer = await send_request(port, method, path.format(session), {**USER, **body} if method == "POST" else None)
        what = f"{method} {path}"
        took_s[what] = cpu_s() - began_cpu_s, time.perf_counter() - began_s
        if answer.status not in (200, 201):
            wrong.append(f"{what}: {answer.status} {answer.body}"[:200])
        return answer.body

    def expect(what: str, found: object, wanted: object) -> None:
        if found != wanted:
            wrong.append(f"{what}: {found}, not {wanted}")

    size = min(cards, day_size(DEFAULT_MINUTES, USUAL_SECONDS))
    due = (await ask("GET", "/api/today"))["due"]
    expect("cards, due, of them today", (due["cards"], due["due"], due["today"]), (cards, cards, size))
    expect("days for the rest", due["days"], ceil((cards - size) / size))
    following = await ask("GET", "/api/next")
    expect("the next action", following["reviews"] and following["reviews"]["count"], size)
    await ask("GET", "/api/reviews/calendar.ics")
    await ask("GET", "/api/reviews/costs")
    session = await ask("POST", "/api/reviews/sessions")
    expect("questions of the session", session["total"], size)
    item = {"itemId": session["question"]["itemId"], "answerText": RIGHT}
    replied = await ask("POST", "/api/reviews/sessions/{}/answers", session["id"], **item)
    expect("the mark of an answer", replied["result"]["mark"], "right")
    left = await ask("GET", "/api/reviews/due")
    expect("due and left after it", (left["due"], left["today"], left["doneToday"]), (cards - 1, size - 1, 1))
    return CollectionDay(wrong, took_s)


def _path(first: int, end: int) -> dict[str, Any]:
    """A path file with a part for each of the numbers."""
    title = f"Deck {first}"
    concepts = []
    for start in range(first, end, PARTS_OF_CONCEPT):
        parts = [f"Card {number}" for number in range(start, min(end, start + PARTS_OF_CONCEPT))]
        questions = [
            {
                "prompt": f"Of three people, one leaves. How many stay? ({part}, {number})",
                "format": "numeric",
                "difficulty": 3,
                "correct_answer": RIGHT,
                "tests": [part],
            }
            for part in parts
            for number in range(2)
        ]
        concepts.append(
            {"title": f"Cards from {start}", "subconcepts": [{"title": part} for part in parts], "questions": questions}
        )
    return {"sprout_path": 1, "title": title, "topic": {"title": title}, "concepts": concepts}


PROOFS: Mapping[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"cards": cards}
