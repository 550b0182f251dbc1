"""Preloaded Python: Sprout is imported once, and each start is a fork.

`prefork_python()` is a program like `sys.executable`, for tests that start many: `-m MODULE`, `-c CODE` or a file, with
arguments, environment, folder, input and output of its own; it ends as its program ends, forwards SIGTERM, SIGINT and
SIGHUP, and takes it along when it is killed. What runs has another process id and session, and is forked: tests that
look at those start Python as it is, and so do those that are about starting.
"""

import atexit
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
END_S = 30.0


@cache
def prefork_python() -> str:
    """The program, whose children live as long as this process at most."""
    if not hasattr(os, "pidfd_open"):
        return sys.executable
    folder = Path(tempfile.mkdtemp(prefix="warm-"))  # the fork server removes it
    address, program = folder / "socket", folder / "python"
    launcher = (HERE / "launcher.py").read_text(encoding="utf-8")
    program.write_text(f"#!{sys.executable} -IS\n{launcher}\nmain({str(address)!r})\n", encoding="utf-8")
    program.chmod(0o700)
    fork_server = subprocess.Popen(
        [sys.executable, "-m", "harness.prefork.python_forker", str(address)],
        cwd=ROOT,
        env=os.environ | {"PYTHONUTF8": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )

    def end() -> None:
        with fork_server:
            fork_server.communicate(timeout=END_S)

    atexit.register(end)
    assert fork_server.stdout is not None
    assert fork_server.stdout.readline() == b"ready\n"
    return str(program)
