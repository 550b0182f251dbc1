"""Plays the story: every curl as it is printed, in one shell, against a real server with the offline model."""

import asyncio
import os
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from harness.free_port import free_port
from harness.prefork.python import prefork_python
from scripts.api_reference.examples import PREAMBLE, Example, Restart
from scripts.api_reference.paths import ROOT
from sprout.accounts.accounts import CODE_LIFETIME
from sprout.accounts.secret_values import digest_of
from sprout.accounts.security_log import TERMINAL
from sprout.clock import utc_now
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.accounts.passwords import SqlPasswords
from sprout.store.engine.database import open_database
from sprout.store.lessons.memories import SqlMemories
from sprout.store.schema import tables

HOST = "127.0.0.1"
START_S = 90.0
STEP_S = 120.0
END_OF_STEP = "the-step-is-over"
SET_UP_CODE = "code-of-the-first-start"
REMEMBERED = "Likes short examples with numbers."

# Stands before the real curl on the path: what came back is read by the story's reader, and by the shell as ever.
RECORDING_CURL = """\
#!/bin/bash
mine=$(mktemp -d "$HEARD/XXXXXX")
"$CURL" "$@" --dump-header "$mine/head" --write-out '%{stderr}%{http_code} %{method} %{url_effective}\\n' \\
  2> "$mine/said" | tee "$mine/body"
code=${PIPESTATUS[0]}
rm -rf "$HEARD/last"
mv "$mine" "$HEARD/last"
exit $code
"""


class StoryFailed(Exception):
    """A step could not be played; the message says which and why."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """Response to the last curl of a step, and the error output of the step."""

    status: int
    method: str
    url: str
    media: str
    body: bytes
    complaints: str


async def play_story(
    steps: Sequence[Example | Restart], folder: Path
) -> AsyncGenerator[tuple[Example, RecordedAnswer], None]:
    """Each example with what it heard, in order. Raises StoryFailed."""
    data = folder / "data"
    data.mkdir()
    await _insert_rows(data)
    port = free_port()
    async with _servers(port, data) as server, _shell(folder, f"http://{HOST}:{port}") as shell:
        for step in steps:
            if isinstance(step, Restart):
                await server.restart(step.settings)
            else:
                yield step, await shell.run(step)


async def _insert_rows(data: Path) -> None:
    """What no request makes: an entry of what is remembered of the learner, and the code of the set-up."""
    async with open_database(f"sqlite:///{data / 'sprout.sqlite3'}") as database:
        await database.write_tx(lambda write: write.session.add(tables.User(id=DEFAULT_USER_ID)))
        await SqlMemories(database, lambda _: None).remember(REMEMBERED, actor=Actor(DEFAULT_USER_ID, run_id=new_id()))
        code, expires_at = digest_of(SET_UP_CODE), utc_now() + CODE_LIFETIME
        await SqlPasswords(database).issue_code(code, user_id=None, expires_at=expires_at, origin=TERMINAL)


@dataclass(slots=True)
class _Servers:
    """The one server that is there now, on a port and over data that its lives share."""

    port: int
    data: Path
    process: Process | None = None

    async def restart(self, settings: dict[str, str]) -> None:
        await self.stop()
        log = (self.data.parent / "server.log").open("ab")
        with log:
            self.process = await asyncio.create_subprocess_exec(
                *(prefork_python(), "-P", "-m", "sprout", "serve", "--host", HOST, "--port", str(self.port)),
                cwd=self.data.parent,
                env=_environment(SPROUT_DATA_DIR=str(self.data), **settings),
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=log,
            )
        try:
            async with asyncio.timeout(START_S):
                while not await asyncio.to_thread(_answers, f"http://{HOST}:{self.port}/api/health"):
                    if self.process.returncode is not None:
                        raise StoryFailed(f"the server ended: {(self.data.parent / 'server.log').read_text()[-2000:]}")
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise StoryFailed(f"the server did not answer within {START_S:.0f} s") from None

    async def stop(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.communicate()  # its output ends with the process that has the port and the data


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@asynccontextmanager
async def _servers(port: int, data: Path) -> AsyncIterator[_Servers]:
    servers = _Servers(port, data)
    try:
        yield servers
    finally:
        await servers.stop()


@dataclass(frozen=True, slots=True)
class _Shell:
    """One bash for the whole story: what a curl leaves in a variable is there for those after it."""

    process: Process
    recordings: Path
    errors: Path

    async def run(self, example: Example) -> RecordedAnswer:
        before = self.errors.stat().st_size
        shutil.rmtree(self.recordings / "last", ignore_errors=True)
        try:
            async with asyncio.timeout(STEP_S):
                await self.run_commands(example.curl)
        except TimeoutError:
            heard = [file.read_text(errors="replace") for file in sorted(self.recordings.glob("last/*"))]
            raise StoryFailed(f"{example.key} was not over within {STEP_S:.0f} s; heard last: {heard}") from None
        complaints = self.errors.read_bytes()[before:].decode()
        last = self.recordings / "last"
        if not last.exists():
            raise StoryFailed(f"{example.key} called no curl: {complaints}")
        output = (last / "said").read_text().splitlines()
        status, method, url = output[-1].split(" ", 2)
        return RecordedAnswer(int(status), method, url, _media(last / "head"), (last / "body").read_bytes(), complaints)

    async def run_commands(self, commands: str) -> None:
        """Have the commands run, and wait until they are over."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{commands}\necho\necho {END_OF_STEP}\n".encode())
        await self.process.stdin.drain()
        while (line := await self.process.stdout.readline()).strip() != END_OF_STEP.encode():
            if not line:
                raise StoryFailed(f"the shell ended: {self.errors.read_text()[-2000:]}")


def _media(head: Path) -> str:
    """The media type of the last of the answers that curl was given."""
    lines = [line for line in head.read_text().splitlines() if line.lower().startswith("content-type:")]
    return lines[-1].partition(":")[2].partition(";")[0].strip() if lines else ""


@asynccontextmanager
async def _shell(folder: Path, url: str) -> AsyncIterator[_Shell]:
    real, bash = shutil.which("curl"), shutil.which("bash")
    if real is None or bash is None:
        raise StoryFailed("the examples need curl and bash, which are not installed")
    tools, heard, errors = folder / "bin", folder / "heard", folder / "errors"
    tools.mkdir()
    heard.mkdir()
    (tools / "curl").write_text(RECORDING_CURL)
    (tools / "curl").chmod(0o755)
    path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.defpath])
    with errors.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            bash,
            cwd=folder,
            env={"PATH": path, "LC_ALL": "C.UTF-8", "CURL": real, "HEARD": str(heard), "SPROUT": url},
            stdin=PIPE,
            stdout=PIPE,
            stderr=stderr,
            limit=2**26,
        )
    try:
        shell = _Shell(process, heard, errors)
        await shell.run_commands(PREAMBLE)
        yield shell
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def _environment(**settings: str) -> dict[str, str]:
    """Nothing of this process's own settings reaches a server; the agent of the examples can be named to it."""
    modules = os.pathsep.join([str(ROOT), str(ROOT / "examples" / "custom_agent")])
    return {"PATH": os.defpath, "PYTHONUTF8": "1", "PYTHONPATH": modules, **settings}
