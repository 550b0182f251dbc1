"""Ports for servers of tests and measurements."""

import random
import socket

# The system gives others away by itself: between the choice and the server's start, to any client of any test.
PORTS = range(20_000, 30_000)


def free_port() -> int:
    """A free port of the loopback, of those that the system does not give away. Raises RuntimeError: there is none."""
    for port in random.sample(PORTS, k=len(PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("there is no free port")
