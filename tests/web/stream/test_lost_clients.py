"""Readers that are gone without a word: the network loses everything, or the process stands still (faults.md N12)."""

import asyncio
import json
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import replace
from pathlib import Path

from harness.servers.web import WEB_LIMITS, a_static_folder, serving_web
from harness.services import skip_unless_required
from sprout.events import MessageBlock
from sprout.serving import listening_socket
from sprout.web.http.limits import WebLimits
from tests.web.stream.event_streams import ENOUGH_S, POLL_S, until_streams

ROOT = Path(__file__).parents[3]
DEAD_READER_MS = 1_000
OF_ITS_OWN = (["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"])
READER = """
import socket, sys
client = socket.socket()
client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
client.connect((sys.argv[1], int(sys.argv[2])))
client.sendall(b"GET /api/events HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
while part := client.recv(1_000):
    print(len(part), flush=True)
"""


async def a_network_of_its_own() -> list[str]:
    """The begin of a command that runs where nobody else is; skipped, or failed where all is required, without."""
    for way in OF_ITS_OWN:
        tried = await asyncio.create_subprocess_exec(*way, "ip", "link", "set", "lo", "up", stderr=DEVNULL)
        if await tried.wait() == 0:
            return way
    return skip_unless_required("this kernel lets nobody here have a network of his own")


async def test_N12_a_reader_whose_network_loses_everything_is_freed_once_that_has_lasted_too_long() -> None:
    command = [*await a_network_of_its_own(), sys.executable, "-m", "tests.web.stream.lost_client"]
    child = await asyncio.create_subprocess_exec(
        *command, str(DEAD_READER_MS), str(ENOUGH_S), cwd=ROOT, stdout=PIPE, stderr=PIPE
    )
    out, err = await child.communicate()
    assert child.returncode == 0, err.decode()
    took_s, connections = json.loads(out)
    assert took_s is not None, "it is not freed"
    assert connections == 0


async def test_N12_a_reader_that_stands_still_is_freed_once_nothing_more_fits_in_its_window(tmp_path: Path) -> None:
    limits = replace(WEB_LIMITS, send_timeout_s=0.3)
    with listening_socket("127.0.0.1", 0, dead_reader_ms=DEAD_READER_MS) as listening:
        await stands_still(tmp_path, limits, listening)


async def stands_still(folder: Path, limits: WebLimits, listening: socket.socket) -> None:
    """Stop a process in the middle of its stream, and wait until its stream and its connection are gone."""
    async with serving_web(folder, a_static_folder(folder), limits=limits, listening_on=listening) as web:
        run = await web.a_run()
        address = (web.served.host, str(web.served.port))
        reader = await asyncio.create_subprocess_exec(sys.executable, "-c", READER, *address, stdout=PIPE)
        try:
            assert reader.stdout is not None
            async with asyncio.timeout(ENOUGH_S):
                assert await reader.stdout.readline()
            await until_streams(web, 1)
            reader.send_signal(signal.SIGSTOP)
            for number in range(100):
                await web.append_events(run, MessageBlock(block_id=f"b{number}", text="a" * 100_000))
            await until_streams(web, 0)
            async with asyncio.timeout(ENOUGH_S):
                while web.served.server.server_state.connections:
                    await asyncio.sleep(POLL_S)
        finally:
            reader.kill()
            await reader.communicate()
