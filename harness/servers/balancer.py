"""The balancer that Sprout is delivered with, before web processes of a test."""

import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from harness.free_port import free_port
from harness.servers.nginx import running_nginx
from harness.servers.server_process import ServerSite

SETTINGS = Path(__file__).parents[2] / "deploy" / "nginx" / "nginx.conf"


@asynccontextmanager
async def running_balancer(folder: Path, webs: Sequence[ServerSite]) -> AsyncIterator[int]:
    """Its port; the folder is made."""
    port = free_port()
    _write_settings(folder, port, webs)
    async with running_nginx(folder / "nginx.conf", port, folder):
        yield port


def _write_settings(folder: Path, port: int, webs: Sequence[ServerSite]) -> None:
    folder.mkdir()
    shutil.copy(SETTINGS, folder)
    servers = "".join(
        f"server 127.0.0.1:{web.port} {kind}; "
        for kind in ("max_fails=1 fail_timeout=2s", "max_fails=0 backup")
        for web in webs
    )
    upstream = f"upstream sprout {{ least_conn; {servers} keepalive 64; keepalive_timeout 4s; }}"
    (folder / "upstream.conf").write_text(upstream)
    (folder / "listen.conf").write_text(f"listen 127.0.0.1:{port};")
