"""Privileges that a reader gives up before it opens a file."""

import asyncio
import json
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from harness.documents.listener import listener

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs the kernel of Linux")


async def test_B9_a_reader_in_a_strangers_hands_reaches_no_network_no_file_and_no_process(tmp_path: Path) -> None:
    async with listener() as (url, met):
        port = url.rpartition(":")[2]
        probe = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.sandbox.probe",
            str(tmp_path),
            str(port),
            cwd=ROOT,
            stdin=PIPE,
            stdout=PIPE,
        )
        output, _ = await probe.communicate()
    outcome = json.loads(output)
    for deed in ("connect", "listen", "fork", "start", "kill"):
        if "system calls" not in outcome["refused"]:
            assert outcome["found"][deed] in ("EPERM", "EAGAIN", "OSError"), deed
    if not {"namespaces", "system calls"} <= set(outcome["refused"]):
        assert outcome["found"]["connect"] != "done"
    assert met == []
    assert outcome["found"]["write"] == "EFBIG"
    assert (tmp_path / "written").read_bytes() == b""
    assert outcome["found"]["open many"] == "EMFILE"
    assert outcome["found"]["memory"] in ("ENOMEM", "MemoryError")


async def test_B9_all_of_it_is_given_up_where_the_kernel_lets_it() -> None:
    probe = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.sandbox.probe", "/", "9", cwd=ROOT, stdin=PIPE, stdout=PIPE
    )
    output, _ = await probe.communicate()
    assert set(json.loads(output)["refused"]) <= {"namespaces", "system calls"}
