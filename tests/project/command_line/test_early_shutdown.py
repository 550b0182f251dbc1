"""A server that is asked to leave while it still starts: it leaves, whatever it is in the middle of."""

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Generator
from pathlib import Path
from typing import Any

import pytest
import uvloop

from harness.prefork.python import prefork_python
from sprout.app import open_app
from sprout.config import load_settings
from sprout.roles import Role
from sprout.store.sqlite.lock_file import is_free
from tests.project.commands import START_S, start_sprout

# Asked where Python can raise nothing, in the callback of a weak reference, when this module is first looked for.
ASKED_WITHIN_A_CALLBACK = """
import os, signal, sys, weakref

class Asking:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["ASKED_AT"]:
            gone = type("Gone", (), {})()
            callback = weakref.ref(gone, lambda _: os.kill(os.getpid(), getattr(signal, os.environ["ASKED_BY"])))
            del gone

sys.meta_path.insert(0, Asking())
"""
# In a Python that has imported everything already, but for this module.
IMPORTED_LATE = """
del sys.modules[os.environ["ASKED_AT"]]
sys.argv[1:] = ["serve"]
from sprout.cli import main
sys.exit(main())
"""
IMPORTED_FIRST, IMPORTED_WHEN_ALL_IS_OPEN = "sprout.app", "sprout.web.http.connection_limits"


@pytest.mark.parametrize("by", ["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("at", [IMPORTED_FIRST, IMPORTED_WHEN_ALL_IS_OPEN])
async def test_it_leaves_also_when_it_is_asked_where_nothing_can_be_raised(at: str, by: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(ASKED_WITHIN_A_CALLBACK)
    asked = {"PYTHONPATH": str(tmp_path), "ASKED_AT": at, "ASKED_BY": by, "SPROUT_PORT": "0"}
    python, *words = (
        (sys.executable, "-P", "-m", "sprout", "serve")
        if at == IMPORTED_FIRST
        else (prefork_python(), "-c", ASKED_WITHIN_A_CALLBACK + IMPORTED_LATE)
    )
    process = await start_sprout(*words, folder=tmp_path, program=python, **asked)
    try:
        async with asyncio.timeout(START_S):
            _, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    code = 128 + signal.Signals[by] if at == IMPORTED_FIRST else 0  # of a process without a handler, or of a server
    assert process.returncode == code, err.decode()
    assert "Traceback" not in err.decode()


class Cancelled:
    """Awaits the work, and cancels who awaits it where the work waits for the `at`-th time."""

    def __init__(self, work: Coroutine[Any, Any, None], *, at: int) -> None:
        self._work, self._at = work, at

    def __await__(self) -> Generator[Any, Any, None]:
        task = asyncio.current_task()
        assert task is not None
        step, thrown = 0, None
        while True:
            try:
                awaited = self._work.send(None) if thrown is None else self._work.throw(thrown)
            except StopIteration:
                return
            step += 1
            if step == self._at:
                task.cancel()
            thrown = None
            try:
                yield awaited
            except asyncio.CancelledError as error:
                thrown = error


@pytest.mark.parametrize("loop_of", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_start_that_is_broken_off_wherever_it_waits_lets_go_of_all_that_it_had(
    loop_of: Callable[[], asyncio.AbstractEventLoop], tmp_path: Path
) -> None:
    settings = load_settings(data_dir=tmp_path, api_key=None, base_url=None, database_url="")

    async def opened() -> None:
        async with open_app(settings, role=Role.SERVER):
            pass

    async def broken_off() -> int:
        """The number of times that a start waits which comes to its end."""
        await opened()
        at = 0
        while True:
            at += 1
            try:
                async with asyncio.timeout(START_S):
                    await Cancelled(opened(), at=at)
                return at - 1
            except asyncio.CancelledError:
                assert asyncio.all_tasks() == {asyncio.current_task()}
                assert is_free(tmp_path / "sprout.sqlite3")

    with asyncio.Runner(loop_factory=loop_of) as runner:
        assert runner.run(broken_off()) > 20
