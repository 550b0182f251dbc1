"""The container image: what it is made of, and that what it starts needs no more than it gives."""

import asyncio
import importlib.metadata
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from asyncio import timeout
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from sprout.config import Settings
from sprout.yaml_loader import load_yaml
from tests.project.commands import BIN_FOLDER, STOP_S, serve_sprout, start_sprout

ROOT = Path(__file__).parents[3]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
# The Dockerfile as its instructions, without comments, each on one line.
INSTRUCTIONS = [
    " ".join(line.split())
    for line in re.sub(r"\\\n", "", re.sub(r"^\s*#.*\n", "", DOCKERFILE, flags=re.MULTILINE)).splitlines()
    if line.strip()
]
FINAL = INSTRUCTIONS[max(at for at, line in enumerate(INSTRUCTIONS) if line.startswith("FROM ")) :]
SERVICE = load_yaml((ROOT / "compose.yaml").read_text())["services"]["sprout"]


def instructions(name: str, among: list[str]) -> list[str]:
    """The arguments of every instruction of this name."""
    return [line.removeprefix(f"{name} ") for line in among if line.startswith(f"{name} ")]


def environment() -> dict[str, str]:
    """Environment set by the image."""
    words = [word for line in instructions("ENV", FINAL) for word in shlex.split(line)]
    return dict(word.split("=", 1) for word in words)


def needed(name: str, extra: str = "") -> set[str]:
    """A package and all that it needs here, by what is installed."""
    seen: set[tuple[str, str]] = set()
    waiting = {(canonicalize_name(name), extra)}
    while waiting:
        seen |= waiting
        found = {
            (canonicalize_name(wanted.name), each)
            for package, of in waiting
            for wanted in map(Requirement, importlib.metadata.requires(package) or ())
            if wanted.marker is None or wanted.marker.evaluate({"extra": of})
            for each in {"", *wanted.extras}
        }
        waiting = found - seen
    return {package for package, _ in seen}


def test_the_server_is_process_1_of_a_user_without_rights() -> None:
    assert instructions("USER", FINAL) == ["10001:10001"]
    assert [json.loads(line) for line in instructions("ENTRYPOINT", FINAL)] == [["sprout"]]
    assert [json.loads(line) for line in instructions("CMD", FINAL)] == [["serve"]]
    assert instructions("STOPSIGNAL", FINAL) == ["SIGTERM"]
    assert instructions("VOLUME", FINAL) == [environment()["SPROUT_DATA_DIR"]]


def test_the_base_is_of_a_version_and_can_be_another() -> None:
    (base,) = instructions("ARG", INSTRUCTIONS)
    assert re.fullmatch(r"BASE=python:3\.\d+-slim-[a-z]+", base)
    assert {line.split()[0] for line in instructions("FROM", INSTRUCTIONS)} == {"${BASE}"}


def test_I17_every_package_of_the_image_is_a_wheel_with_a_hash_of_the_lock() -> None:
    installs = [
        part for line in instructions("RUN", INSTRUCTIONS) for part in line.split("&&") if "pip install" in part
    ]
    locked, own = installs
    assert all(
        word in locked for word in ("--require-hashes", "--no-deps", "--only-binary :all:", "-r requirements.lock")
    )
    assert all(word in own for word in ("--no-index", "--no-deps", "--no-build-isolation"))


def test_what_only_building_needs_is_taken_out_and_nothing_else() -> None:
    (taken_out,) = re.findall(r"pip uninstall --yes ([a-z -]+)", " ".join(INSTRUCTIONS))
    building = (needed("hatchling") | needed("editables")) - needed("sprout-tutor", "scale")
    assert set(taken_out.split()) == building | {"pip"}
    assert "ensurepip" in instructions("RUN", FINAL)[0]


def test_every_setting_that_the_image_names_exists() -> None:
    names = {name.removeprefix("SPROUT_").lower() for name in environment() if name.startswith("SPROUT_")}
    assert {"host", "port", "data_dir"} <= names
    assert names <= Settings.model_fields.keys()


def test_only_what_the_image_is_made_from_goes_to_the_builder() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    let_in = {line.removeprefix("!") for line in lines if line.startswith("!")}
    copied = {name for line in instructions("COPY", INSTRUCTIONS) if "--from" not in line for name in line.split()[:-1]}
    assert copied == let_in
    assert all((ROOT / name).exists() for name in copied)
    assert "**/.env*" in lines


def test_compose_publishes_on_loopback_alone_and_gives_no_rights() -> None:
    assert SERVICE["ports"] == ["127.0.0.1:8000:8000"]
    assert SERVICE["environment"] == {"SPROUT_PUBLISHED_ON_LOOPBACK": "true"}
    assert not SERVICE["environment"].keys() & environment().keys()  # the image cannot know how its port is published
    assert SERVICE["read_only"] is True
    assert SERVICE["cap_drop"] == ["ALL"]
    assert SERVICE["security_opt"] == ["no-new-privileges:true"]
    assert SERVICE["mem_limit"]
    assert SERVICE["pids_limit"]
    assert [mount.split(":")[0] for mount in SERVICE["tmpfs"]] == ["/tmp"]
    assert SERVICE["volumes"] == [f"data:{environment()['SPROUT_DATA_DIR']}"]
    assert not {"privileged", "network_mode", "cap_add", "user"} & SERVICE.keys()
    assert not SERVICE["image"].endswith(":latest")
    assert ":" in SERVICE["image"]


