"""Which processes may share a database, and what `sprout worker` serves (scale.md X1, X3)."""

from pathlib import Path

import httpx2
import pytest

from harness.services import REDIS
from tests.project.commands import run_sprout, serve_sprout

FREE_PORT = {"SPROUT_PORT": "0"}


@pytest.mark.parametrize(
    ("command", "settings", "says"),
    [
        ("serve", {"REDIS_URL": REDIS}, "set DATABASE_URL to postgresql://"),
        ("worker", {}, "Without them `sprout serve` does everything itself"),
        ("worker", {"REDIS_URL": REDIS}, "shares a PostgreSQL database"),
        ("worker", {"DATABASE_URL": "postgresql://postgres@127.0.0.1:1/nothing"}, "and REDIS_URL"),
        ("worker", {"SPROUT_WORKER_RUNS": "1"}, "worker_runs"),
    ],
)
async def test_half_a_configuration_is_refused_with_what_is_missing(
    command: str, settings: dict[str, str], says: str, tmp_path: Path
) -> None:
    refused = await run_sprout(command, folder=tmp_path, **FREE_PORT, **settings)
    assert refused.code == 1
    assert says in refused.err
    assert refused.err.count("\n") == 1


async def test_two_servers_on_one_database_are_refused_without_redis(postgres_url: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    settings = {"DATABASE_URL": postgres_url, **FREE_PORT}
    async with serve_sprout("serve", folder=first, **settings):
        refused = await run_sprout("serve", folder=second, **settings)
        seen = await run_sprout("export", "no-such-path", folder=second, **settings)
    assert refused.code == 1
    assert "with REDIS_URL set for each" in refused.err
    assert "REDIS_URL" not in seen.err, "other commands work beside a server"
    async with serve_sprout("serve", folder=second, **settings):
        pass  # the first is gone


async def test_a_worker_serves_its_probes_alone_beside_other_processes(postgres_url: str, tmp_path: Path) -> None:
    settings = {"DATABASE_URL": postgres_url, "REDIS_URL": REDIS, **FREE_PORT}
    async with (
        serve_sprout("serve", folder=tmp_path, **settings) as (_, web),
        serve_sprout("worker", folder=tmp_path, **settings) as (_, worker),
        httpx2.AsyncClient(verify=False) as client,
    ):
        for path, expected in {"/healthz": 200, "/readyz": 200, "/metrics": 200, "/": 404, "/api/status": 404}.items():
            assert (await client.get(worker + path)).status_code == expected, path
        assert (await client.get(f"{web}/api/status")).status_code == 200
