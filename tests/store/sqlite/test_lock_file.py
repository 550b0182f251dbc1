"""One process per file (D3, P12): the lock goes with the process, however it ends, and the note in it stays."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from harness.database.holder import holding
from sprout.errors import SetupError
from sprout.store.engine.database import open_database
from sprout.store.sqlite.lock_file import lock_database, lock_path
from tests.project.commands import run_sprout, serve_sprout


async def test_P12_a_second_process_on_one_file_is_refused_until_the_first_is_killed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
    async with holding(url) as first:
        with pytest.raises(SetupError, match="Another Sprout"):
            async with open_database(url):
                pass
        first.kill()
        await first.wait()
        assert lock_path(tmp_path / "sprout.sqlite3").exists()
        async with open_database(url):
            pass


async def test_P12_a_first_process_that_is_frozen_still_has_the_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sprout.sqlite3'}"
    async with holding(url) as first:
        first.send_signal(signal.SIGSTOP)
        await asyncio.to_thread(os.waitid, os.P_PID, first.pid, os.WSTOPPED | os.WNOWAIT)
        with pytest.raises(SetupError, match="Another Sprout"):
            async with open_database(url):
                pass
        first.send_signal(signal.SIGCONT)


async def test_P12_a_second_server_says_so_in_one_line_and_leaves_with_1(tmp_path: Path) -> None:
    async with serve_sprout("serve", "--port", "0", folder=tmp_path):
        second = await run_sprout("serve", "--port", "0", folder=tmp_path, SPROUT_LOG_LEVEL="error")
    assert (second.code, second.out) == (1, "")
    assert second.err.startswith("sprout: Another Sprout is using ")
    assert second.err.count("\n") == 1


def test_a_note_goes_from_one_holder_to_the_next(tmp_path: Path) -> None:
    file = tmp_path / "sprout.sqlite3"
    with lock_database(file) as lock:
        assert lock.read_note() == b""
        lock.write_note(b"a long note")
        lock.write_note(b"short")
    with lock_database(file) as lock:
        assert lock.read_note() == b"short"
