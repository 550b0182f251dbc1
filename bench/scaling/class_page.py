"""Reading the page of a large class at the end of its path, over HTTP, on both databases."""

import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import insert, select, update

from harness.database.postgres import migrate
from harness.free_port import free_port
from harness.load.processes import SERVER_CORE, WITHOUT_LIMITS, MeasuredServer, run_process, wait_ready
from harness.servers.postgres import postgres_server
from sprout.accounts.accounts import NewAccount
from sprout.accounts.classes import NewClassCode
from sprout.accounts.given_paths import PathGiver
from sprout.accounts.passwords import hash_password
from sprout.accounts.principal import AccountRole
from sprout.accounts.security_log import TERMINAL
from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.learning.paths.path_file import validate_path
from sprout.store.accounts.accounts import SqlAccounts
from sprout.store.accounts.classes import SqlClasses
from sprout.store.accounts.given_paths import SqlGivenPaths
from sprout.store.accounts.memberships import SqlMemberships
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.schema import tables
from sprout.store.schema.class_tables import PathCopy
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard

LEARNERS, CONCEPTS, PARTS = 200, 20, 2  # with the parts sixty nodes
ANSWERS_A_QUESTION, MESSAGES_A_LESSON = 3, 10
MIX_UPS = CONCEPTS
REQUESTS, WARM_UP_REQUESTS = 20, 2
TEACHER, PASSWORD, CODE = "tess", "correct horse battery", "BCDFGHJK"


@dataclass(frozen=True, slots=True)
class ClassReading:
    """Duration of the requests, and the CPU time of the server for one: the database's own only on SQLite."""

    waits_ms: tuple[float, ...]
    cpu_ms: float

    @property
    def p50_ms(self) -> float:
        return statistics.median(self.waits_ms)


