"""Release built by `make release`: identical bytes from the same commit, complete, and usable without a network."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.release import disagreement, version_of
from scripts.sbom import SPECIFICATION, check_bill
from tests.project.commands import BIN_FOLDER
from tests.project.release.checkout import make_checkout, run_release

ROOT = Path(__file__).parents[3]
Component = dict[str, Any]


@pytest.fixture(scope="module")
def bill(dist: Path) -> Component:
    (found,) = dist.glob("*.cdx.json")
    read: Component = json.loads(found.read_text())
    return read


def test_a_commit_becomes_the_same_bytes_in_another_place_under_another_umask(dist: Path, tmp_path: Path) -> None:
    elsewhere = make_checkout(tmp_path / "a" / "quite" / "different" / "place")
    assert run_release(elsewhere, umask="077").returncode == 0
    assert (elsewhere / "dist" / "SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()


def test_the_checksums_are_those_of_every_file(dist: Path) -> None:
    lines = (dist / "SHA256SUMS").read_text().splitlines()
    sums = {line[66:]: line[:64] for line in lines}
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in dist.iterdir()}
    del files["SHA256SUMS"]
    assert sums == files
    assert {name.rpartition(".")[2] for name in files} == {"whl", "gz", "json", "lock"}


def test_I17_the_bill_of_materials_is_valid(bill: Component) -> None:
    """A release checks its own bill, and is refused where that is not valid; the standard's check takes seconds."""
    with pytest.raises(ValueError, match="not valid"):
        check_bill(json.dumps(bill | {"components": [{"type": "library"}]}))
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["specVersion"] == SPECIFICATION.to_version()
    version = version_of((ROOT / "sprout" / "__init__.py").read_text())
    assert bill["metadata"]["component"]["name"] == "sprout-tutor"
    assert bill["metadata"]["component"]["version"] == version


def test_I17_every_package_of_the_lock_is_in_the_bill_with_its_version_and_hashes(bill: Component) -> None:
    lock = (ROOT / "requirements.lock").read_text().replace("\\\n", "")
    locked = {
        (entry.partition("==")[0], re.findall(r"==(\S+)", entry)[0]): set(re.findall(r"sha256:([0-9a-f]{64})", entry))
        for entry in lock.strip().splitlines()
    }
    billed = {
        (each["name"], each["version"]): {
            hashed["content"] for place in each["externalReferences"] for hashed in place.get("hashes", ())
        }
        for each in bill["components"]
        if each.get("purl", "").startswith("pkg:pypi/")
    }
    assert billed == locked
    assert all(hashes for hashes in billed.values())


def test_I17_every_vendored_file_is_in_the_bill_with_its_origin_licence_and_hash(bill: Component) -> None:
    billed = {
        (owner["name"], owner.get("version"), part["name"], part["hashes"][0]["content"])
        for owner in bill["components"]
        for part in owner.get("components", ())
        if part["type"] == "file" and part["licenses"]
    }
    records = json.loads((ROOT / "static" / "vendor" / "vendor.json").read_text())
    assert billed == {(each["name"], each.get("version"), f"static/{each['file']}", each["sha256"]) for each in records}
    inside = {part["purl"] for owner in bill["components"] for part in owner.get("components", ()) if "purl" in part}
    assert inside >= {
        f"pkg:npm/{made.replace('@', '%40', 1)}"
        for each in records
        for made in each.get("made_of", ())
        if made.startswith("@")
    }


def test_I17_every_package_that_is_installed_says_its_licence_in_the_bill(bill: Component) -> None:
    silent = {each["name"] for each in bill["components"] if not each.get("licenses")}
    assert silent <= {"async-timeout", "httpx2-jsfetch", "pywin32"}, "these are for other Pythons and systems alone"


def alone(*command: str, folder: Path) -> str:
    """Last line printed without a network."""
    namespace = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
    ran = subprocess.run(
        [*namespace, sys.executable, str(Path(__file__).with_name("without_network.py")), *command],
        cwd=folder,
        env={"PATH": f"{BIN_FOLDER}:{os.defpath}", "HOME": str(folder), "SPROUT_OFFLINE_TOKENS_PER_S": "100000"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    last = ran.stdout.splitlines()[-1]
    assert last.startswith("code 0, "), ran.stderr
    return last


def test_I19_the_wheel_starts_and_grows_a_path_without_trying_to_reach_anybody(installed: Path, tmp_path: Path) -> None:
    output = alone(str(installed / "sprout"), "serve", "--port", "0", folder=tmp_path)
    assert output == "code 0, left 0"


@pytest.mark.parametrize(("family", "address"), [("AF_INET", "192.0.2.1"), ("AF_INET6", "2001:db8::1")])
def test_I19_every_attempt_is_counted(family: str, address: str, tmp_path: Path) -> None:
    program = f"import socket; socket.socket(socket.{family}).connect_ex(('{address}', 443))"
    output = alone(sys.executable, "-c", program, folder=tmp_path)
    assert output != "code 0, left 0"


@pytest.mark.parametrize(
    ("version", "heading", "mend"),
    [
        ("0.1.0", "## [0.1.0] - 2026-11-22", None),
        ("0.1.0.dev0", "## [0.1.0] - unreleased", None),
        ("0.1.0", "## [0.1.0] - unreleased", "write the day"),
        ("0.1.0.dev0", "## [0.1.0] - 2026-11-22", "name it in sprout/__init__.py"),
        ("0.2.0", "## [0.1.0] - 2026-11-22", "is about 0.1.0"),
        ("0.1.0", "## [Unreleased]", "begin with a heading"),
        ("0.1.0", "Nothing", "is about 0.0.9"),
    ],
)
def test_version_and_changelog_have_to_agree(version: str, heading: str, mend: str | None) -> None:
    problem = disagreement(version, f"# Changelog\n\n{heading}\n\n## [0.0.9] - 2026-01-01\n")
    assert problem is None if mend is None else problem is not None and mend in problem


def test_here_they_agree() -> None:
    version = version_of((ROOT / "sprout" / "__init__.py").read_text())
    assert disagreement(version, (ROOT / "CHANGELOG.md").read_text()) is None


def test_a_tree_that_is_not_clean_is_not_released(home: Path) -> None:
    before = (home / "dist" / "SHA256SUMS").read_text()
    stray = home / "sprout" / "stray.py"
    stray.write_text("")
    try:
        ran = run_release(home)
    finally:
        stray.unlink()
    assert ran.returncode == 1
    assert "not clean: sprout/stray.py" in ran.stderr
    assert (home / "dist" / "SHA256SUMS").read_text() == before
