"""Corpora of the courses and of typed programs: the tests that go through a sample of them, over all of them."""

import asyncio
import re
import sys

from faults.core.loop_faults import ProofFigure

TESTS = (
    "tests/offline/courses/test_replies.py",
    "tests/offline/test_course_programs.py",
    "tests/offline/test_typed_programs.py",
)
_PASSED = re.compile(rb"(\d+) passed")


async def corpora() -> list[ProofFigure]:
    """Every reply of the courses, every program of theirs and every typed one, as the tests check a sample of them."""
    process = await asyncio.create_subprocess_exec(
        *("env", "SPROUT_TEST_WHOLE_CORPORA=1", sys.executable, "-m", "pytest", "-q", "-n", "2", *TESTS),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    if process.returncode:
        sys.stdout.buffer.write(output)
    passed = _PASSED.search(output)
    count = passed[1].decode() if passed else "0"
    return [ProofFigure("corpora", "tests over whole corpora that passed", count, process.returncode == 0)]


PROOFS = {"corpora": corpora}
