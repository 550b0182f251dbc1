"""Processes that are asked to end while a server that they are connected to has fallen silent (scale.md X5)."""

import asyncio
import signal
from pathlib import Path

from sqlalchemy import make_url

from harness.clients.raw_http import HOST, RawResponse, send_request
from harness.database.postgres import pooled_postgres
from harness.prefork.python import prefork_python
from harness.servers.server_process import ServerSite
from harness.servers.stalling_proxy import stalling_proxy
from harness.services import REDIS, require
from sprout.serving import END_WITHIN_S

READY_WITHIN_S = 60.0
POLL_S = 0.05
ENDING = '"event": "shutdown.overdue"'


async def test_X5_processes_end_by_themselves_though_PostgreSQL_and_Redis_have_fallen_silent(tmp_path: Path) -> None:
    require("redis")
    with pooled_postgres() as database:
        postgres, redis = make_url(database), make_url(REDIS)
        async with (
            stalling_proxy(postgres.host or HOST, postgres.port or 5432) as silent_postgres,
            stalling_proxy(redis.host or HOST, redis.port or 6379) as silent_redis,
        ):
            settings = {
                "DATABASE_URL": postgres.set(host=HOST, port=silent_postgres.port).render_as_string(
                    hide_password=False
                ),
                "REDIS_URL": f"redis://{HOST}:{silent_redis.port}/4",
            }
            places = [_place(tmp_path, role, settings) for role in ("serve", "worker")]
            try:
                await asyncio.gather(*map(_start, places))
                silent_postgres.fall_silent()
                silent_redis.fall_silent()
                unanswered = asyncio.create_task(send_request(places[0].port, "GET", "/api/branches"))
                await asyncio.gather(*map(_end, places))
                unanswered.cancel()
            finally:
                for place in places:
                    await place.kill_all()


def _place(folder: Path, role: str, settings: dict[str, str]) -> ServerSite:
    (folder / role).mkdir()
    command = (prefork_python(), "-P", "-m", "sprout", role)
    return ServerSite(folder / role, "http://127.0.0.1:9", None, settings, command=command)


async def _start(place: ServerSite) -> None:
    await place.start()
    answer: RawResponse | None = None
    async with asyncio.timeout(READY_WITHIN_S):
        while answer is None or answer.status != 200:
            answer = await send_request(place.port, "GET", "/readyz")
            await asyncio.sleep(POLL_S)


async def _end(place: ServerSite) -> None:
    process = place.processes[-1]
    process.send_signal(signal.SIGTERM)
    assert await process.wait_ended(END_WITHIN_S) == 0, place.log_tail()
    assert ENDING not in place.log.read_text()
