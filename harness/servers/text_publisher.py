"""`python -m harness.servers.text_publisher URL PREFIX ROOT`: a worker that writes a block until it is killed.

It publishes one word more of the block `b1` for each line that it reads, under the first epoch of the run ROOT, and
answers with a line once that is on its way.
"""

import asyncio
import json
import sys

from sprout.engines.redis_bus import open_redis_bus
from sprout.runs.streaming.bus import EphemeralEvent


async def main(url: str, prefix: str, root: str) -> None:
    """Publish until the process is ended."""
    async with open_redis_bus(url, prefix=prefix) as bus:
        length = 0
        while await asyncio.to_thread(sys.stdin.readline):
            word = f"word{length} "
            data = json.dumps({"agent": "topic", "runId": root, "blockId": "b1", "text": word})
            bus.publish(EphemeralEvent(root, "agent_reasoning_delta", data, "b1", length, len(word), root, 1))
            length += len(word)
            print(length, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
