"""Seccomp filters: a compromised parser cannot open sockets, start programs or touch other processes, and a learner's
program can only compute.

Not pyseccomp: it has had no release since 2021 and calls the system's libseccomp, which a laptop need not have.
"""

import ctypes
import errno
import os
import struct

_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _REFUSE = 0x7FFF_0000, 0x0005_0000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
_X32 = 0x4000_0000
_INSTRUCTION = struct.Struct("HBBI")
_Numbers = dict[str, tuple[int, dict[str, int]]]

# Numbers that differ by architecture; from Linux' own tables.
_REFUSED: _Numbers = {
    "x86_64": (
        0xC000_003E,
        {
            "socket": 41, "connect": 42, "sendto": 44, "bind": 49, "socketpair": 53, "clone": 56, "fork": 57,
            "vfork": 58, "execve": 59, "kill": 62, "ptrace": 101, "tkill": 200, "rt_sigqueueinfo": 129,
            "unshare": 272, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "execveat": 322,
        },
    ),
    "aarch64": (
        0xC000_00B7,
        {
            "unshare": 97, "ptrace": 117, "kill": 129, "tkill": 130, "rt_sigqueueinfo": 138, "socket": 198,
            "socketpair": 199, "bind": 200, "connect": 203, "sendto": 206, "clone": 220, "execve": 221, "setns": 268,
            "process_vm_readv": 270, "process_vm_writev": 271, "execveat": 281,
        },
    ),
}  # fmt: skip
_EVERYWHERE = {"pidfd_send_signal": 424, "io_uring_setup": 425, "clone3": 435, "pidfd_getfd": 438}

# All that a program needs which was compiled, with its modules loaded and its pipes open.
_COMPUTING: _Numbers = {
    "x86_64": (
        0xC000_003E,
        {
            "read": 0, "write": 1, "close": 3, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12,
            "rt_sigreturn": 15, "writev": 20, "sched_yield": 24, "mremap": 25, "madvise": 28, "nanosleep": 35,
            "getpid": 39, "exit": 60, "gettimeofday": 96, "getrusage": 98, "times": 100, "sigaltstack": 131,
            "time": 201, "futex": 202, "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230,
            "exit_group": 231, "getrandom": 318, "membarrier": 324, "rseq": 334,
        },
    ),
    "aarch64": (
        0xC000_00B7,
        {
            "close": 57, "lseek": 62, "read": 63, "write": 64, "writev": 66, "exit": 93, "exit_group": 94, "futex": 98,
            "nanosleep": 101, "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115, "sched_yield": 124,
            "sigaltstack": 132, "rt_sigreturn": 139, "times": 153, "getrusage": 165, "gettimeofday": 169,
            "getpid": 172, "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222, "mprotect": 226, "madvise": 233,
            "getrandom": 278, "membarrier": 283, "rseq": 293,
        },
    ),
}  # fmt: skip


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def refuse_outside_calls() -> None:
    """Make the kernel refuse sockets, programs and other processes with EPERM from now on.

    Raises NotImplementedError on an unknown architecture, OSError if the kernel refuses.
    """
    architecture, numbers = _of_this_machine(_REFUSED)
    _install(_build_filter(architecture, [*numbers.values(), *_EVERYWHERE.values()], _REFUSE | errno.EPERM, _ALLOW))


def allow_only_computing() -> None:
    """Make the kernel refuse every system call with EPERM from now on but those that compute, write to what is open,
    and end the process: no file can be opened, read, made or removed.

    Raises NotImplementedError on an unknown architecture, OSError if the kernel refuses.
    """
    architecture, numbers = _of_this_machine(_COMPUTING)
    _install(_build_filter(architecture, [*numbers.values()], _ALLOW, _REFUSE | errno.EPERM))


def _of_this_machine(architectures: _Numbers) -> tuple[int, dict[str, int]]:
    known = architectures.get(os.uname().machine)
    if known is None or struct.calcsize("P") != 8:
        raise NotImplementedError
    return known


def _install(code: bytes) -> None:
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // _INSTRUCTION.size, ctypes.addressof(buffer))
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def _build_filter(architecture: int, numbers: list[int], listed: int, other: int) -> bytes:
    """The listed numbers jump to the last instruction, others reach the one before; calls of another architecture go to
    the one of both that refuses.

    Source: seccomp(2), classic BPF over struct seccomp_data.
    """
    last = len(numbers) + 5
    refuse = last - 1 if listed == _ALLOW else last
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 0, refuse - 2, architecture),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, refuse - 4, 0, _X32),
        *((_EQUAL, last - at - 1, 0, number) for at, number in enumerate(numbers, start=4)),
        (_RETURN, 0, 0, other),
        (_RETURN, 0, 0, listed),
    ]
    return b"".join(_INSTRUCTION.pack(*instruction) for instruction in code)
