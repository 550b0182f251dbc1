"""No file of the tree names a package registry, or a path of the machine that it was written on."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED_SUFFIXES = {".woff2", ".gz", ".png", ".jpg", ".ico"}

# Each is spelled so that this file passes its own check.
FOREIGN = {
    "a package registry": (
        r"pypi[.]org|pythonhosted[.]org|registry[.]npmjs|registry[.]yarnpkg|jsdelivr[.]net|unpkg[.]com|"
        r"deb[.]debian[.]org|proxy[.]golang"
    ),
    "an index setting": r"--(?:extra-)?index[-]url|--find[-]links",
    "a local path": r"(?<![\w.])/(?:root|work|opt/pypi|tmp/brief)[/](?=\w)",
}


def files() -> list[Path]:
    """Tracked files and new ones that are not ignored; without git, all files but caches."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        paths = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        return [ROOT / path for path in paths if not any(part.startswith((".", "node_modules")) for part in path.parts)]
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def findings(path: Path) -> list[str]:
    """Forbidden content of a file, as `path:line: what`."""
    if path.suffix in SKIPPED_SUFFIXES or not path.is_file():
        return []
    name = path.relative_to(ROOT).as_posix()
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        for material, pattern in FOREIGN.items():
            if hit := re.search(pattern, line):
                found.append(f"{name}:{number}: {material}: {hit[0]}")
    return found


def main() -> int:
    found = [finding for path in files() for finding in findings(path)]
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
