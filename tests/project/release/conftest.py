"""One release for all tests of it: it takes longer to build than they take."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.release.checkout import make_checkout, run_release


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A checkout with its release in dist/."""
    folder = make_checkout(tmp_path_factory.mktemp("release") / "here")
    ran = run_release(folder)
    assert ran.returncode == 0, ran.stderr
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def dist(home: Path) -> Path:
    return home / "dist"


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    (found,) = dist.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment that holds the wheel and nothing of this checkout.

    What Sprout depends on is lent by the environment of the tests: a path in a `.pth` file lends modules, but not that
    environment's own `.pth` files, of which one leads to the checkout.
    """
    home = tmp_path_factory.mktemp("installed") / "env"
    venv.create(home, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install = ["install", "--quiet", "--no-deps", "--no-index", "--ignore-installed", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), *install], check=True)
    return home / "bin"
