"""A run followed with the Python client while its server is killed: every event once, in order (open.md O5)."""

import asyncio
from asyncio.subprocess import Process

from harness.servers.deployment import open_deployment
from sprout.client import SproutClient
from sprout.events import EdgeCreated, Event, NodeCreated, RunDone
from sprout.offline.pace import Pace

STEADY = Pace(0.05, 400)
WITHIN_S = 120


async def test_O5_every_event_comes_once_and_in_order_though_the_server_is_killed(fork_server: Process) -> None:
    async with asyncio.timeout(WITHIN_S), open_deployment(STEADY, fork_server=fork_server) as scene:
        server = scene.server
        await server.start()
        async with SproutClient(f"http://127.0.0.1:{server.port}") as sprout:
            path = await sprout.create_path("Light")
            run = await sprout.grow(path.topic.id, small=True)
            events = sprout.follow(run.id)
            received: list[tuple[int, Event]] = []
            kills = iter((4, 12))
            next_kill: int | None = next(kills)
            async for event in events:
                if event.durable:
                    received.append((events.last_id, event))
                if next_kill is not None and len(received) >= next_kill:
                    await server.processes[-1].kill()
                    await server.start()
                    next_kill = next(kills, None)
            again = sprout.follow(run.id)
            log = [(again.last_id, event) async for event in again]
            page = await sprout.path(path.branch.id)
    assert len(server.processes) == 3
    assert [seq for seq, _ in received] == [*range(1, len(received) + 1)]
    assert received == log
    assert isinstance(received[-1][1], RunDone)
    created = {event.node.id for _, event in received if isinstance(event, NodeCreated)}
    assert created == {node.id for node in page.nodes} - {path.topic.id}
    assert sum(isinstance(event, EdgeCreated) for _, event in received) == len(page.edges)
