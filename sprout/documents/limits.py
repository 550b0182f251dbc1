"""Limits of time, memory and output for reading one file."""

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits of the child process that reads one file, and of its output.

    Args:
        cpu_s: processor time in whole seconds.
        memory_bytes: address space, the interpreter and its libraries included.
        wall_s: from the start of the process to its output.
        inflated_bytes: all entries of a packed file together.
    """

    cpu_s: int = 20
    memory_bytes: int = 512 * MEBIBYTE
    wall_s: float = 60.0
    pages: int = 2_000
    characters: int = 2_000_000
    passages: int = 20_000
    inflated_bytes: int = 200 * MEBIBYTE
