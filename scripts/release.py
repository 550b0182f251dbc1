"""Build what a release consists of into dist/: `python -m scripts.release`, or `make release`.

All of it follows from the commit: every build, anywhere, gives the same bytes.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from datetime import date
from io import BytesIO
from pathlib import Path

from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
NAME = "sprout_tutor"
UNRELEASED = "unreleased"


def git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True).stdout


def version_of(source: str) -> str:
    """The version that `sprout/__init__.py` names."""
    return str(re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)[0])


def disagreement(version: str, changelog: str) -> str | None:
    """Message for a version that differs from the newest heading of the changelog; None if they agree."""
    heading = re.search(r"^## \[(.+?)\](?: - (\S+))?$", changelog, re.MULTILINE)
    if heading is None or heading[2] is None:
        return f"CHANGELOG.md: begin with a heading such as `## [{version}] - {UNRELEASED}`"
    named, when = heading[1], heading[2]
    if named != Version(version).base_version:
        return f"CHANGELOG.md is about {named}, sprout/__init__.py says {version}"
    if Version(version).is_devrelease:
        return None if when == UNRELEASED else f"CHANGELOG.md says {named} is out: name it in sprout/__init__.py"
    try:
        date.fromisoformat(when)
    except ValueError:
        return f"CHANGELOG.md: write the day of the release into the heading of {named}"
    return None


def find_problems() -> list[str]:
    """Problems that prevent a release."""
    found = []
    if changed := git("status", "--porcelain").decode().splitlines():
        found.append("The tree is not clean: " + ", ".join(line[3:] for line in changed))
    version = version_of((ROOT / "sprout" / "__init__.py").read_text())
    if problem := disagreement(version, (ROOT / "CHANGELOG.md").read_text()):
        found.append(problem)
    return found


def unpack(archive: bytes, into: Path) -> Path:
    """The folder that an archive was unpacked to."""
    with tarfile.open(fileobj=BytesIO(archive)) as tar:
        tar.extractall(into, filter="data")
    return into


def build_target(target: str, source: Path, into: Path, epoch: int) -> Path:
    """The sdist or wheel of a source tree, with nothing fetched; hatchling puts in order what differs by machine."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)]
    before = set(into.iterdir())
    environment = {"SOURCE_DATE_EPOCH": str(epoch), "PATH": os.defpath, "PYTHONUTF8": "1"}
    subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True)
    (made,) = set(into.iterdir()) - before
    return made


def build(into: Path, scratch: Path) -> str:
    """Put all parts of the release of the commit into a folder; its version is returned."""
    from scripts.sbom import build_sbom  # takes seconds, and a release that is refused needs none of it

    epoch = int(git("log", "-1", "--format=%ct"))
    tree = unpack(git("archive", "--format=tar", "HEAD"), scratch / "tree")
    version = version_of((tree / "sprout" / "__init__.py").read_text())
    sdist = build_target("sdist", tree, into, epoch)
    # The wheel is built from the sdist, so that this one is known to be whole.
    (source,) = unpack(sdist.read_bytes(), scratch / "sdist").iterdir()
    build_target("wheel", source, into, epoch)
    (into / f"{NAME}-{version}.cdx.json").write_text(build_sbom(tree, version, epoch))
    shutil.copyfile(tree / "requirements.lock", into / f"{NAME}-{version}.requirements.lock")
    files = sorted(into.iterdir())
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    (into / "SHA256SUMS").write_text(sums)
    return version


def main() -> int:
    if found := find_problems():
        print("\n".join(found), file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as place:
        made = Path(place) / "made"
        made.mkdir()
        version = build(made, Path(place))
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.copytree(made, DIST)
    for path in sorted(DIST.iterdir()):
        print(f"{path.stat().st_size:>10}  {path.relative_to(ROOT)}")
    note = " (a rehearsal: this version is not a release)" if Version(version).is_devrelease else ""
    print(f"Sprout {version}{note}: docs/releasing.md says what comes next")
    return 0


if __name__ == "__main__":
    sys.exit(main())
