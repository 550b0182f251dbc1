"""Streams behind a proxy that holds back what it is not told to pass on, and that packs what it can (faults.md N13)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from harness.free_port import free_port
from harness.servers.nginx import running_nginx
from harness.servers.web import Web
from sprout.events import ReasoningBlock

SETTINGS = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 64; }}
http {{
  access_log off; gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass {upstream}; proxy_http_version 1.1; proxy_set_header Host $http_host;
      proxy_buffering on; {buffering} proxy_read_timeout 60s;
    }}
  }}
}}
"""
WITHIN_S = 30.0


@asynccontextmanager
async def behind_nginx(upstream: str, folder: Path, buffering: str = "proxy_buffers 8 4k;") -> AsyncIterator[str]:
    """The address of a proxy before the server, with its usual buffers."""
    port, settings = free_port(), folder / "nginx.conf"
    settings.write_text(SETTINGS.format(folder=folder, port=port, upstream=upstream, buffering=buffering))
    async with running_nginx(settings, port, folder) as address:
        yield address


@pytest.mark.parametrize("packed", ["gzip", "identity"])
async def test_N13_each_event_comes_through_a_proxy_while_nothing_comes_after_it(
    own_web: Web, tmp_path: Path, packed: str
) -> None:
    run = await own_web.a_run()
    async with behind_nginx(own_web.served.url, tmp_path) as address, httpx2.AsyncClient(base_url=address) as client:
        for path in (f"/api/runs/{run.id}/events", "/api/events"):
            async with (
                asyncio.timeout(WITHIN_S),
                client.stream("GET", path, headers={"Accept-Encoding": packed}) as answer,
            ):
                parts = answer.aiter_text()
                await read_until(parts, "event: run_started")
                for number in range(3):
                    await own_web.append_events(
                        run, ReasoningBlock(block_id=f"{path}{number}", text=f"thought {number} of {path}")
                    )
                    await read_until(parts, f"thought {number} of {path}")


async def read_until(parts: AsyncIterator[str], words: str) -> None:
    """Read until the words have come. Raises StopAsyncIteration where the stream ends before."""
    heard = ""
    while words not in heard:
        heard += await anext(parts)
