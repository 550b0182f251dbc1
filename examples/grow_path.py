"""A path that grows, followed from Python: `python examples/grow_path.py URL TOPIC [TOKEN]`."""

import asyncio
import sys

from sprout.client import SproutClient
from sprout.events import AgentError, NodeCreated


async def grow(url: str, topic: str, token: str | None = None) -> None:
    async with SproutClient(url, token=token) as sprout:
        path = await sprout.create_path(topic)
        run = await sprout.grow(path.topic.id, small=True)
        async for event in sprout.follow(run.id):
            said = f"+ {event.node.title}" if isinstance(event, NodeCreated) else event.kind
            print(f"{said}: {event.message}" if isinstance(event, AgentError) else said)
        print("Next:", (await sprout.next_step(path.branch.id)).kind)


asyncio.run(grow(*sys.argv[1:]))
