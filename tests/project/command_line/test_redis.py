"""Redis as `sprout serve` and `sprout doctor` meet it: used, missing, refused, away."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from harness.servers.redis import REDIS_URL, redis_server
from harness.services import require
from sprout.commands.doctor import examine
from sprout.config import load_settings
from sprout.loop.policy import LoopPolicy
from tests.project.commands import START_S, start_sprout


@pytest.fixture
def database(postgres_url: str) -> str:
    """An up-to-date PostgreSQL database, which Redis goes with."""
    require("redis")
    return postgres_url


AWAY = "redis://:secret-word@127.0.0.1:9/0"


async def doctor_on(redis_url: str, database: str, folder: Path) -> tuple[int, str]:
    """The exit code, and what is said of Redis."""
    console = Console(record=True, width=400)
    settings = load_settings(data_dir=folder, redis_url=redis_url, api_key=None, base_url=None, database_url=database)
    code = await examine(settings, {"any": LoopPolicy()}, console, probing="none")
    (line,) = [line for line in console.export_text().splitlines() if line.startswith("redis")]
    return code, line.removeprefix("redis").strip()


async def test_a_redis_that_works_is_told_with_its_version_its_policy_and_a_round_trip(
    tmp_path: Path, database: str
) -> None:
    code, line = await doctor_on(REDIS_URL, database, tmp_path)
    assert code == 0
    assert line.startswith("ok")
    for said in ("127.0.0.1:6379/4, Redis ", ", noeviction, ", " ms there and back"):
        assert said in line


async def test_a_redis_that_throws_keys_away_is_noted(tmp_path: Path, database: str) -> None:
    async with redis_server(tmp_path, "--maxmemory-policy", "allkeys-lru") as server:
        code, line = await doctor_on(server.url, database, tmp_path)
    assert code == 0
    assert line.startswith("note")
    assert "set noeviction or volatile-ttl" in line


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--maxmemory", "1", "--maxmemory-policy", "noeviction"), "note no memory left: raise its maxmemory"),
        (("--requirepass", "right"), "BROKEN refuses the user or password in REDIS_URL"),
        (("--user", "default", "on", "nopass", "~*", "+info"), "BROKEN does not let the user of REDIS_URL do all"),
        (("--cluster-enabled", "yes"), "BROKEN is part of a cluster: set REDIS_URL to a single server"),
        (("--replicaof", "127.0.0.1", "9"), "BROKEN is a replica: set REDIS_URL to its primary"),
        (("--databases", "1"), "BROKEN cannot be used: DB index is out of range"),
    ],
    ids=["full", "password", "rights", "cluster", "replica", "database"],
)
async def test_a_redis_that_does_not_do_is_told_with_what_to_mend(
    tmp_path: Path, database: str, options: tuple[str, ...], says: str
) -> None:
    async with redis_server(tmp_path, *options) as server:
        code, line = await doctor_on(
            server.url.replace("/0", "/1" if "--databases" in options else "/0"), database, tmp_path
        )
    status, _, words = says.partition(" ")
    assert (code, line.split()[0]) == (int(status == "BROKEN"), status)
    for said in words.split(": "):
        assert said in line


async def test_a_redis_that_is_away_is_broken_without_its_password(tmp_path: Path, database: str) -> None:
    code, line = await doctor_on(AWAY, database, tmp_path)
    assert code == 1
    assert line.startswith("BROKEN")
    assert "127.0.0.1:9/0" in line
    assert "secret-word" not in line


async def test_a_server_waits_for_its_redis_and_says_what_to_do(tmp_path: Path, database: str) -> None:
    process = await start_sprout(
        *("serve", "--port", "0"), folder=tmp_path, DATABASE_URL=database, REDIS_URL=AWAY, SPROUT_LOG_FORMAT="json"
    )
    assert process.stderr is not None
    async with asyncio.timeout(START_S):
        line = (await process.stderr.readline()).decode()
        process.terminate()
        _, rest = await process.communicate()
    assert process.returncode == 0
    said = json.loads(line)
    assert (said["event"], said["kind"]) == ("start.waits", "Redis")
    assert "Redis does not answer at 127.0.0.1:9/0" in said["reason"]
    assert "start it, or correct REDIS_URL" in said["reason"]
    assert "Traceback" not in rest.decode()
    assert "secret-word" not in line + rest.decode()


@pytest.mark.parametrize("command", ["serve --port 0", "doctor --no-probe"])
async def test_without_the_extra_it_is_named(tmp_path: Path, database: str, command: str) -> None:
    program = (
        f"import sys; sys.modules['redis'] = None; from sprout.cli import main\nsys.exit(main({command.split()!r}))"
    )
    process = await start_sprout(
        "-c", program, folder=tmp_path, program=sys.executable, DATABASE_URL=database, REDIS_URL=AWAY
    )
    out, err = await process.communicate()
    assert process.returncode == 1
    said = (out + err).decode()
    assert "Redis needs the extra: pip install 'sprout-tutor[scale]', or unset REDIS_URL." in said
    assert "Traceback" not in said
