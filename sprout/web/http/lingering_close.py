"""Lingering close: respond early, then drain the unread body for a while."""

import asyncio
from contextlib import suppress

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

LINGER_BYTES = 32 * 1024 * 1024
LINGER_S = 5.0


class LingeringResponse(JSONResponse):
    """A complete response on a connection that is closed a little later.

    A client that is still sending when the connection closes may see a reset instead of the response. So the body
    is drained up to a size and a time within which clients look for a response.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers["Connection"] = "close"
        self.headers["Content-Encoding"] = "identity"  # gzip would hold it back until its end
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": bytes(self.body), "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                await _drain(receive)
        await send({"type": "http.response.body", "body": b""})


async def _drain(receive: Receive) -> None:
    """Read until the body or the connection ends, or the limit is reached."""
    left = LINGER_BYTES
    while left > 0:
        message = await receive()
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return
        left -= len(message.get("body", b""))
