"""The built wheel, installed elsewhere, is all of Sprout."""

import subprocess
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[3]


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
