"""A pupil, a teacher and a class are deleted: none of their words is left, and those of others are."""

import logging
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import httpx2
import pytest
from redis.asyncio import Redis
from sqlalchemy import Connection, select

from harness.database.empty_sqlite import create_empty_database
from harness.requests.five_people import CanaryKind, Person, canaries_in, seed_five, without_memory
from harness.servers.redis import redis_server
from harness.servers.signed_in import SignInServer, serving_sign_in
from harness.services import require
from sprout.engines.redis_writer import STREAM_EXPIRES_S
from sprout.store.engine.urls import libpq_url
from sprout.store.schema.columns import TableModel
from sprout.store.sqlite.backups import back_up, list_backups
from sprout.telemetry.logs import ROOT_LOGGER, log_handler
from tests.topologies import sqlite_file

CONFIRMED = {"confirm": "delete everything"}
FILE = "sprout.sqlite3"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
EVERYTHING = {CanaryKind.OWN, CanaryKind.NAME, CanaryKind.ANSWER, CanaryKind.SHARED}


@dataclass(frozen=True, slots=True)
class Remains:
    """What a server keeps: its files, and the rows of its database."""

    folder: Path
    database_url: str | None

    def everything(self) -> str:
        """The bytes of all files, among them the log of SQLite and backups, with a dump of PostgreSQL."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        dump = "" if self.database_url is None else dump_of(self.database_url)
        return "\n".join([dump, *(f"{path.name} {path.read_text('latin-1')}" for path in files)])

    def rows(self) -> str:
        """The rows of all tables, those of the full-text index too."""
        return "\n".join(_rows(self.folder / FILE)) if self.database_url is None else dump_of(self.database_url)


@pytest.fixture(params=[pytest.param("sqlite", marks=sqlite_file), "postgres"])
def remains(request: pytest.FixtureRequest, tmp_path: Path) -> Remains:
    if request.param == "postgres":
        return Remains(tmp_path, request.getfixturevalue("postgres_url"))
    create_empty_database(tmp_path)
    return Remains(tmp_path, None)


async def test_I15_what_a_pupil_and_a_teacher_wrote_is_nowhere_once_they_are_deleted(remains: Remains) -> None:
    with written_log() as log:
        await delete_one_after_another(remains)
    assert log.getvalue(), "there was something to log"
    assert canaries_in(log.getvalue()) == set(), "the log has nobody's, neither before nor after"


async def delete_one_after_another(remains: Remains) -> None:
    async with serving_sign_in(remains.folder, remains.database_url) as server:
        five = await seed_five(server, 0)
        pupil, teacher, other_pupil = (five.people[name] for name in ("learner", "teacher", "other learner"))
        ids = {person.name: await ids_of(server, person) for person in (pupil, teacher, other_pupil)}
        assert ids[pupil.name] <= ids_in(remains.everything()), "the search finds what is there"
        assert kinds_in(remains.everything(), pupil) >= EVERYTHING
        assert kinds_in(remains.everything(), teacher) >= {CanaryKind.OWN, CanaryKind.CLASS, CanaryKind.GIVEN}

        await delete_account(server, pupil, remains)
        left = remains.everything()
        assert kinds_in(left, pupil) == set()
        assert ids_in(left) & ids[pupil.name] == set()
        await delete_account(server, teacher, remains)
        left = remains.everything()
        assert kinds_in(left, teacher) == set()
        assert ids_in(left) & ids[teacher.name] == set()
        assert kinds_in(remains.rows(), other_pupil) >= EVERYTHING, "another's stays"
        assert ids_in(remains.rows()) >= ids[other_pupil.name]
    left = remains.everything()
    assert kinds_in(left, pupil) | kinds_in(left, teacher) == set(), "nor once it has stopped"
    assert ids_in(left) & (ids[pupil.name] | ids[teacher.name]) == set()


async def test_I15_a_class_is_nowhere_once_it_is_deleted_and_what_its_pupil_has_stays(remains: Remains) -> None:
    async with serving_sign_in(remains.folder, remains.database_url) as server:
        five = await seed_five(server, 0)
        pupil, teacher = five.people["learner"], five.people["teacher"]
        ids = {*teacher.world.ids_of("classes"), *teacher.world.ids_of("given_paths")}
        assert ids <= ids_in(remains.rows())
        async with browser_of(server, teacher) as client:
            (class_id,) = teacher.world.ids_of("classes")
            assert (await client.delete(f"/api/classes/{class_id}")).status_code == 204
        assert CanaryKind.CLASS not in kinds_in(remains.rows(), teacher)
        assert ids_in(remains.rows()) & ids == set()
        assert kinds_in(remains.rows(), pupil) >= EVERYTHING
        assert CanaryKind.GIVEN in kinds_in(remains.rows(), teacher), "the copy stays with the pupil"
    assert CanaryKind.CLASS not in kinds_in(remains.everything(), teacher), "nor in the files once it has stopped"
    assert ids_in(remains.everything()) & ids == set()


@contextmanager
def written_log() -> Iterator[StringIO]:
    """All that the log has, from its least important entries on."""
    log, stream = logging.getLogger(ROOT_LOGGER), StringIO()
    handler, level = log_handler(stream, "json"), log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:
        yield stream
    finally:
        log.setLevel(level)
        log.removeHandler(handler)


def kinds_in(text: str, person: Person) -> set[CanaryKind]:
    """The kinds of a person's canaries in a text."""
    return {*_kinds(text, person)}


