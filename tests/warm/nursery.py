"""`python -m tests.warm.nursery ADDRESS`: imports once, then forks a child for everyone who asks at the socket.

Who asks sends his descriptors 0 to 2 and, after its length in four bytes, his order: folder, number of arguments,
arguments, environment, parted by zeros. He is told the child's number and then how it ended, a line each; where he goes
away, so does the child. All end where the standard input does.
"""

import importlib
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults.harness.warm import warm_up
from sprout import cli, crashing, doctor, growing, serving  # noqa: F401 - imported for all who are born here

LENGTH = 4


@dataclass(frozen=True, slots=True)
class Order:
    """What shall run: arguments as Python takes them, and where."""

    folder: bytes
    arguments: list[str]
    environment: dict[bytes, bytes]

    @classmethod
    def parsed(cls, order: bytes) -> "Order":
        folder, count, *rest = order.split(b"\0")
        words, environment = rest[: int(count)], rest[int(count) :]
        return cls(folder, [os.fsdecode(word) for word in words], dict(pair.split(b"=", 1) for pair in environment))


def main() -> None:
    """Be asked until the input ends; this comes back in every child, with what it shall run."""
    warm_up()
    if (order := _asked(sys.argv[1])) is not None:
        run(order)


def run(order: Order) -> None:
    """Be what was asked for, from here to the end of the process."""
    os.chdir(order.folder)
    os.environb.clear()
    os.environb.update(order.environment)
    time.tzset()
    importlib.reload(crashing)  # it has read where to die from the environment before
    words = order.arguments
    safe_path = "-P" in words[:1]
    if safe_path:
        words = words[1:]
    sys.path[:1] = []  # where the nursery was begun
    sys.path[:0] = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    match words:
        case ["-m", module, *rest]:
            sys.path[:0] = [] if safe_path else [str(Path.cwd())]
            sys.argv = [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["-c", code, *rest]:
            sys.path[:0] = [] if safe_path else [""]
            sys.argv = ["-c", *rest]
            names: dict[str, Any] = {"__name__": "__main__"}
            exec(compile(code, "<string>", "exec"), names)  # as Python does with -c
        case [file, *rest]:
            sys.path[:0] = [] if safe_path else [str(Path(file).resolve().parent)]
            sys.argv = [file, *rest]
            runpy.run_path(file, run_name="__main__")


def _asked(address: str) -> Order | None:
    """In the nursery None, when its input has ended; in a child its order."""
    children: dict[int, tuple[int, socket.socket]] = {}
    with selectors.DefaultSelector() as selector, socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen(64)
        selector.register(door, selectors.EVENT_READ)
        selector.register(sys.stdin, selectors.EVENT_READ)
        os.write(1, b"ready\n")
        while True:
            for key, _ in selector.select():
                if key.fileobj is sys.stdin:
                    for child, _ in children.values():
                        os.kill(child, signal.SIGKILL)
                    shutil.rmtree(Path(address).parent)
                    return None
                if key.fileobj is door:
                    asker, _ = door.accept()
                    if (order := _forked(asker, selector, children)) is not None:
                        return order
                elif key.fd in children:
                    _ended(key.fd, selector, children)
                elif key.data in children:
                    os.kill(children[key.data][0], signal.SIGKILL)  # who asked is gone
                    selector.unregister(key.fileobj)


def _forked(
    asker: socket.socket, selector: selectors.BaseSelector, children: dict[int, tuple[int, socket.socket]]
) -> Order | None:
    """The order in the child, None in the nursery."""
    try:
        length, descriptors, _, _ = socket.recv_fds(asker, LENGTH, 3)
        order = Order.parsed(_exactly(asker, int.from_bytes(length, "big")))
    except (OSError, EOFError):
        asker.close()
        return None
    child = os.fork()
    if child == 0:
        os.setsid()
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)
        for number, (_, other) in children.items():
            os.close(number)
            other.close()
        asker.close()
        return order
    for descriptor in descriptors:
        os.close(descriptor)
    number = os.pidfd_open(child)
    children[number] = (child, asker)
    selector.register(number, selectors.EVENT_READ)
    selector.register(asker, selectors.EVENT_READ, number)
    _say(asker, child)
    return None


def _say(asker: socket.socket, number: int) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # he may be gone already: what is read from him says so
        asker.sendall(f"{number}\n".encode())


def _exactly(asker: socket.socket, length: int) -> bytes:
    received = b""
    while len(received) < length:
        if not (some := asker.recv(length - len(received))):
            raise EOFError
        received += some
    return received


def _ended(number: int, selector: selectors.BaseSelector, children: dict[int, tuple[int, socket.socket]]) -> None:
    child, asker = children.pop(number)
    _, status = os.waitpid(child, 0)
    selector.unregister(number)
    os.close(number)
    if asker in selector.get_map():
        selector.unregister(asker)
        _say(asker, os.waitstatus_to_exitcode(status))
    asker.close()


if __name__ == "__main__":
    main()
