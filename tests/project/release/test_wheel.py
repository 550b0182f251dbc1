"""The built wheel, installed elsewhere, is all of Sprout."""

import json
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import httpx2
import pytest

from sprout.learning.paths.repository import DEFAULT_USER_ID
from tests.project.commands import serve_sprout

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment that holds the wheel and nothing of this checkout.

    What Sprout depends on is lent by the environment of the tests: a path in a `.pth` file lends modules, but not that
    environment's own `.pth` files, of which one leads to the checkout.
    """
    home = tmp_path_factory.mktemp("elsewhere") / "env"
    venv.create(home, symlinks=True)
    python = home / "bin" / "python"
    (site,) = home.glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install = ["install", "--quiet", "--no-deps", "--no-index", "--ignore-installed", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *install], check=True)
    return home / "bin"


def test_everything_that_is_read_at_run_time_is_inside(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    beside_the_code = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "sprout").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    page = {f"sprout/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "static").rglob("*") if path.is_file()}
    assert beside_the_code | page <= names
    assert {
        "sprout/loop/context/cl100k_base.tiktoken.gz",
        "sprout/agents/path/topic.md",
        "sprout/static/index.html",
        "sprout/py.typed",
    } <= names


def test_nothing_else_is_inside(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top.partition("-")[0] for top in tops} == {"sprout", "sprout_tutor"}


def test_it_is_the_installed_package_that_is_tested(installed: Path, tmp_path: Path) -> None:
    program = "import sprout; from sprout.loop.context.tokenizer import count_tokens as count; "
    program += "print(sprout.__file__); print(count('hello world'))"
    ran = subprocess.run(
        [str(installed / "python"), "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    file, tokens = ran.stdout.split()
    assert Path(file).is_relative_to(installed.parent)
    assert tokens == "2"


async def test_it_serves_the_page_and_grows_a_path(installed: Path, tmp_path: Path) -> None:
    settings = {"program": str(installed / "sprout"), "SPROUT_OFFLINE_TOKENS_PER_S": "100000"}
    async with (
        serve_sprout("serve", "--port", "0", folder=tmp_path, **settings) as (_, address),
        httpx2.AsyncClient(base_url=address, timeout=60) as client,
    ):
        page = await client.get("/", headers={"accept": "text/html"})
        assert page.status_code == 200
        files = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
        assert files
        for file in files:
            assert (await client.get(file)).status_code == 200, file

        status = (await client.get("/api/status")).json()
        assert status["model"]["offline"] is True
        assert status["suggestions"], "the authored courses are missing"

        events = await grown_path(client, status["suggestions"][0]["title"])
    kinds = [kind for kind, _ in events]
    assert "node_created" in kinds
    assert "question_ready" in kinds
    assert kinds[-1] == "run_done"
    assert events[-1][1]["status"] == "completed"


async def grown_path(client: httpx2.AsyncClient, title: str) -> list[tuple[str, dict[str, object]]]:
    """The events of a small path on this topic."""
    branch = (await client.post("/api/branches", json={"userId": DEFAULT_USER_ID, "title": title})).json()
    root = {"userId": DEFAULT_USER_ID, "type": "root", "title": title, "branchId": branch["id"]}
    topic = (await client.post("/api/nodes", json=root)).json()
    order = {"userId": DEFAULT_USER_ID, "small": True}
    stream = (await client.post(f"/api/agents/topics/{topic['id']}/run", json=order)).text
    frames = re.findall(r"^event: (\w+)\ndata: (.+)$", stream, re.MULTILINE)
    return [(kind, json.loads(data)) for kind, data in frames]