def ids_in(text: str) -> set[str]:
    return {*UUID.findall(text)}


async def ids_of(server: SignInServer, person: Person) -> set[str]:
    """The ids of all rows that are a person's."""

    def read(connection: Connection) -> set[str]:
        tables = [one for one in TableModel.metadata.sorted_tables if {"id", "user_id"} <= set(one.c.keys())]
        rows = [connection.execute(select(one.c.id).where(one.c.user_id == person.user_id)) for one in tables]
        return {person.user_id, *(str(row_id) for found in rows for row_id in found.scalars())}

    return await server.sprout.database.read_tx(read)


def dump_of(url: str) -> str:
    command = ["pg_dump", "--inserts", libpq_url(url)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _rows(file: Path) -> Iterator[str]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        for (table,) in connection.execute("select name from sqlite_schema where type = 'table'").fetchall():
            yield from map(str, connection.execute(f'select * from "{table}"').fetchall())


def _kinds(text: str, person: Person) -> Iterator[CanaryKind]:
    return (one.kind for one in canaries_in(text) if one.word == canary_word(person))


def canary_word(person: Person) -> str:
    (own,) = canaries_in(person.word())
    return own.word


async def delete_account(server: SignInServer, person: Person, remains: Remains) -> None:
    """Delete a person by their own request, of whom there is a backup too."""
    if remains.database_url is None:
        back_up(remains.folder / FILE, "test")
    async with browser_of(server, person) as client:
        answer = await client.delete("/api/learner", params=CONFIRMED)
    assert (answer.status_code, answer.text) == (204, "")
    assert list_backups(remains.folder / FILE) == []


def browser_of(server: SignInServer, person: Person) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=server.origin, timeout=60, headers=person.headers, cookies=without_memory())


async def test_I15_what_redis_has_of_a_pupil_who_is_deleted_goes_within_a_minute(
    tmp_path: Path, postgres_url: str
) -> None:
    require("redis")
    async with redis_server(tmp_path) as redis, Redis.from_url(redis.url) as client:
        async with serving_sign_in(tmp_path, postgres_url, redis_url=redis.url) as server:
            five = await seed_five(server, 0)
            pupil = five.people["learner"]
            assert await keys_about(client, pupil), "the search finds what is there"
            async with browser_of(server, pupil) as browser:
                assert (await browser.delete("/api/learner", params=CONFIRMED)).status_code == 204
            left = await keys_about(client, pupil)
        assert all(0 < seconds <= STREAM_EXPIRES_S for seconds in left.values()), left


async def contents(redis: Redis, key: bytes) -> object:
    """What a key holds, whatever its type; nothing where it has gone meanwhile."""
    match await redis.type(key):
        case b"stream":
            return await redis.xrange(key)
        case b"hash":
            return await redis.hgetall(key)
        case b"zset":
            return await redis.zrange(key, 0, -1)
        case b"string":
            return await redis.get(key)
        case b"none":
            return None
        case other:
            raise AssertionError(f"{key!r} is a {other!r}")


async def keys_about(redis: Redis, person: Person) -> dict[str, int]:
    """The keys with a person's canaries in them, each with the seconds that Redis keeps it for."""
    found: dict[str, int] = {}
    async for key in redis.scan_iter(count=1_000):
        held = await contents(redis, key)
        if [*_kinds(f"{key!r} {held!r}", person)]:
            found[key.decode()] = await redis.ttl(key)
    return found
