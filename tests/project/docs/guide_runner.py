"""Reads a page of the documentation, and does what it says: its commands, in order, in a folder of their own."""

import asyncio
import os
import re
import shlex
import signal
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from harness.free_port import free_port
from harness.prefork.python import prefork_python

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(
    r"(?:^<!-- (?P<remark>[^\n]+?) -->\n+)?^```(?P<language>\S*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
SERVES = re.compile(r"(^|[ /])(make run|sprout serve|sprout model-server)\b")
PORT = re.compile(r"127\.0\.0\.1:(\d{4})\b|--port (\d{4})\b")
DEFAULT_PORT = "8000"
STEP_S = 120
ENDED = "\x04"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block with the remark before it, which says what is not seen on the page."""

    language: str
    text: str
    remark: str

    @property
    def skip_reason(self) -> str | None:
        """Why it is not run, where it is not."""
        return self.remark.removeprefix("not run: ") if self.remark.startswith("not run: ") else None

    @property
    def file(self) -> str | None:
        """The file that the reader is to make of it."""
        return self.remark.removeprefix("file: ") if self.remark.startswith("file: ") else None

    @property
    def serves(self) -> bool:
        """Return True if the block starts a server that runs for the rest of the page."""
        return self.language == "sh" and SERVES.search(self.text.strip().splitlines()[-1]) is not None

    def commands(self) -> Iterator[tuple[str, str]]:
        """Of a console: each command, and what the page says that comes out, `…` for anything."""
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def parse_blocks(page: Path) -> list[Block]:
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(one["language"], one["text"], one["remark"] or "") for one in found]


def matches_output(output: str, expected: str) -> bool:
    """Return True if the output is the one that a page shows."""
    anything = ".*".join(re.escape(piece) for piece in expected.strip().split("…"))
    return re.fullmatch(anything, output.strip(), re.DOTALL) is not None


@dataclass(slots=True)
class GuideRunner:
    """Runner of a page's commands, in a clone that is set up already.

    `make run` is `sprout serve` here, as the Makefile has it, without the set-up. Ports are others, Python has imported
    everything already, and the offline model speaks at once.
    """

    home: Path
    ports: dict[str, str] = field(default_factory=dict)
    servers: list[Process] = field(default_factory=list)
    shell: Process | None = None

    async def __aenter__(self) -> Self:
        tools = self.home / ".venv" / "bin"
        tools.mkdir(parents=True)
        python = shlex.quote(prefork_python())
        for name, line in {
            "sprout": f'exec {python} -P -m sprout "$@"',
            "python": f'exec {python} "$@"',
            "python3": f'exec {python} "$@"',
            "make": f'[ "$*" = run ] || exit 2\nexec {shlex.quote(str(tools / "sprout"))} serve',
        }.items():
            (tools / name).write_text(
                f'#!/bin/sh\nexport PYTHONPATH="{ROOT}${{PYTHONPATH:+:$PYTHONPATH}}"\n{line}\n', encoding="utf-8"
            )
            (tools / name).chmod(0o755)
        (self.home / "examples").symlink_to(ROOT / "examples")
        self.shell = await self._start_shell("sh", stdin=PIPE)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop(signal.SIGTERM)
        if self.shell is not None and self.shell.returncode is None:
            assert self.shell.stdin is not None
            self.shell.stdin.close()
            await self.shell.wait()

    async def run_block(self, block: Block) -> None:
        """Do what the block says; AssertionError where it does not do what the page says."""
        if block.remark.startswith("the servers are "):
            await self.stop(signal.SIGKILL if "killed" in block.remark else signal.SIGTERM)
        if block.file is not None:
            file = self.home / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.serves:
            await self.serve(block.text)
        elif block.language == "sh":
            await self.run(block.text)
        elif block.language == "python":
            (self.home / "block.py").write_text(block.text, encoding="utf-8")
            await self.run("python block.py")
        else:
            for command, expected in block.commands():
                output = await self.run(command, may_fail=True)
                assert matches_output(output, self._with_free_ports(expected)), (
                    f"$ {command}\n{output}\n-- the page says --\n{expected}"
                )

    async def run(self, commands: str, *, may_fail: bool = False) -> str:
        """Output of the commands, in the shell that has run all before them."""
        shell = self.shell
        assert shell is not None
        assert shell.stdin is not None
        assert shell.stdout is not None
        strict = "" if may_fail else "set -e; "
        shell.stdin.write(
            f"{{ {strict}{self._with_free_ports(commands)}\n}} </dev/null 2>&1; set +e; printf '{ENDED}'\n".encode()
        )
        async with asyncio.timeout(STEP_S):
            try:
                output = await shell.stdout.readuntil(ENDED.encode())
            except asyncio.IncompleteReadError as error:
                raise AssertionError(f"this failed:\n{commands}\n{error.partial.decode()}") from None
        return output.decode().removesuffix(ENDED)

    async def serve(self, commands: str) -> None:
        """Start a server and wait until it has said where it is."""
        server = await self._start_shell("sh", "-c", self._with_free_ports(commands))
        self.servers.append(server)
        assert server.stdout is not None
        output = b""
        async with asyncio.timeout(STEP_S):
            while b" at http://" not in output:
                line = await server.stdout.readline()
                assert line, f"no server came of\n{commands}\n{output.decode()}"
                output += line

    async def stop(self, how: signal.Signals) -> None:
        """Stop what serves, as Ctrl-C, or as a crash would."""
        for server in self.servers:
            if server.returncode is None:
                os.killpg(server.pid, how)
            async with asyncio.timeout(STEP_S):
                await server.communicate()
        self.servers.clear()

    async def _start_shell(self, *command: str, stdin: int = DEVNULL) -> Process:
        environment = {
            "PATH": f"{self.home / '.venv' / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "COLUMNS": "200",
            "PYTHONUTF8": "1",
            "SPROUT_PORT": self._port_for(DEFAULT_PORT),
            "SPROUT_OFFLINE_TOKENS_PER_S": "100000",
        }
        return await asyncio.create_subprocess_exec(
            *command,
            cwd=self.home,
            env=environment,
            stdin=stdin,
            stdout=PIPE,
            stderr=STDOUT,
            start_new_session=True,
            limit=16 * 1024 * 1024,
        )

    def _with_free_ports(self, text: str) -> str:
        """The commands with ports that are free on this machine."""
        return PORT.sub(lambda found: found[0].replace(port := found[1] or found[2], self._port_for(port)), text)

    def _port_for(self, named: str) -> str:
        if named not in self.ports:
            self.ports[named] = str(free_port())
        return self.ports[named]
