"""Fail when a vendored file differs from its record, or when a file there has no record."""

import hashlib
import json
import sys
from pathlib import Path

STATIC = Path(__file__).resolve().parent.parent / "static"
FOLDERS = ("vendor", "fonts")
RECORD = "vendor/vendor.json"


def find_problems() -> list[str]:
    """One sentence per file that is missing, changed or unrecorded; empty when all is well."""
    recorded = {entry["file"]: entry["sha256"] for entry in json.loads((STATIC / RECORD).read_text())}
    present = {
        path.relative_to(STATIC).as_posix()
        for folder in FOLDERS
        for path in (STATIC / folder).rglob("*")
        if path.is_file()
    } - {RECORD}
    found = [f"{name} is recorded but missing" for name in sorted(recorded.keys() - present)]
    found += [f"{name} has no record" for name in sorted(present - recorded.keys())]
    for name in sorted(present & recorded.keys()):
        if hashlib.sha256((STATIC / name).read_bytes()).hexdigest() != recorded[name]:
            found.append(f"{name} differs from its record")
    return found


def main() -> int:
    found = find_problems()
    print("\n".join(found) or "vendored files match their records")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
