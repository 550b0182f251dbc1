"""A pupil, a teacher and a class are deleted: none of their words is left, and those of others are."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import StringIO
from pathlib import Path

import httpx2
from redis.asyncio import Redis

from harness.database.empty_sqlite import create_empty_database
from harness.requests.five_people import CanaryKind, Person, canaries_in, seed_five, without_memory
from harness.servers.redis import redis_server
from harness.servers.signed_in import SignInServer, serving_sign_in
from harness.services import require
from sprout.engines.redis_writer import STREAM_EXPIRES_S
from sprout.store.sqlite.backups import back_up, list_backups
from sprout.telemetry.logs import ROOT_LOGGER, log_handler
from tests.topologies import sqlite_file

CONFIRMED = {"confirm": "delete everything"}
FILE = "sprout.sqlite3"
EVERYTHING = {CanaryKind.OWN, CanaryKind.NAME, CanaryKind.ANSWER, CanaryKind.SHARED}


@sqlite_file
async def test_I15_what_a_pupil_a_teacher_and_a_class_wrote_is_nowhere_once_they_are_deleted(tmp_path: Path) -> None:
    create_empty_database(tmp_path)
    with written_log() as log:
        await delete_one_after_another(tmp_path)
    assert log.getvalue(), "there was something to log"
    assert canaries_in(log.getvalue()) == set(), "the log has nobody's, neither before nor after"


async def delete_one_after_another(tmp_path: Path) -> None:
    async with serving_sign_in(tmp_path) as server:
        five = await seed_five(server, 0)
        pupil, teacher = five.people["learner"], five.people["teacher"]
        other_pupil, other_teacher = five.people["other learner"], five.people["other teacher"]
        assert kinds_in_files(tmp_path, pupil) >= EVERYTHING, "the search finds what is there"
        assert kinds_in_files(tmp_path, teacher) >= {CanaryKind.OWN, CanaryKind.CLASS, CanaryKind.GIVEN}

        await delete_account(server, pupil, tmp_path)
        assert kinds_in_files(tmp_path, pupil) == set()
        assert kinds_in_tables(tmp_path, other_pupil) >= EVERYTHING, "another's stays"

        await delete_class(server, other_teacher)
        assert CanaryKind.CLASS not in kinds_in_tables(tmp_path, other_teacher)
        assert CanaryKind.GIVEN in kinds_in_tables(tmp_path, other_teacher), "the copy stays with the pupil"

        await delete_account(server, other_teacher, tmp_path)
        assert kinds_in_files(tmp_path, other_teacher) == {CanaryKind.GIVEN}, "in the copy of the pupil alone"
        await delete_account(server, teacher, tmp_path)
        assert kinds_in_files(tmp_path, teacher) == set()
    assert kinds_in_files(tmp_path, pupil) | kinds_in_files(tmp_path, teacher) == set(), "nor once it has stopped"


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


def kinds_in_files(folder: Path, person: Person) -> set[CanaryKind]:
    """The kinds of a person's canaries in the bytes of all files, among them the log of the database and backups."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {kind for path in files for kind in _kinds(f"{path.name} {path.read_text('latin-1')}", person)}


def kinds_in_tables(folder: Path, person: Person) -> set[CanaryKind]:
    """The same in the rows of all tables, those of the full-text index too."""
    return {kind for row in _rows(folder / FILE) for kind in _kinds(row, person)}


def _rows(file: Path) -> Iterator[str]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        for (table,) in connection.execute("select name from sqlite_schema where type = 'table'").fetchall():
            yield from map(str, connection.execute(f'select * from "{table}"').fetchall())


def _kinds(text: str, person: Person) -> Iterator[CanaryKind]:
    return (one.kind for one in canaries_in(text) if one.word == canary_word(person))


def canary_word(person: Person) -> str:
    (own,) = canaries_in(person.word())
    return own.word


async def delete_account(server: SignInServer, person: Person, folder: Path) -> None:
    """Delete a person by their own request, of whom there is a backup too."""
    back_up(folder / FILE, "test")
    async with browser_of(server, person) as client:
        answer = await client.delete("/api/learner", params=CONFIRMED)
    assert (answer.status_code, answer.text) == (204, "")
    assert list_backups(folder / FILE) == []


async def delete_class(server: SignInServer, teacher: Person) -> None:
    async with browser_of(server, teacher) as client:
        (address,) = teacher.world.ids_of("classes")
        assert (await client.delete(f"/api/classes/{address}")).status_code == 204


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


async def keys_about(redis: Redis, person: Person) -> dict[str, int]:
    """The keys with a person's canaries in them, each with the seconds that Redis keeps it for."""
    found: dict[str, int] = {}
    async for key in redis.scan_iter(count=1_000):
        held = await (redis.xrange(key) if await redis.type(key) == b"stream" else redis.hgetall(key))
        if [*_kinds(f"{key!r} {held!r}", person)]:
            found[key.decode()] = await redis.ttl(key)
    return found
