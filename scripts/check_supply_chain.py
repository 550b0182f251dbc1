"""What is installed is what the lock names, under licences that are allowed, and runs nothing when Python starts."""

import json
import re
import site
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

from scripts.licences import licence_of, may_be_used

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements.lock", "requirements-dev.lock")
OWN = "sprout-tutor"
NOT_LOCKED = frozenset({OWN, "pip", "setuptools"})  # these two come with an environment, and put the others in
# Files that run code whenever Python starts: who may bring them, and the code that is known.
STARTERS = ("*.pth", "*.start", "sitecustomize.py", "usercustomize.py")
KNOWN_CODE = {
    "distutils-precedence.pth": (
        "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, 'local') == 'local'; "
        "enabled and __import__('_distutils_hack').add_shim();"
    ),
}
KNOWN_PATHS = frozenset({"_sprout_tutor.pth"})  # leads to the checkout: the project is installed in place


def named(text: str) -> str:
    """The name of a package as the locks write it."""
    return re.sub(r"[-_.]+", "-", text).lower()


def faults_of_lock(name: str, text: str) -> list[str]:
    """What a lock leaves open: a package without a version, or without a hash."""
    entries = [entry.strip() for entry in re.split(r"\n(?=\S)", text.replace("\\\n", "\n")) if entry.strip()]
    found = [
        f"{name}: no version: {entry.split()[0]}" for entry in entries if not re.match(r"[a-z0-9._-]+==\S+", entry)
    ]
    return found + [f"{name}: no hash: {entry.split()[0]}" for entry in entries if "--hash=sha256:" not in entry]


def locked(text: str) -> dict[str, set[str]]:
    """The versions of each package in a lock: some have several, for several versions of Python."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([a-z0-9._-]+)==(\S+)", text, re.MULTILINE):
        found.setdefault(named(name), set()).add(version)
    return found


def faults_of_installed(packages: Iterable[Distribution], lock: Mapping[str, set[str]]) -> list[str]:
    """Packages that the lock does not name, or names in another version, and those of a licence that is not allowed."""
    found = []
    for package in packages:
        name = named(package.name)
        if name not in NOT_LOCKED and package.version not in lock.get(name, set()):
            found.append(f"{name} {package.version} is installed, and not in the lock")
        if not may_be_used(name, licence := licence_of(package)):
            found.append(f"{name} {package.version}: its licence is not in scripts/licences.py: {licence}")
    return sorted(found)


def faults_of_start(folder: Path) -> list[str]:
    """Files in a folder of packages that would run code at every start of Python, and are not known."""
    found = []
    for path in sorted(path for pattern in STARTERS for path in folder.glob(pattern)):
        lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
        runs = path.suffix != ".pth" or any(line.startswith(("import ", "import\t")) for line in lines)
        if path.name in KNOWN_PATHS and not runs:
            continue
        if path.name in KNOWN_CODE and "\n".join(lines).strip() == KNOWN_CODE[path.name]:
            continue
        found.append(f"{path} {'runs code' if runs else 'adds a path'} whenever Python starts, and is not known")
    return found


def faults_of_page(records: Iterable[Mapping[str, str]]) -> list[str]:
    """Vendored files of a licence that is not allowed."""
    return [
        f"static/{record['file']}: its licence is not in scripts/licences.py: {record['licence']}"
        for record in records
        if not may_be_used(record["name"], record["licence"])
    ]


def main() -> int:
    texts = {name: (ROOT / name).read_text() for name in LOCKS}
    found = [fault for name, text in texts.items() for fault in faults_of_lock(name, text)]
    found += faults_of_installed(distributions(), locked(texts["requirements-dev.lock"]))
    found += [fault for folder in site.getsitepackages() for fault in faults_of_start(Path(folder))]
    found += faults_of_page(json.loads((ROOT / "static" / "vendor" / "vendor.json").read_text()))
    print("\n".join(found) or "all that is installed is locked, licensed and known")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
