"""Confinement of a process before it parses an untrusted file or runs a learner's program: limits, namespaces,
seccomp."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

MAX_OPEN_FILES = 16
NICENESS = 10
_SET_PARENT_DEATH_SIGNAL, _SET_DUMPABLE, _SET_NO_NEW_PRIVILEGES = 1, 4, 38
_NEW_USERS, _NEW_NETWORK, _NEW_IPC = 0x1000_0000, 0x4000_0000, 0x0800_0000


SYSTEM_CALLS = "system calls"  # the step without which a process can do more than compute


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Resource limits of a process.

    Args:
        cpu_s: processor time in whole seconds.
        memory_bytes: address space, the interpreter and its libraries included.
    """

    cpu_s: int
    memory_bytes: int


def confine(limits: ProcessLimits, parent_pid: int, filter_system_calls: Callable[[], None]) -> list[str]:
    """Drop everything that the process does not need; the names of the steps that this system refused.

    Resource limits apply on every POSIX system. On Linux the process also dies with its parent, has an empty network
    namespace, and makes only the system calls that the filter lets through.
    """
    steps: list[tuple[str, Callable[[], None]]] = []
    if sys.platform != "win32":
        steps += [("limits", lambda: _limit(limits)), ("nice", _lower_priority)]
    if sys.platform == "linux":
        steps += [
            ("parent", lambda: _die_with_parent(parent_pid)),
            ("privileges", lambda: _prctl(_SET_NO_NEW_PRIVILEGES, 1)),
            ("namespaces", _leave_the_network),
            ("dumps", lambda: _prctl(_SET_DUMPABLE, 0)),
            (SYSTEM_CALLS, filter_system_calls),
        ]
    refused = []
    for name, step in steps:
        try:
            step()
        except (OSError, ValueError, NotImplementedError):  # the others still hold
            refused.append(name)
    return refused


def _limit(limits: ProcessLimits) -> None:
    import resource

    _lower_limit(resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 1)
    _lower_limit(resource.RLIMIT_AS, limits.memory_bytes)
    _lower_limit(resource.RLIMIT_FSIZE, 0)
    _lower_limit(resource.RLIMIT_CORE, 0)
    _lower_limit(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
    if hasattr(resource, "RLIMIT_NPROC"):
        _lower_limit(resource.RLIMIT_NPROC, 0)


def _lower_limit(which: int, soft: int, hard: int | None = None) -> None:
    """Set the limit, never above the one in force."""
    import resource

    _, most = resource.getrlimit(which)
    hard = soft if hard is None else hard
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(which, (soft, hard))


def _lower_priority() -> None:
    os.nice(NICENESS)


def _die_with_parent(parent_pid: int) -> None:
    _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent_pid:  # the parent died before prctl took effect
        os._exit(1)


def _prctl(option: int, argument: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(option, argument, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _leave_the_network() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(_NEW_USERS | _NEW_NETWORK | _NEW_IPC) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
