"""The last answer on a connection to somebody who is still sending what nobody will read."""

import asyncio
from contextlib import suppress

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

LINGER_BYTES = 16 * 1024 * 1024
LINGER_S = 2.0


class LingeringAnswer(JSONResponse):
    """An answer that is whole at once, and a connection that is closed a little later.

    Who is still sending when the connection is closed may be told that it broke instead of why. So it is read on
    for as much and as long as a client needs that looks for an answer while it sends.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers["Connection"] = "close"
        self.headers["Content-Encoding"] = "identity"  # else it would be packed, and wait for its end to be sent
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": bytes(self.body), "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                await _read_on(receive)
        await send({"type": "http.response.body", "body": b""})


async def _read_on(receive: Receive) -> None:
    """Until the body or the connection ends, or enough was read."""
    left = LINGER_BYTES
    while left > 0:
        message = await receive()
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return
        left -= len(message.get("body", b""))
