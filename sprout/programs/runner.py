"""Program runner: each test of a learner's program in a confined child process of its own.

A process for each test, since nothing that a program leaves behind in its own can be trusted: one costs some tens of
milliseconds, of which an answer has a few.
"""

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sprout.learning.marking.program_runs import MAX_CPU_S, ProgramEnd, ProgramRun, ProgramsUnavailable
from sprout.learning.questions.program_tests import ProgramTest
from sprout.programs.child_process import BEGUN, MAX_ERROR, MAX_VALUE, MODULE, UNUSABLE
from sprout.sandbox.child import ChildOutput, OutputTooLong, run_child
from sprout.sandbox.confinement import ProcessLimits

MEBIBYTE = 1024 * 1024
MAX_REPORT_BYTES = 64 * 1024

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """Limits of one run of a program.

    Args:
        cpu_s: processor time in whole seconds, the interpreter's start included.
        memory_bytes: address space, the interpreter included.
        wall_s: from the start of the process to its end, for what waits without computing; long enough for `cpu_s` on a
            machine on which many processes share a processor.
        output_bytes: of what it prints.
        at_once: how many programs run at the same time; others wait.
    """

    cpu_s: int = MAX_CPU_S
    memory_bytes: int = 256 * MEBIBYTE
    wall_s: float = 40.0
    output_bytes: int = 64 * 1024
    at_once: int = 2


class SandboxedRunner:
    """ProgramRunner in child processes that can only compute; on a system that cannot confine them so, none runs."""

    def __init__(self, limits: ProgramLimits = ProgramLimits()) -> None:
        self._limits = limits
        self._places = asyncio.Semaphore(limits.at_once)

    async def run(self, program: str, tests: Sequence[ProgramTest]) -> Sequence[ProgramRun]:
        runs: list[ProgramRun] = []
        for test in tests:
            async with self._places:
                runs.append(await self._run_once(program, test))
            if runs[-1].end in (ProgramEnd.TOO_SLOW, ProgramEnd.NOT_COMPILED):
                break  # the others would end the same way
        return runs

    async def _run_once(self, program: str, test: ProgramTest) -> ProgramRun:
        limits = self._limits
        job = {"before": test.before, "program": program, "typed": test.typed, "after": test.after or ""}
        process_limits = json.dumps(asdict(ProcessLimits(limits.cpu_s, limits.memory_bytes)))
        try:
            child = await run_child(
                MODULE,
                [process_limits],
                json.dumps(job).encode(),
                wall_s=limits.wall_s,
                max_bytes=limits.output_bytes,
                max_report_bytes=MAX_REPORT_BYTES,
            )
        except OutputTooLong:
            return ProgramRun(ProgramEnd.TOO_LONG)
        except OSError as error:  # a timeout is one: the program waited, or the machine had no time for it
            raise _unavailable(type(error).__name__) from None
        return parse_run(child)


def parse_run(child: ChildOutput) -> ProgramRun:
    """The run as the child process tells it, which is as untrusted as the program. Raises ProgramsUnavailable."""
    printed = child.output.decode("utf-8", "backslashreplace")
    begun, begin, told = child.report.partition(BEGUN)
    if begun or not begin or (sys.platform != "win32" and child.status == -signal.SIGKILL):
        raise _unavailable(f"exit status {child.status}")
    if sys.platform != "win32" and child.status == -signal.SIGXCPU:
        return ProgramRun(ProgramEnd.TOO_SLOW, printed)
    try:
        report: dict[str, Any] = json.loads(told)
        if report["end"] == UNUSABLE:
            raise _unavailable("the code before it failed")
        return ProgramRun(
            ProgramEnd(report["end"]),
            printed,
            _text(report.get("value"), MAX_VALUE),
            _text(report.get("error"), MAX_ERROR) or "",
            _line(report.get("line")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ProgramRun(ProgramEnd.DIED, printed)


def _text(value: object, limit: int) -> str | None:
    return value[:limit] if isinstance(value, str) else None


def _line(value: object) -> int | None:
    return value if type(value) is int else None


def _unavailable(cause: str) -> ProgramsUnavailable:
    log.warning("program.not_run", extra={"cause": cause})
    return ProgramsUnavailable(f"the program could not be run: {cause}")
