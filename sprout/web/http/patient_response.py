"""JSON response that may take long: its head is sent early, then a space now and then, which JSON allows before it.

Proxies and clients give up on a response that neither starts nor makes progress.
"""

import asyncio
from collections.abc import Awaitable, Callable

from pydantic import BaseModel
from starlette.responses import Response
from starlette.types import Receive, Scope, Send


class PatientResponse(Response):
    """The object that `make` returns, with status 200.

    Args:
        make: makes the object, and is cancelled where the client goes away. An error is the response as long as
            nothing was sent; later it cuts the connection.
        interval_s: until the first space, and from each to the next.
    """

    media_type = "application/json"

    def __init__(self, make: Callable[[], Awaitable[BaseModel]], *, headers: dict[str, str], interval_s: float) -> None:
        super().__init__(headers=headers)
        del self.headers["Content-Length"]
        self.headers["Content-Encoding"] = "identity"  # gzip would hold the spaces back
        self._make = make
        self._interval_s = interval_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        making = asyncio.ensure_future(self._make())
        leaving = asyncio.ensure_future(_until_disconnect(receive))
        try:
            started = False
            while not making.done() and not leaving.done():
                await asyncio.wait({making, leaving}, timeout=self._interval_s, return_when=asyncio.FIRST_COMPLETED)
                if not making.done() and not leaving.done():
                    await self._send(send, b" ", start=not started, more=True)
                    started = True
            if making.done():
                body = making.result().model_dump_json(by_alias=True).encode()
                await self._send(send, body, start=not started, more=False)
        finally:
            making.cancel()
            leaving.cancel()
            await asyncio.wait({making, leaving})

    async def _send(self, send: Send, body: bytes, *, start: bool, more: bool) -> None:
        if start:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": body, "more_body": more})


async def _until_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
