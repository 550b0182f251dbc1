"""`make run-scaled`: what it needs, and the settings that it writes for nginx."""

import os
import subprocess
import sys
from pathlib import Path

import httpx2

from harness.free_port import free_port
from harness.servers.nginx import running_nginx
from harness.servers.web import a_static_folder, serving_web
from scripts.run_scaled import write_settings

ROOT = Path(__file__).parents[3]


def test_without_a_database_and_redis_it_says_what_to_set(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "run_scaled.py"), "8000"],
        cwd=tmp_path,  # without a .env file
        env={"PATH": os.defpath},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "Set DATABASE_URL and REDIS_URL: docs/scale.md says how." in ran.stderr


async def test_X7_its_balancer_reaches_the_web_processes(tmp_path: Path) -> None:
    folder, port = tmp_path / "nginx", free_port()
    folder.mkdir()
    async with serving_web(tmp_path, a_static_folder(tmp_path)) as web:
        write_settings(folder, port, [free_port(), web.served.port])
        async with (
            running_nginx(folder / "nginx.conf", port, folder) as address,
            httpx2.AsyncClient(base_url=address) as client,
        ):
            assert [(await client.get("/healthz")).status_code for _ in range(4)] == [200] * 4
