"""Probe of the sandbox: actions that a compromised reader could try after giving up all privileges."""

import errno
import json
import mmap
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from sprout.sandbox.confinement import ProcessLimits, confine
from sprout.sandbox.seccomp import refuse_outside_calls


def tried(deed: Callable[[], object]) -> str:
    """Outcome of an action: the name of the failure, or "done"."""
    try:
        deed()
    except OSError as failure:
        return errno.errorcode.get(failure.errno or 0, "OSError")
    except (ValueError, MemoryError) as failure:
        return type(failure).__name__
    return "done"


def written(path: str) -> None:
    with Path(path).open("wb") as file:
        file.write(b"a")


def many_open() -> None:
    held = [os.dup(0) for _ in range(100)]
    assert not held


def main(folder: str, port: str) -> None:
    refused = confine(ProcessLimits(cpu_s=20, memory_bytes=512 * 1024**2), os.getppid(), refuse_outside_calls)
    address = ("127.0.0.1", int(port))
    found = {
        "connect": tried(lambda: socket.create_connection(address, timeout=5)),
        "listen": tried(lambda: socket.create_server(("127.0.0.1", 0))),
        "write": tried(lambda: written(f"{folder}/written")),
        "fork": tried(os.fork),
        "start": tried(lambda: os.execv("/bin/true", ["true"])),
        "kill": tried(lambda: os.kill(os.getppid(), signal.SIGTERM)),
        "open many": tried(many_open),
        "memory": tried(lambda: mmap.mmap(-1, 1024**3)),
    }
    sys.stdout.write(json.dumps({"refused": refused, "found": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
