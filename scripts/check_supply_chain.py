"""Supply chain check: installed is what the lock names, under allowed licences, with no code at Python's start."""

import json
import re
import site
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

from scripts.licences import is_allowed, licence_of

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


def normalize_name(text: str) -> str:
    """The name of a package as the locks write it."""
    return re.sub(r"[-_.]+", "-", text).lower()


def lock_problems(name: str, text: str) -> list[str]:
    """Requirements in a lock without an exact version or a hash."""
    entries = [entry.strip() for entry in re.split(r"\n(?=\S)", text.replace("\\\n", "\n")) if entry.strip()]
    found = [
        f"{name}: no version: {entry.split()[0]}" for entry in entries if not re.match(r"[a-z0-9._-]+==\S+", entry)
    ]
    return found + [f"{name}: no hash: {entry.split()[0]}" for entry in entries if "--hash=sha256:" not in entry]


def locked_versions(text: str) -> dict[str, set[str]]:
    """The versions of each package in a lock: some have several, for several versions of Python."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([a-z0-9._-]+)==(\S+)", text, re.MULTILINE):
        found.setdefault(normalize_name(name), set()).add(version)
    return found


def install_problems(packages: Iterable[Distribution], lock: Mapping[str, set[str]]) -> list[str]:
    """Packages that the lock does not name, or names in another version, and those of a licence that is not allowed."""
    found = []
    for package in packages:
        name = normalize_name(package.name)
        if name not in NOT_LOCKED and package.version not in lock.get(name, set()):
            found.append(f"{name} {package.version} is installed, and not in the lock")
        if not is_allowed(name, licence := licence_of(package)):
            found.append(f"{name} {package.version}: its licence is not in scripts/licences.py: {licence}")
    return sorted(found)


def startup_problems(folder: Path) -> list[str]:
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


def vendored_problems(records: Iterable[Mapping[str, str]]) -> list[str]:
    """Vendored files of a licence that is not allowed."""
    return [
        f"static/{record['file']}: its licence is not in scripts/licences.py: {record['licence']}"
        for record in records
        if not is_allowed(record["name"], record["licence"])
    ]


def main() -> int:
    texts = {name: (ROOT / name).read_text() for name in LOCKS}
    found = [fault for name, text in texts.items() for fault in lock_problems(name, text)]
    found += install_problems(distributions(), locked_versions(texts["requirements-dev.lock"]))
    found += [fault for folder in site.getsitepackages() for fault in startup_problems(Path(folder))]
    found += vendored_problems(json.loads((ROOT / "static" / "vendor" / "vendor.json").read_text()))
    print("\n".join(found) or "all that is installed is locked, licensed and known")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
