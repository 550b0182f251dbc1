"""`make` on machines that are not as ours is."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TARGETS = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("target", TARGETS[1].split() if TARGETS else [])
def test_every_target_can_be_planned(target: str) -> None:
    planned = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (planned.returncode, planned.stderr) == (0, "")


def test_run_takes_host_and_port() -> None:
    command = ["make", "-n", "run", "HOST=0.0.0.0", "PORT=8123"]
    planned = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert '--host "0.0.0.0" --port "8123"' in planned.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that has what making the environment needs, and nothing else."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "venv.sh", tmp_path / "scripts")
    for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def make_environment(checkout: Path, python: str) -> subprocess.CompletedProcess[str]:
    """`scripts/venv.sh run` where the only Python on the path is this shell script."""
    tools = checkout / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "cat", "cksum", "tr", "grep", "rm"):
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    fake = tools / "python3"
    fake.write_text(python)
    fake.chmod(0o755)
    command = [str(checkout / "scripts" / "venv.sh"), "run"]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": str(tools)})


def test_a_machine_with_too_old_a_python_is_told_what_to_install(checkout: Path) -> None:
    made = make_environment(checkout, "#!/bin/sh\nexit 1\n")
    assert made.returncode == 1
    assert "Python 3.11 or newer is needed" in made.stderr


def test_a_machine_without_venv_is_told_which_package_has_it(checkout: Path) -> None:
    answer = '#!/bin/sh\ncase "$*" in *venv*) echo "ensurepip is not available"; exit 1;; *) exit 0;; esac\n'
    made = make_environment(checkout, answer)
    assert made.returncode == 1
    assert "ensurepip is not available" in made.stderr
    assert "apt install python3-venv" in made.stderr
    assert not (checkout / ".venv").exists()


def test_an_environment_is_left_alone_until_a_lock_changes(checkout: Path) -> None:
    tools = checkout / ".venv" / "bin"
    tools.mkdir(parents=True)
    calls = checkout / "calls"
    (tools / "python").write_text(f'#!/bin/sh\necho "$*" >> "{calls}"\n')
    (tools / "python").chmod(0o755)
    (tools / "activate").write_text(f"VIRTUAL_ENV={checkout}/.venv\n")
    script = str(checkout / "scripts" / "venv.sh")

    def installs() -> int:
        calls.unlink(missing_ok=True)
        subprocess.run([script, "run"], check=True, capture_output=True)
        return calls.read_text().count("pip install")

    assert [installs(), installs()] == [2, 0]
    with (checkout / "requirements.lock").open("a") as lock:
        lock.write("\n")
    assert [installs(), installs()] == [2, 0]
