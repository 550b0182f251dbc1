"""Provider that writes the time into each delta: `python -m bench.servers.stamped_model DELTAS A_SECOND`.

It is the least that the SDK takes for one, so that a core of its own suffices for hundreds of streams.
"""

import asyncio
import json
import sys
import time
from typing import Any

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from harness.free_port import free_port

PADDING_CHARACTERS = 5  # as many as a token has


class StampedModel:
    """A reply of so many deltas at so many a second, each with the monotonic time in ns at which it is sent."""

    def __init__(self, deltas: int, a_second: float) -> None:
        self._deltas = deltas
        self._every_s = 1 / a_second
        self._begun = 0

    async def reply(self, _: Request) -> "_StampedReply":
        """One message."""
        self._begun += 1
        return _StampedReply(self._deltas, self._every_s, self._begun * 0.618 % 1)


class _StampedReply:
    def __init__(self, deltas: int, every_s: float, phase: float) -> None:
        self._deltas, self._every_s, self._phase = deltas, every_s, phase

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": _OPENING, "more_body": True})
        loop = asyncio.get_running_loop()
        begin_s = loop.time() + self._phase * self._every_s
        for number in range(self._deltas):
            await asyncio.sleep(max(0.0, begin_s + number * self._every_s - loop.time()))
            body = A_DELTA % time.monotonic_ns()  # the same clock in all processes of a machine
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": _CLOSING, "more_body": False})


def _frame(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind} | fields)}\n\n".encode()


_USAGE = {"input_tokens": 100, "output_tokens": 1}
_MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "sprout-offline",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": _USAGE,
}
_OPENING = _frame("message_start", message=_MESSAGE) + _frame(
    "content_block_start", index=0, content_block={"type": "text", "text": ""}
)
A_DELTA = _frame(
    "content_block_delta",
    index=0,
    delta={"type": "text_delta", "text": "@STAMP@" + "a" * PADDING_CHARACTERS + " "},
).replace(b"STAMP", b"%d")
_CLOSING = (
    _frame("content_block_stop", index=0)
    + _frame("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage=_USAGE)
    + _frame("message_stop")
)


async def main(deltas: int, a_second: float) -> None:
    """Serve until the process is ended; the first line on standard output is the base URL."""
    stamped = StampedModel(deltas, a_second)
    app = Starlette(routes=[Route("/v1/messages", stamped.reply, methods=["POST"])])
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, lifespan="off", log_level="error", access_log=False))
    print(f"http://127.0.0.1:{port}", flush=True)
    await server.serve()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]), float(sys.argv[2])))
