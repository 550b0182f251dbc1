"""Content of the tree, allowed and forbidden."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PINNED = re.compile(r"^([a-z0-9._-]+)==(\S+)", re.MULTILINE)


def check_tree(script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)


def test_no_file_names_a_registry_or_a_path_of_the_machine_it_was_written_on() -> None:
    checked = check_tree(ROOT / "scripts" / "check_tree.py")
    assert (checked.returncode, checked.stdout) == (0, "")


@pytest.mark.parametrize(
    "line",
    ["see https://py" + "pi.org/simple", "--extra-index" + "-url x", "cat /ro" + "ot/secret"],
)
def test_such_a_line_is_found_with_its_place(line: str, tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    script = tmp_path / "scripts" / "check_tree.py"
    shutil.copy(ROOT / "scripts" / "check_tree.py", script)
    (tmp_path / "notes.md").write_text(f"fine\n{line}\n")
    checked = check_tree(script)
    assert checked.returncode == 1
    assert checked.stdout.startswith("notes.md:2: ")


def versions(lock: str) -> dict[str, str]:
    return dict(PINNED.findall((ROOT / lock).read_text()))


def test_the_developers_lock_holds_all_that_running_needs_in_the_same_versions() -> None:
    running, developing = versions("requirements.lock"), versions("requirements-dev.lock")
    assert running
    assert running.items() <= developing.items()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_holds_names_versions_and_hashes_and_nothing_else(lock: str) -> None:
    lines = (ROOT / lock).read_text().splitlines()
    allowed = re.compile(r"[a-z0-9._-]+==\S+( ; .+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    assert [line for line in lines if not allowed.fullmatch(line)] == []


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    wanted = [*project["project"]["dependencies"], *groups["build"], *groups["dev"]]
    names = {re.split(r"[\[>=; ]", requirement)[0].lower() for requirement in wanted}
    assert names <= versions("requirements-dev.lock").keys()


def test_the_licence_is_the_one_that_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text


@pytest.mark.parametrize("script", [".ci/run", "scripts/venv.sh", "scripts/lock.sh"])
def test_scripts_can_be_run(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