async def test_the_health_check_asks_the_server_and_fails_without_one(tmp_path: Path) -> None:
    (line,) = instructions("HEALTHCHECK", FINAL)
    python, *arguments, program = json.loads(line.split(" CMD ")[1])
    assert python == "python"

    def asked(port: str) -> int:
        command = [sys.executable, *arguments, program.replace("8000", port)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode

    async with serve_sprout("serve", "--port", "0", folder=tmp_path) as (_, address):
        port = address.rpartition(":")[2]
        assert asked(port) == 0
    assert asked(port) != 0


def test_processes_that_start_slowly_together_are_not_called_unhealthy() -> None:
    (line,) = instructions("HEALTHCHECK", FINAL)
    options = dict(re.findall(r"--([a-z-]+)=(\d+)", line))
    assert int(options["start-period"]) >= 180


def test_the_standard_library_is_compiled_once_and_not_at_every_health_check() -> None:
    (run,) = instructions("RUN", FINAL)
    assert "compileall.compile_dir(sysconfig.get_path('stdlib')" in run
    assert environment()["PYTHONDONTWRITEBYTECODE"] == "1"  # and nothing else would: the container is read-only


# As in the image: the whole file system read-only but a folder for data and one for temporary files, a user who may
# write nothing else, no further rights, and process 1. Python may lie where only its owner reads, so the user may read
# everything; access(2) ignores that right, so Sprout itself is a readable copy, as it is in the image.
CONFINED = """
set -e
mount --make-rprivate /
mount --bind "$0/data" "$0/data"
mount -t tmpfs -o mode=1777,noexec,nosuid,nodev tmpfs "$0/tmp"
mount -o remount,bind,ro /
if [ "$(stat -c %u "$0/data")" = 10001 ]; then
  exec setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs --bounding-set -all,+dac_read_search \\
    --inh-caps -all,+dac_read_search --ambient-caps -all,+dac_read_search "$@"
fi
exec setpriv --no-new-privs "$@"
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user may read (pytest closes its own), with a copy of Sprout."""
    with tempfile.TemporaryDirectory(prefix="sprout-") as folder:
        for name in ("sprout", "static"):
            shutil.copytree(ROOT / name, Path(folder) / name)  # with its bytecode, as in the image
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        yield Path(folder)


@asynccontextmanager
async def confined(*command: str, folder: Path) -> AsyncIterator[Process]:
    """A command started in such a place; killed at the end if it is still there."""
    for name in ("data", "tmp"):
        (folder / name).mkdir()
    namespaces = ["--mount", "--pid", "--fork", "--kill-child"]
    if os.geteuid() == 0:
        os.chown(folder / "data", 10001, 10001)
    else:
        namespaces.append("--map-root-user")
    own = {**environment(), **SERVICE["environment"], "PATH": f"{BIN_FOLDER}:{os.defpath}:/usr/sbin:/sbin"}
    own |= {
        "SPROUT_DATA_DIR": str(folder / "data"),
        "TMPDIR": str(folder / "tmp"),
        "SPROUT_PORT": "0",
        "PYTHONPATH": str(folder),
    }
    process = await start_sprout(
        *namespaces, "sh", "-c", CONFINED, str(folder), *command, folder=folder, program="unshare", **own
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        async with timeout(STOP_S):
            await process.communicate()


def first_child(pid: int) -> int:
    """The process that `unshare` has become the parent of."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


async def port_of(process: Process) -> int:
    """Port of the server, from its own output."""
    assert process.stdout is not None
    while line := (await process.stdout.readline()).decode():
        if found := re.search(r" is at http://\S+:(\d+)$", line.strip()):
            return int(found[1])
    assert process.stderr is not None
    raise AssertionError((await process.stderr.read()).decode())


async def test_it_serves_as_a_stranger_on_a_read_only_file_system_and_keeps_its_data(place: Path) -> None:
    async with confined("sprout", "serve", folder=place) as process, timeout(120):
        base = f"http://127.0.0.1:{await port_of(process)}"
        async with httpx2.AsyncClient(base_url=base, timeout=60) as client:
            assert (await client.get("/healthz")).status_code == 200
            assert (await client.get("/", headers={"accept": "text/html"})).status_code == 200
            assert (await client.get("/", headers={"host": "elsewhere.example"})).status_code == 400
            user = "00000000-0000-0000-0000-000000000000"
            created = await client.post("/api/branches", json={"userId": user, "title": "Light"})
            assert created.status_code == 201
        os.kill(first_child(process.pid), signal.SIGTERM)
        assert await process.wait() == 0
    left = {path.name for path in (place / "data").iterdir()}
    assert "sprout.sqlite3" in left
    assert "sprout.sqlite3-wal" not in left, "it has not closed its database"
    assert list((place / "tmp").iterdir()) == []


async def test_nothing_but_its_data_can_be_written_there(place: Path) -> None:
    script = "echo > data/kept && echo > tmp/passing && ! echo > beside 2>/dev/null && id -u && cat /proc/self/status"
    async with confined("sh", "-c", script, folder=place) as process, timeout(60):
        assert process.stdout is not None
        status = (await process.stdout.read()).decode()
        assert await process.wait() == 0
    assert "NoNewPrivs:\t1" in status
    if os.geteuid() == 0:
        assert status.splitlines()[0] == "10001"
    assert (place / "data" / "kept").exists()
    assert not (place / "beside").exists()


async def test_as_process_1_it_leaves_also_when_it_is_asked_while_it_starts(place: Path) -> None:
    async with confined("sprout", "serve", folder=place) as process, timeout(120):
        while not list((place / "data").iterdir()):
            assert process.returncode is None
            await asyncio.sleep(0.005)
        os.kill(first_child(process.pid), signal.SIGTERM)
        assert await process.wait() in (0, 130)
