"""Child process that runs a learner's program once.

The job is JSON on standard input. Standard output is the program's; what came of it goes as one JSON object to standard
error, under another number. What the test expects is not here: a program that tampers with its own process can say
something wrong about itself, but it cannot read what would be right.
"""

import builtins
import importlib
import io
import json
import os
import sys
import warnings
from types import TracebackType
from typing import Any, TextIO

from sprout.sandbox.confinement import SYSTEM_CALLS, ProcessLimits, confine
from sprout.sandbox.seccomp import allow_only_computing

MODULE = "sprout.programs.child_process"
BEGUN = b"begun\n"  # the first line of the report: what follows is the program's doing
UNUSABLE = "unusable"  # of a run whose own code failed before the program
FILE_NAME = "<your program>"
MAX_ERROR = 300  # characters
MAX_VALUE = 10_000
# No file can be opened once the program runs, so what may be imported is imported before: modules that compute. Those
# that the interpreter has loaded by itself, os among them, can be imported as well, and do nothing here.
_MODULES = (
    "_strptime bisect calendar collections copy dataclasses datetime decimal enum fractions functools heapq itertools "
    "json math operator pprint random re statistics string textwrap time typing unicodedata"
)


def main(limits_json: str, parent_pid: str) -> None:
    """Load the modules, drop all privileges, and only then run the program."""
    report_to = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    output = open(1, "w", encoding="utf-8", errors="backslashreplace", newline="\n", closefd=False)  # noqa: SIM115
    for name in _MODULES.split():
        importlib.import_module(name)
    vars(sys.modules["time"])["sleep"] = _go_on
    job: dict[str, str] = json.load(sys.stdin.buffer)
    refused = confine(ProcessLimits(**json.loads(limits_json)), int(parent_pid), allow_only_computing)
    if sys.platform != "linux" or SYSTEM_CALLS in refused:
        os._exit(1)
    os.write(report_to, BEGUN)
    report = run_program(job, output)
    output.flush()
    os.write(report_to, json.dumps(report).encode())
    os._exit(0)  # without the program's own exit handlers


def run_program(job: dict[str, str], output: TextIO) -> dict[str, Any]:
    """Run the program of the job and report its end."""
    sys.stdin = io.StringIO(job["typed"] + "\n" if job["typed"] else "")
    vars(builtins)["input"] = _read_line
    names: dict[str, Any] = {"__name__": "__main__"}
    sys.stdout = io.StringIO()
    try:
        exec(compile(job["before"], "<before>", "exec"), names)  # noqa: S102 in the sandbox
    except Exception:  # noqa: BLE001 the author's fault, and none of the program
        return {"end": UNUSABLE}
    sys.stdout = output
    end = _end_of(job["program"], names)
    if end["end"] != "complete" or not job["after"]:
        return end
    try:
        value = eval(job["after"], names)  # noqa: S307 in the sandbox
        return {"end": "complete", "value": repr(value)[:MAX_VALUE]}
    except BaseException as error:  # noqa: BLE001 whatever it raises is its result
        return {"end": "raised_after", "error": _described(error)}


def _end_of(program: str, names: dict[str, Any]) -> dict[str, Any]:
    """The way the program ended. `exit()` is an end like any other."""
    try:
        with warnings.catch_warnings():
            # "x is 5" runs where small numbers happen to be the same object: it is not what was asked for
            warnings.filterwarnings("error", message='"is', category=SyntaxWarning)
            code = compile(program, FILE_NAME, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        return {"end": "not_compiled", "error": _described(error), "line": line}
    try:
        exec(code, names)  # noqa: S102 in the sandbox
    except SystemExit:
        return {"end": "complete"}
    except BaseException as error:  # noqa: BLE001 whatever it raises is its result
        return {"end": "raised", "error": _described(error), "line": _line_of(error.__traceback__)}
    return {"end": "complete"}


def _go_on(seconds: float, /) -> None:
    """`time.sleep` without the wait, which would only delay the marks."""


def _read_line(prompt: object = "", /) -> str:
    """`input` without its prompt, whose words are the learner's own."""
    line = sys.stdin.readline()
    if not line:
        raise EOFError("input() is called more often than something was typed")
    return line.removesuffix("\n")


def _described(error: BaseException) -> str:
    name = type(error).__name__
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return (f"{name}: {message}" if message else name)[:MAX_ERROR]


def _line_of(trace: TracebackType | None) -> int | None:
    """The line of the program that was running last."""
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE_NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