async def read_class_pages() -> Mapping[str, ClassReading]:
    """The page on SQLite and on PostgreSQL."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="sprout-bench-") as folder:
        found["SQLite"] = await _read_from(f"sqlite:///{folder}/sprout.sqlite3", Path(folder))
        async with postgres_server() as postgres:
            await asyncio.to_thread(migrate, postgres.url)
            found["PostgreSQL"] = await _read_from(postgres.url, Path(folder))
    return found


async def _read_from(url: str, folder: Path) -> ClassReading:
    async with open_database(url) as database:
        address = await fill_class(database)
        if not url.startswith("sqlite"):  # whose own process looks at so many new rows within a minute
            await database.write_tx(lambda tx: tx.connection.exec_driver_sql("analyze").close())
    async with _server(url, folder) as server, httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        client.headers["Origin"] = server.url
        signed_in = await client.post("/api/sign-in", json={"name": TEACHER, "password": PASSWORD})
        signed_in.raise_for_status()
        for _ in range(WARM_UP_REQUESTS):
            (await client.get(address)).raise_for_status()
        before = server.cpu_s()
        waits_ms = [await _timed_read_ms(client, address) for _ in range(REQUESTS)]
        return ClassReading(tuple(waits_ms), (server.cpu_s() - before) / REQUESTS * 1_000)


async def _timed_read_ms(client: httpx2.AsyncClient, address: str) -> float:
    began = time.perf_counter()
    (await client.get(address)).raise_for_status()
    return (time.perf_counter() - began) * 1_000


@asynccontextmanager
async def _server(url: str, folder: Path) -> AsyncIterator[MeasuredServer]:
    port = free_port()
    settings = {
        "DATABASE_URL": url,
        "SPROUT_AUTH": "password",
        "SPROUT_DATA_DIR": str(folder),
        "SPROUT_LOG_LEVEL": "error",
        "SPROUT_PORT": str(port),
        **WITHOUT_LIMITS,
    }
    async with run_process([sys.executable, "-m", "sprout", "serve"], SERVER_CORE, settings) as process:
        yield await wait_ready(process, port, "/api/health")


async def fill_class(database: Database) -> str:
    """The address of the progress of a class whose learners are somewhere between the first concepts and the end."""
    teacher = NewAccount(TEACHER, TEACHER, AccountRole.TEACHER, hash_password(PASSWORD))
    teacher_id = (await SqlAccounts(database).create(teacher, origin=TERMINAL)).user_id
    classes, memberships, given = SqlClasses(database), SqlMemberships(database), SqlGivenPaths(database)
    class_id = (await classes.create("10b", teacher_id=teacher_id)).id
    code = NewClassCode(CODE, utc_now() + timedelta(1), LEARNERS)
    await classes.issue_code(class_id, code, teacher_id=teacher_id)
    for number in range(LEARNERS):
        await memberships.join_anew(CODE, f"Learner {number}", f"card {number}", origin=TERMINAL)
    branch = await SqlPathExchange(database).import_path(validate_path(_path()), user_id=teacher_id)
    gift, _ = await given.give(class_id, branch.id, due_on=None, teacher_id=teacher_id)
    await PathGiver(given).give_lacking()
    await database.write_tx(_learn)
    over = update(table_of(tables.Assessment)).values(completed_at=utc_now())
    await database.write_tx(lambda tx: tx.connection.execute(over))
    return f"/api/classes/{class_id}/paths/{gift.id}/progress"


def _path() -> dict[str, Any]:
    mix_ups = [{"key": f"m{number}", "statement": f"Wrong idea number {number}."} for number in range(MIX_UPS)]
    titles = [f"Concept {number}" for number in range(CONCEPTS)]
    return {
        "sprout_path": 1,
        "title": "Large",
        "topic": {"title": "Large"},
        "misconceptions": mix_ups,
        "concepts": [_concept(number, title) for number, title in enumerate(titles)],
        "edges": [{"from": titles[at], "to": titles[at + 1]} for at in range(CONCEPTS - 1)],
    }


def _concept(number: int, title: str) -> dict[str, Any]:
    parts = [f"Part {number}.{part}" for part in range(PARTS)]
    return {
        "title": title,
        "subconcepts": [{"title": part} for part in parts],
        "questions": [
            {
                "prompt": f"How many are left of {part}?",
                "format": "numeric",
                "difficulty": 3,
                "correct_answer": "2",
                "tests": [part],
                "misconceptions": [{"option": "9", "misconception": f"m{number % MIX_UPS}"}],
            }
            for part in parts
        ],
    }


def _learn(tx: WriteTransaction) -> None:
    """Rows of what the learners have done: the further they are, the more."""
    chance = random.Random(7)
    copies, nodes = table_of(PathCopy), table_of(tables.Node)
    for copy in tx.connection.execute(select(copies)).all():
        here = tx.connection.execute(select(nodes).where(nodes.c.branch_id == copy.branch_id)).all()
        concepts = [node for node in here if node.type == "concept"][: chance.randint(CONCEPTS // 6, CONCEPTS)]
        rows: dict[Any, list[dict[str, Any]]] = {}
        for number, concept in enumerate(concepts):
            parts = [node for node in here if node.parent_id == concept.id]
            for table, made in _concept_rows(tx, copy.user_id, concept, parts, number >= len(concepts) - 3, chance):
                rows.setdefault(table, []).append(made)
        for table, all_of_it in rows.items():
            tx.connection.execute(insert(table_of(table)), all_of_it)


def _concept_rows(
    tx: WriteTransaction, user_id: str, concept: Any, parts: Any, is_open: bool, chance: random.Random
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The rows of a concept: progress, answers, a lesson, and cards of what is learned."""
    now = utc_now()
    at = now - timedelta(days=chance.uniform(0, 60))
    learned_at = None if is_open else at
    progress = table_of(tables.Progress)
    known: dict[str, Any] = {"mastery_score": 0.5, "attempts_count": 6, "completed_at": learned_at}
    tx.connection.execute(update(progress).where(progress.c.node_id == concept.id).values(**known))
    for part in parts:
        yield tables.Progress, {"id": new_id(), "user_id": user_id, "node_id": part.id, **_times(at), **known}
    yield from _answer_rows(tx, user_id, concept.id, at, chance)
    for part in parts:
        session_id = new_id()
        yield tables.ChatSession, {"id": session_id, "user_id": user_id, "node_id": part.id, "started_at": at}
        for number in range(MESSAGES_A_LESSON):
            said = {"role": "assistant" if number % 2 else "user", "content": "Said.", "kind": "learning"}
            moment = {"created_at": at + timedelta(minutes=number)}
            yield tables.ChatMessage, {"id": new_id(), "session_id": session_id, "user_id": user_id, **said, **moment}
        if learned_at is not None:
            due_at = now + timedelta(days=chance.uniform(-3, 30))
            dates = {"learned_at": at, "seen_at": at, "due_at": due_at, "stability": 9.0, "difficulty": 5.0}
            yield ReviewCard, {"id": new_id(), "user_id": user_id, "node_id": part.id, **dates}


def _answer_rows(
    tx: WriteTransaction, user_id: str, concept_id: str, at: datetime, chance: random.Random
) -> Iterator[tuple[Any, dict[str, Any]]]:
    questions = table_of(tables.Question)
    wanted = select(questions.c.id, questions.c.assessment_id, questions.c.misconceptions)
    for question in tx.connection.execute(wanted.where(questions.c.node_id == concept_id)).all():
        for number in range(ANSWERS_A_QUESTION):
            right = chance.random() < 0.7
            shown = [] if right or chance.random() < 0.95 else [question.misconceptions[0]["misconception"]]
            grade = {"state": "graded", "score": float(right), "correct": right, "misconceptions": shown}
            asked = {"assessment_id": question.assessment_id, "question_id": question.id, "answer_text": "9"}
            marked = {"is_correct": right, "score": float(right), "grade": grade, "help_level": 0}
            moment = {"created_at": at + timedelta(minutes=number)}
            yield tables.Answer, {"id": new_id(), "user_id": user_id, **asked, **marked, **moment}


def _times(at: datetime) -> dict[str, datetime]:
    return {"created_at": at, "updated_at": at, "first_entered_at": at, "last_entered_at": at}
