"""Fetch the pinned browser libraries and fonts from npm into static/, and record where each file came from.

Run it only to change a version: the files it writes are committed, and Sprout itself never needs the network for them.
"""

import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "static"
RECORD = STATIC / "vendor" / "vendor.json"


@dataclass(frozen=True, slots=True)
class Package:
    """One npm package at one version, and which of its files go where under static/."""

    name: str
    version: str
    licence: str
    files: dict[str, str]


def font(family: str, version: str, *faces: str, variable: bool = False) -> Package:
    """A Fontsource package: its woff2 faces and its licence, into static/fonts/."""
    slug = "fontsource-variable" if variable else "fontsource"
    files = {f"files/{face}.woff2": f"fonts/{face}.woff2" for face in faces}
    return Package(f"@{slug}/{family}", version, "OFL-1.1", {**files, "LICENSE": f"fonts/LICENSE-{family}.txt"})


PACKAGES = (
    Package(
        "preact",
        "11.2.0",
        "MIT",
        {
            "dist/preact.mjs": "vendor/preact.mjs",
            "hooks/dist/hooks.mjs": "vendor/preact-hooks.mjs",
            "LICENSE": "vendor/licenses/preact.txt",
        },
    ),
    Package(
        "htm",
        "3.1.1",
        "Apache-2.0",
        {"dist/htm.mjs": "vendor/htm.mjs", "LICENSE": "vendor/licenses/htm.txt"},
    ),
    Package(
        "@preact/signals-core",
        "1.14.5",
        "MIT",
        {"dist/signals-core.mjs": "vendor/signals-core.mjs", "LICENSE": "vendor/licenses/signals-core.txt"},
    ),
    Package(
        "@preact/signals",
        "2.11.4",
        "MIT",
        {"dist/signals.mjs": "vendor/signals.mjs", "LICENSE": "vendor/licenses/signals.txt"},
    ),
    Package(
        "@dagrejs/dagre",
        "3.1.3",
        "MIT",
        {"dist/dagre.esm.js": "vendor/dagre.mjs", "dist/dagre.esm.js.LEGAL.txt": "vendor/licenses/dagre.txt"},
    ),
    Package(
        "marked",
        "18.2.1",
        "MIT",
        {"lib/marked.esm.js": "vendor/marked.mjs", "LICENSE": "vendor/licenses/marked.txt"},
    ),
    font("hanken-grotesk", "5.3.0", "hanken-grotesk-latin-wght-normal", variable=True),
    font("literata", "5.3.0", "literata-latin-400-normal", "literata-latin-400-italic", "literata-latin-600-normal"),
    font("atkinson-hyperlegible-mono", "5.3.0", "atkinson-hyperlegible-mono-latin-400-normal"),
)


def unpacked(package: Package, into: Path) -> Path:
    """The folder of the package's files, fetched by npm, which checks the registry's integrity hash."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is needed to fetch the libraries; the committed files work without it")
    spec = f"{package.name}@{package.version}"
    done = subprocess.run([npm, "pack", "--silent", spec], cwd=into, check=True, capture_output=True, text=True)
    archive = into / done.stdout.strip().splitlines()[-1]
    target = into / archive.stem
    with tarfile.open(archive) as tar:
        tar.extractall(target, filter="data")
    return target / "package"


def cleaned(content: bytes, name: str) -> bytes:
    """The file without its pointer to a source map that is not shipped."""
    if not name.endswith((".mjs", ".js")):
        return content
    lines = content.decode().rstrip().splitlines()
    return ("\n".join(line for line in lines if not line.startswith("//# sourceMappingURL=")) + "\n").encode()


def vendored(package: Package, into: Path) -> list[dict[str, str]]:
    """Copy the package's files into static/ and return their records."""
    folder = unpacked(package, into)
    records = []
    for source, target in package.files.items():
        content = cleaned((folder / source).read_bytes(), target)
        path = STATIC / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        records.append(
            {
                "name": package.name,
                "version": package.version,
                "licence": package.licence,
                "file": target,
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        )
    return records


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        records = [record for package in PACKAGES for record in vendored(package, Path(scratch))]
    RECORD.write_text(json.dumps(records, indent=2) + "\n")
    print(f"{len(records)} files of {len(PACKAGES)} packages")


if __name__ == "__main__":
    main()
