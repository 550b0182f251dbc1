"""Fork server of Python programs: `python -m harness.prefork.python_forker ADDRESS` forks a child per connection.

A client sends its descriptors 0 to 2 and, after its length in four bytes, his order: folder, number of arguments,
arguments, environment, parted by zeros. He is told the child's number and then how it ended, a line each; where he goes
away, so does the child. All end where the standard input does.
"""

import atexit
import importlib
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.prefork.preload import preload
from sprout import cli, failpoints, serving  # noqa: F401 - imported for all that are forked here
from sprout.commands import doctor, learn  # noqa: F401 - as above

LENGTH = 4


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """A process to start: Python's arguments, and the folder."""

    folder: bytes
    arguments: list[str]
    environment: dict[bytes, bytes]

    @classmethod
    def parse(cls, order: bytes) -> "ForkRequest":
        folder, count, *rest = order.split(b"\0")
        words, environment = rest[: int(count)], rest[int(count) :]
        return cls(folder, [os.fsdecode(word) for word in words], dict(pair.split(b"=", 1) for pair in environment))


def main() -> None:
    """Be asked until the input ends; this comes back in every child, with what it shall run."""
    preload()
    if (order := _accept_requests(sys.argv[1])) is None:
        return
    code: str | int | None = None
    try:
        run_request(order)
    except SystemExit as ending:
        code = ending.code
    if not isinstance(code, int | None):
        sys.exit(code)  # Python prints it
    _exit_without_teardown(code or 0)


def _exit_without_teardown(code: int) -> None:
    """End as Python does, but for the teardown of all modules: each page that it touches would be copied first."""
    threading._shutdown()  # type: ignore[attr-defined]  # as multiprocessing does in its forks
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)  # Python says that its output was lost
    os._exit(code & 0xFF)


def run_request(order: ForkRequest) -> None:
    """Be what was asked for, from here to the end of the process."""
    os.chdir(order.folder)
    os.environb.clear()
    os.environb.update(order.environment)
    time.tzset()
    importlib.reload(failpoints)  # it has read where to die from the environment before
    words = order.arguments
    safe_path = "-P" in words[:1]
    if safe_path:
        words = words[1:]
    sys.path[:1] = []  # the folder that the fork server was started in
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


def _accept_requests(address: str) -> ForkRequest | None:
    """In a child its order; None in the fork server once its input has ended."""
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
                    if (order := _fork_child(asker, selector, children)) is not None:
                        return order
                elif key.fd in children:
                    _reap_children(key.fd, selector, children)
                elif key.data in children:
                    os.kill(children[key.data][0], signal.SIGKILL)  # who asked is gone
                    selector.unregister(key.fileobj)


def _fork_child(
    asker: socket.socket, selector: selectors.BaseSelector, children: dict[int, tuple[int, socket.socket]]
) -> ForkRequest | None:
    """The order in the child, None in the fork server."""
    try:
        length, descriptors, _, _ = socket.recv_fds(asker, LENGTH, 3)
        order = ForkRequest.parse(_receive_exactly(asker, int.from_bytes(length, "big")))
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
    _send_number(asker, child)
    return None


def _send_number(asker: socket.socket, number: int) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # he may be gone already: what is read from him says so
        asker.sendall(f"{number}\n".encode())


def _receive_exactly(asker: socket.socket, length: int) -> bytes:
    received = b""
    while len(received) < length:
        if not (some := asker.recv(length - len(received))):
            raise EOFError
        received += some
    return received


def _reap_children(
    number: int, selector: selectors.BaseSelector, children: dict[int, tuple[int, socket.socket]]
) -> None:
    child, asker = children.pop(number)
    _, status = os.waitpid(child, 0)
    selector.unregister(number)
    os.close(number)
    if asker in selector.get_map():
        selector.unregister(asker)
        _send_number(asker, os.waitstatus_to_exitcode(status))
    asker.close()


if __name__ == "__main__":
    main()
