"""Learners' programs, run where they can do no harm."""

import asyncio
import sys
from pathlib import Path

import pytest

from sprout.learning.marking.program_runs import ProgramEnd, ProgramRun, ProgramsUnavailable
from sprout.learning.questions.program_tests import ProgramTest
from sprout.programs.child_process import BEGUN
from sprout.programs.runner import ProgramLimits, SandboxedRunner, parse_run
from sprout.sandbox.child import ChildOutput

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are confined by the kernel of Linux")
NOTHING = ProgramTest(prints="")


async def run(program: str, test: ProgramTest = NOTHING) -> ProgramRun:
    (only,) = await SandboxedRunner().run(program, [test])
    return only


@pytest.mark.parametrize(
    ("program", "test", "printed", "value"),
    [
        ("print('Wärme', 3)", NOTHING, "Wärme 3\n", None),
        ("def f(x):\n    return x * n", ProgramTest("n = 2", after="f(3)", gives=""), "", "6"),
        ("a = int(input('First: '))\nprint(a + int(input()))", ProgramTest(typed="4\n5"), "9\n", None),
        ("name = input()", ProgramTest(typed="Ann", after="name", gives=""), "", "'Ann'"),
        ("print(shown(3))", ProgramTest("print('before')\ndef shown(x):\n    return -x"), "-3\n", None),
        ("import math, random, datetime\nprint(math.sqrt(16))", NOTHING, "4.0\n", None),
        ("n = 3\nexit()", ProgramTest(after="n", gives=""), "", "3"),
        ("def f(): pass\nif __name__ == '__main__':\n    print(1)", NOTHING, "1\n", None),
    ],
)
async def test_A11_a_program_runs_as_it_would_at_home(
    program: str, test: ProgramTest, printed: str, value: str | None
) -> None:
    assert await run(program, test) == ProgramRun(ProgramEnd.COMPLETE, printed, value)


@pytest.mark.parametrize(
    ("program", "test", "end", "error", "line"),
    [
        ("x = 1\nprint(x", NOTHING, ProgramEnd.NOT_COMPILED, "SyntaxError: '(' was never closed", 2),
        ("x = 5\nprint(x is 5)", NOTHING, ProgramEnd.NOT_COMPILED, 'SyntaxError: "is" with ', 2),
        (
            "x = '3'\n\nprint(x + 1)",
            NOTHING,
            ProgramEnd.RAISED,
            'TypeError: can only concatenate str (not "int") to str',
            3,
        ),
        (
            "input()\ninput()",
            ProgramTest(typed="1"),
            ProgramEnd.RAISED,
            "EOFError: input() is called more often than",
            2,
        ),
        (
            "x = 1",
            ProgramTest(after="y", gives="1"),
            ProgramEnd.RAISED_AFTER,
            "NameError: name 'y' is not defined",
            None,
        ),
        ("def f():\n  return f()\nf()", NOTHING, ProgramEnd.RAISED, "RecursionError: maximum recursion depth", 2),
    ],
)
async def test_A11_what_stops_a_program_is_told_with_its_line(
    program: str, test: ProgramTest, end: ProgramEnd, error: str, line: int | None
) -> None:
    found = await run(program, test)
    assert (found.end, found.line) == (end, line)
    assert found.error.startswith(error)


async def test_A11_each_test_has_a_process_of_its_own() -> None:
    program = "seen.append(1)\nimport math\nmath.pi = len(seen)"
    tests = [ProgramTest("seen = []", after="(len(seen), math.pi)", gives="(1, 1)")] * 2
    assert [one.value for one in await SandboxedRunner().run(program, tests)] == ["(1, 1)", "(1, 1)"]


async def test_A11_no_test_follows_one_that_does_not_end() -> None:
    runs = await SandboxedRunner(ProgramLimits(cpu_s=1)).run(
        "while n: pass", [ProgramTest("n = 1"), ProgramTest("n = 0")]
    )
    assert [one.end for one in runs] == [ProgramEnd.TOO_SLOW]


async def test_A11_a_program_that_cannot_be_read_is_tried_once() -> None:
    runs = await SandboxedRunner().run("print(", [NOTHING, NOTHING])
    assert [one.end for one in runs] == [ProgramEnd.NOT_COMPILED]


