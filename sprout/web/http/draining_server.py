"""uvicorn's server with a shutdown that cuts no request off: one that has connected is answered before it ends."""

import asyncio
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import uvicorn

from sprout.runs.cancellation import end_tasks

CLOSING_HEADER = (b"connection", b"close")
POLL_S = 0.05


class DrainingServer(uvicorn.Server):
    """uvicorn's server without its signal handlers, which would end the process before everything is closed.

    Args:
        on_ready: called once it accepts connections.
        keep_s: at the shutdown, how long connections without a request are kept. A balancer may be sending the next
            request on one of them: it is answered, with `Connection: close`.
    """

    def __init__(self, on_ready: Callable[[], None], config: uvicorn.Config, *, keep_s: float = 0.0) -> None:
        super().__init__(config)
        self._on_ready = on_ready
        self._keep_s = keep_s

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        accepted = self._stop_listening(sockets or [])
        self.server_state.default_headers = [*self.server_state.default_headers, CLOSING_HEADER]
        loop = asyncio.get_running_loop()
        for connection in accepted:
            await loop.connect_accepted_socket(self._new_protocol, connection)
        await asyncio.sleep(POLL_S)  # their requests are read
        end_s = loop.time() + self._keep_s
        while loop.time() < end_s:
            if self.force_exit or not self.server_state.connections:
                break
            await asyncio.sleep(POLL_S)
        await super().shutdown()
        await end_tasks(self.server_state.tasks)  # those that were cut off: what they use is closed after this

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def _stop_listening(self, listening: Sequence[socket.socket]) -> list[socket.socket]:
        """Close the listening sockets; the connections that were established and not accepted yet.

        A socket that is closed resets those: so a copy of it is emptied first, and closed at once.
        """
        copies = [one.dup() for one in listening]
        for server in self.servers:
            server.close()
        for one in listening:
            one.close()
        accepted: list[socket.socket] = []
        for copy in copies:
            with copy:
                copy.setblocking(False)
                accepted += _accept_all(copy)
        return accepted

    def _new_protocol(self) -> asyncio.Protocol:
        protocol: type[asyncio.Protocol] = self.config.http_protocol_class
        return protocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)  # type: ignore[call-arg]  # as uvicorn calls it


def _accept_all(listening: socket.socket) -> Iterator[socket.socket]:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:  # none is left, or no file is free for one
            return
        connection.setblocking(False)
        yield connection
