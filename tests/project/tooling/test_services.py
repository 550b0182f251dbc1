"""A missing service is a skip with a reason, or a failure where it is required."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ALL = ("browser", "postgres", "redis")
ROOT = Path(__file__).parents[3]
PROBE = """
import pytest
from harness.services import require

@pytest.mark.parametrize("name", {names!r})
def test_needs(name: str) -> None:
    require(name)
"""


def run_probe(
    tmp_path: Path, names: Sequence[str], required: str, topology: str = ""
) -> subprocess.CompletedProcess[str]:
    """A test that needs these services, on a machine that has none of them."""
    probe = tmp_path / "test_probe.py"
    probe.write_text(PROBE.format(names=[*names]))
    nowhere = {"SPROUT_TEST_POSTGRES": "postgresql://127.0.0.1:9", "SPROUT_TEST_REDIS": "redis://127.0.0.1:9"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--noconftest", "-c", "pyproject.toml", str(probe)],
        cwd=ROOT,
        env={**nowhere, "SPROUT_REQUIRE": required, "SPROUT_TEST_TOPOLOGY": topology, "PATH": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_missing_service_skips_with_a_visible_reason(tmp_path: Path) -> None:
    ran = run_probe(tmp_path, ALL, "")
    assert ran.returncode == 0, ran.stdout
    assert "3 skipped" in ran.stdout
    assert "there is no Chromium here" in ran.stdout
    assert "nothing answers at 127.0.0.1:9" in ran.stdout


def test_a_required_service_that_is_missing_fails(tmp_path: Path) -> None:
    ran = run_probe(tmp_path, ALL, "redis,postgres,browser")
    assert ran.returncode == 1
    assert "3 failed" in ran.stdout
    for name in ALL:
        assert f"SPROUT_REQUIRE names {name}" in ran.stdout


def test_what_is_not_required_may_still_be_missing(tmp_path: Path) -> None:
    ran = run_probe(tmp_path, ["browser", "redis"], "redis")
    assert "1 failed, 1 skipped" in ran.stdout


def test_a_misspelt_requirement_is_refused(tmp_path: Path) -> None:
    ran = run_probe(tmp_path, ["redis"], "postgress")
    assert ran.returncode != 0
    assert "SPROUT_REQUIRE names ['postgress']" in ran.stdout


def test_a_misspelt_topology_is_refused(tmp_path: Path) -> None:
    ran = run_probe(tmp_path, ["redis"], "", topology="skaled")
    assert ran.returncode != 0
    assert "SPROUT_TEST_TOPOLOGY is 'skaled'" in ran.stdout


def test_a_service_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    ran = run_probe(tmp_path, ["mongodb"], "")
    assert ran.returncode == 1
    assert "no service is called 'mongodb'" in ran.stdout
