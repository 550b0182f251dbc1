"""The floor of reading a page: a route that answers the same bytes from memory."""

import asyncio
import sys
from pathlib import Path

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

PATH = "/page"


async def main(page: Path, port: int) -> None:
    """Serve a file's bytes, which are JSON that is compressed already, until the process is ended."""
    body = await asyncio.to_thread(page.read_bytes)

    async def answer(_: Request) -> Response:
        return Response(body, headers={"Content-Encoding": "gzip"}, media_type="application/json")

    config = uvicorn.Config(Starlette(routes=[Route(PATH, answer)]), port=port, log_level="warning", access_log=False)
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(Path(sys.argv[1]), int(sys.argv[2])))