HOSTILE = {
    "a loop that ignores signals": "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
    "memory": "held = []\nwhile True: held.append('x' * 10**6)",
    "one large block": "x = bytearray(10**10)",
    "processes": "import os\nwhile True: os.fork()",
    "a program": "import os\nos.execv('/bin/sh', ['sh', '-c', 'echo forged'])",
    "a shell": "import os\nif os.system('echo forged') != 0: raise OSError",
    "threads": "import _thread\n_thread.start_new_thread(print, ('forged',))",
    "a file that is read": "print(open('/etc/passwd').read())",
    "its own process": "print(open('/proc/self/maps').read())",
    "the server's process": "import os\nprint(open(f'/proc/{os.getppid()}/environ', 'rb').read())",
    "a folder": "import os\nprint(os.listdir('/'))",
    "a socket": "import _socket\n_socket.socket()",
    "a signal to the server": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "deep recursion": "import sys\nsys.setrecursionlimit(10**8)\ndef f(): return f()\nf()",
    "deep nesting": "eval('(' * 10**5 + ')' * 10**5)",
    "output": "while True: print('x' * 10**4)",
    "an early end": "import os\nos._exit(0)",
    "a crash": "import ctypes\nctypes.string_at(0)",
    "closed output": "import os\nos.closerange(0, 99)",
    "a second report": "import os\nfor fd in range(3, 16):\n  try: os.write(fd, b'{}')\n  except OSError: pass",
    "a wait": "import _thread\nlock = _thread.allocate_lock()\nlock.acquire()\nlock.acquire()",
}


async def test_A11_a_program_that_sleeps_is_marked_without_the_wait() -> None:
    runner = SandboxedRunner(ProgramLimits(wall_s=40.0))
    (found,) = await runner.run("import time\ntime.sleep(600)\nprint('up')", [ProgramTest(prints="up")])
    assert (found.end, found.printed) == (ProgramEnd.COMPLETE, "up\n")


@pytest.mark.parametrize("deed", HOSTILE)
async def test_A11_a_hostile_program_fails_its_own_test_and_does_nothing_else(deed: str) -> None:
    runner = SandboxedRunner(ProgramLimits(cpu_s=1, wall_s=4.0 if deed == "a wait" else 40.0))
    try:
        (found,) = await runner.run(HOSTILE[deed], [ProgramTest(after="'reached'", gives="'reached'")])
    except ProgramsUnavailable:
        assert deed == "a wait", "nothing else may look like a fault of the system"
        return
    assert found.end is not ProgramEnd.COMPLETE
    assert "forged" not in found.printed
    assert "root:" not in found.printed


@pytest.mark.parametrize(
    "deed",
    [
        "open({path!r}, 'w').write('x')",
        "import os\nos.open({path!r}, os.O_CREAT)",
        "import os\nos.mkdir({path!r})",
        "import os\nos.symlink('/etc', {path!r})",
        "import os\nos.rename({kept!r}, {path!r})",
        "import os\nos.remove({kept!r})",
        "import os\nos.truncate({kept!r}, 0)",
        "import os\nos.chmod({kept!r}, 0)",
    ],
)
async def test_A11_no_file_is_made_changed_or_removed(deed: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    mode = kept.stat().st_mode
    found = await run(deed.format(path=str(tmp_path / "made"), kept=str(kept)))
    assert found.error.startswith("PermissionError")
    assert await asyncio.to_thread(lambda: [file.name for file in tmp_path.iterdir()]) == ["kept"]
    assert (kept.read_text(), kept.stat().st_mode) == ("kept", mode)


async def test_A11_the_servers_environment_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPROUT_SECRET", "CANARY")
    found = await run("import os\nprint(sorted(os.environ))")
    assert "SPROUT" not in found.printed
    assert "CANARY" not in found.printed


async def test_A11_what_a_test_expects_is_nowhere_in_its_process() -> None:
    program = "import gc, sys\nframe = sys._getframe()\nwhile frame:\n  print(frame.f_locals)\n  frame = frame.f_back\n"
    test = ProgramTest(after="1", gives="CANARY", misconception="CANARY")
    assert "CANARY" not in (await run(program, test)).printed


async def test_A11_a_patched_print_cheats_only_itself() -> None:
    program = "import builtins, sys\nbuiltins.print = lambda *_: sys.stdout.write('patched')\nprint('asked')"
    assert (await run(program)).printed == "patched"
    assert (await run("print('asked')")).printed == "asked\n"


async def test_A11_a_run_that_is_cancelled_leaves_no_process() -> None:
    running = asyncio.create_task(run("while True: pass"))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


@pytest.mark.parametrize(
    "child",
    [
        ChildOutput(1, b"", b""),
        ChildOutput(-9, b"", BEGUN),
        ChildOutput(0, b"", BEGUN + b'{"end": "unusable"}'),
    ],
)
def test_A11_a_sandbox_that_fails_is_no_fault_of_the_program(child: ChildOutput) -> None:
    with pytest.raises(ProgramsUnavailable):
        parse_run(child)


@pytest.mark.parametrize("report", [b"", b"{", b"[]", b"3", b'{"end": "won"}', b'{"end": 3}', b"[" * 10_000, b"\xff"])
def test_A11_a_forged_report_is_no_result(report: bytes) -> None:
    assert parse_run(ChildOutput(0, b"out", BEGUN + report)) == ProgramRun(ProgramEnd.DIED, "out")


async def test_A11_code_of_a_test_that_fails_is_no_fault_of_the_program() -> None:
    with pytest.raises(ProgramsUnavailable):
        await run("print(1)", ProgramTest(before="undefined", prints="1"))
