"""Seccomp filter: a compromised parser cannot open sockets, start programs or touch other processes.

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

# Numbers that differ by architecture; from Linux' own tables.
_ARCHITECTURES = {
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


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install_seccomp_filter() -> None:
    """Make the kernel refuse these system calls with EPERM from now on.

    Raises NotImplementedError on an unknown architecture, OSError if the kernel refuses.
    """
    known = _ARCHITECTURES.get(os.uname().machine)
    if known is None or struct.calcsize("P") != 8:
        raise NotImplementedError
    architecture, numbers = known
    code = _build_filter(architecture, sorted([*numbers.values(), *_EVERYWHERE.values()]))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // _INSTRUCTION.size, ctypes.addressof(buffer))
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def _build_filter(architecture: int, numbers: list[int]) -> bytes:
    """Calls of another architecture and the refused numbers jump to the last instruction, all others to the one before.

    Source: seccomp(2), classic BPF over struct seccomp_data.
    """
    refuse = len(numbers) + 5
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 0, refuse - 2, architecture),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, refuse - 4, 0, _X32),
        *((_EQUAL, refuse - at - 1, 0, number) for at, number in enumerate(numbers, start=4)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE | errno.EPERM),
    ]
    return b"".join(_INSTRUCTION.pack(*instruction) for instruction in code)
