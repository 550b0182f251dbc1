"""A Python that has imported everything already behaves as one that has not."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from harness.prefork.python import prefork_python

SAYS = "import os, sys; print(sys.argv, os.getcwd(), os.environ, sys.stdin.read()); print('oh', file=sys.stderr)"
WAITS = (
    "import os, signal; signal.signal(signal.SIGINT, signal.SIG_DFL); print(os.getpid(), flush=True); signal.pause()"
)
END_S = 30


def ran(program: str, *words: str, folder: Path) -> tuple[int, bytes, bytes]:
    """Run the program: exit code, output, error output."""
    environment = {"PATH": "/usr/bin:/bin", "A_SETTING": "größer = \n"}
    done = subprocess.run(
        [program, *words], check=False, input=b"given", capture_output=True, cwd=folder, env=environment
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("-c", SAYS, "a word", ""),
        ("-c", "raise SystemExit(7)"),
        ("-c", "raise SystemExit('no')"),
        ("-c", "import os; os.kill(os.getpid(), 9)"),
        ("-P", "-m", "platform", "--terse"),
        ("file.py", "-x"),
    ],
)
def test_what_it_runs_is_given_says_and_ends_as_by_the_other(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text("import sys; print(__name__, sys.argv, sys.path[0])", encoding="utf-8")
    assert ran(prefork_python(), *words, folder=tmp_path) == ran(sys.executable, *words, folder=tmp_path)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_what_it_runs_is_ended_as_it_is(how: signal.Signals) -> None:
    with subprocess.Popen(
        [prefork_python(), "-c", WAITS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as stand_in:
        assert stand_in.stdout is not None
        child = psutil.Process(int(stand_in.stdout.readline()))
        stand_in.send_signal(how)
        assert stand_in.wait(END_S) == -how
        assert stand_in.stdout.read() == b"", "it ends once nobody has it open"
        child.wait(END_S)
