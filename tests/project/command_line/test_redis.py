"""Redis as `sprout serve` and `sprout doctor` meet it: used, missing, refused, away."""

import sys
from pathlib import Path

import pytest
from rich.console import Console

from harness.servers.redis import REDIS_URL, redis_server
from harness.services import require
from sprout.commands.doctor import examine
from sprout.config import load_settings
from sprout.loop.policy import LoopPolicy
from tests.project.commands import run_sprout, start_sprout


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
    code = await examine(settings, {"any": LoopPolicy()}, console, probe=False)
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


async def test_a_redis_that_is_away_is_broken_without_its_password(tmp_path: Path, database: str) -> None:
    code, line = await doctor_on(AWAY, database, tmp_path)
    assert code == 1
    assert line.startswith("BROKEN")
    assert "127.0.0.1:9/0" in line
    assert "secret-word" not in line


async def test_a_server_does_not_start_without_its_redis_and_says_what_to_do(tmp_path: Path, database: str) -> None:
    ran = await run_sprout("serve", "--port", "0", folder=tmp_path, DATABASE_URL=database, REDIS_URL=AWAY)
    assert ran.code != 0
    assert "Redis does not answer at 127.0.0.1:9/0" in ran.err
    assert "start it, or correct REDIS_URL" in ran.err
    assert "Traceback" not in ran.err
    assert "secret-word" not in ran.err


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
