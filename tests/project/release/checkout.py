"""Checkouts of what is here, in other places, and `make release` in them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.project.commands import BIN_FOLDER

ROOT = Path(__file__).parents[3]
PARTS = "sprout static scripts Makefile pyproject.toml requirements.lock README.md LICENSE".split()
PAPERS = "CHANGELOG.md ARCHITECTURE.md alembic.ini .gitignore".split()
COMMITTED = {
    **{f"GIT_{role}_{what}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    **{f"GIT_{role}_DATE": "2026-11-20T12:00:00Z" for role in ("AUTHOR", "COMMITTER")},
}


def make_checkout(folder: Path) -> Path:
    """A clean checkout of what is here, at one commit."""
    for name in PARTS + PAPERS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder)
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "All"]):
        environment = {"PATH": os.defpath, "HOME": str(folder), **COMMITTED}
        subprocess.run(["git", *words], cwd=folder, env=environment, check=True)
    return folder


def run_release(folder: Path, umask: str = "022") -> subprocess.CompletedProcess[str]:
    """The ended command, which has made dist/ in the folder, or has said why not."""
    command = ["sh", "-c", f'umask {umask}; exec "$0" -m scripts.release', sys.executable]
    environment = {"PATH": f"{BIN_FOLDER}:{os.defpath}", "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
