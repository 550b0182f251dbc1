"""What a process gives up before it looks at a stranger's file: time, memory, files, network, other processes."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

from sprout.documents.limits import ReadingLimits
from sprout.documents.system_calls import forbid_system_calls

MOST_OPEN_FILES = 16
NICENESS = 10
_SET_PARENT_DEATH_SIGNAL, _SET_DUMPABLE, _SET_NO_NEW_PRIVILEGES = 1, 4, 38
_NEW_USERS, _NEW_NETWORK, _NEW_IPC = 0x1000_0000, 0x4000_0000, 0x0800_0000


def confine(limits: ReadingLimits, parent_pid: int) -> list[str]:
    """Give up all that reading does not need; the names of what this system would not have.

    The limits hold everywhere that has them. Where the kernel is Linux, the process also dies with its parent, sees no
    network but an empty one of its own, and may not ask for another, nor for another process.
    """
    steps: list[tuple[str, Callable[[], None]]] = []
    if sys.platform != "win32":
        steps += [("limits", lambda: _limit(limits)), ("nice", _be_nice)]
    if sys.platform == "linux":
        steps += [
            ("parent", lambda: _die_with(parent_pid)),
            ("privileges", lambda: _control(_SET_NO_NEW_PRIVILEGES, 1)),
            ("namespaces", _leave_the_network),
            ("system calls", forbid_system_calls),
            ("dumps", lambda: _control(_SET_DUMPABLE, 0)),
        ]
    refused = []
    for name, step in steps:
        try:
            step()
        except (OSError, ValueError, NotImplementedError):  # the others still hold
            refused.append(name)
    return refused


def _limit(limits: ReadingLimits) -> None:
    import resource

    _lower(resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 1)
    _lower(resource.RLIMIT_AS, limits.memory_bytes)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, MOST_OPEN_FILES)
    if hasattr(resource, "RLIMIT_NPROC"):
        _lower(resource.RLIMIT_NPROC, 0)


def _lower(which: int, soft: int, hard: int | None = None) -> None:
    """Never above what the process may have already."""
    import resource

    _, most = resource.getrlimit(which)
    hard = soft if hard is None else hard
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(which, (soft, hard))


def _be_nice() -> None:
    os.nice(NICENESS)


def _die_with(parent_pid: int) -> None:
    _control(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent_pid:  # it died before that was said
        os._exit(1)


def _control(option: int, argument: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(option, argument, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _leave_the_network() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(_NEW_USERS | _NEW_NETWORK | _NEW_IPC) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
