"""Fetch the pinned browser libraries and fonts from npm into static/, and record where each file came from.

Libraries that come as many packages are joined into a few files first, from the entries and the lock in bundles/.
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
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "static"
RECORD = STATIC / "vendor" / "vendor.json"
BUNDLES = ROOT / "scripts" / "bundles"
Record = dict[str, Any]


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


KATEX_FACES = (
    *("AMS-Regular", "Caligraphic-Bold", "Caligraphic-Regular", "Fraktur-Bold", "Fraktur-Regular"),
    *("Main-Bold", "Main-BoldItalic", "Main-Italic", "Main-Regular", "Math-BoldItalic", "Math-Italic"),
    *("SansSerif-Bold", "SansSerif-Italic", "SansSerif-Regular", "Script-Regular"),
    *("Size1-Regular", "Size2-Regular", "Size3-Regular", "Size4-Regular", "Typewriter-Regular"),
)
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
    Package(
        "katex",
        "0.19.1",
        "MIT",
        {
            "dist/katex.min.css": "vendor/katex/katex.css",
            **{f"dist/fonts/KaTeX_{face}.woff2": f"vendor/katex/fonts/KaTeX_{face}.woff2" for face in KATEX_FACES},
        },
    ),
    Package(
        "lean-qr",
        "2.7.4",
        "MIT",
        {"nano.mjs": "vendor/lean-qr.mjs", "LICENSE": "vendor/licenses/lean-qr.txt"},
    ),
    Package(
        "@mermaid-js/tiny",
        "11.17.2",
        "MIT",
        {"dist/mermaid.tiny.js": "vendor/mermaid.js", "LICENSE": "vendor/licenses/mermaid.txt"},
    ),
    font("hanken-grotesk", "5.3.0", "hanken-grotesk-latin-wght-normal", variable=True),
    font("literata", "5.3.0", "literata-latin-400-normal", "literata-latin-400-italic", "literata-latin-600-normal"),
    font("atkinson-hyperlegible-mono", "5.3.0", "atkinson-hyperlegible-mono-latin-400-normal"),
)


def npm(*words: str, cwd: Path) -> str:
    """Run npm, which verifies the registry's integrity hashes."""
    command = shutil.which("npm")
    if command is None:
        raise SystemExit("npm is needed to fetch the libraries; the committed files work without it")
    return subprocess.run([command, *words], cwd=cwd, check=True, capture_output=True, text=True).stdout


def download_package(package: Package, into: Path) -> Path:
    """The folder of the package's files."""
    archive = into / npm("pack", "--silent", f"{package.name}@{package.version}", cwd=into).strip().splitlines()[-1]
    target = into / archive.stem
    with tarfile.open(archive) as tar:
        tar.extractall(target, filter="data")
    return target / "package"


def without_source_map(content: bytes, name: str) -> bytes:
    """The file without its pointer to a source map that is not shipped."""
    if not name.endswith((".mjs", ".js")):
        return content
    lines = content.decode().rstrip().splitlines()
    return ("\n".join(line for line in lines if not line.startswith("//# sourceMappingURL=")) + "\n").encode()


def write_file(target: str, content: bytes, facts: Record) -> Record:
    """Write a file below static/ and return its record."""
    path = STATIC / target
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return facts | {"file": target, "sha256": hashlib.sha256(content).hexdigest()}


def vendor_package(package: Package, into: Path) -> list[Record]:
    """Copy the package's files into static/ and return their records."""
    folder = download_package(package, into)
    facts = {"name": package.name, "version": package.version, "licence": package.licence}
    return [
        write_file(target, without_source_map((folder / source).read_bytes(), target), facts)
        for source, target in package.files.items()
    ]


def build_bundles(into: Path) -> list[Record]:
    """Join the packages of the lock, each with its licence, into vendor/{bundle}/ and return the files' records."""
    work = into / "bundles"
    shutil.copytree(BUNDLES, work)
    npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=work)
    return [
        record for folder in sorted(BUNDLES.iterdir()) if folder.is_dir() for record in build_bundle(folder.name, work)
    ]


def build_bundle(bundle: str, work: Path) -> list[Record]:
    """One bundle: a file for each of its entries, chunks that they share, and the licences of all that is in them."""
    out = work / "out" / bundle
    entries = sorted((work / bundle).glob("*.js"))
    words = ["--bundle", "--splitting", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none"]
    names = ["--out-extension:.js=.mjs", "--chunk-names=shared-[hash]", f"--outdir={out}", f"--metafile={out}.json"]
    esbuild = work / "node_modules" / "esbuild" / "bin" / "esbuild"
    subprocess.run([esbuild, *entries, *words, *names], cwd=work, check=True, capture_output=True)
    packages = [work / name for name in package_folders(json.loads(Path(f"{out}.json").read_text())["inputs"])]
    about = [json.loads((package / "package.json").read_text()) for package in packages]
    licences = {each["name"]: (package / "LICENSE").read_text() for package, each in zip(packages, about, strict=True)}
    facts = {
        "name": bundle,
        "made_of": [f"{each['name']}@{each['version']}" for each in about],
        "licence": " AND ".join(sorted({each["license"] for each in about})),
    }
    shutil.rmtree(STATIC / "vendor" / bundle, ignore_errors=True)
    licence_texts = "\n".join(f"{name}\n\n{text}" for name, text in licences.items())
    return [
        write_file(f"vendor/licenses/{bundle}.txt", licence_texts.encode(), facts),
        *(write_file(f"vendor/{bundle}/{path.name}", path.read_bytes(), facts) for path in sorted(out.glob("*.mjs"))),
    ]


def package_folders(sources: dict[str, Any]) -> list[str]:
    """The folders of the packages whose files went into a bundle."""
    paths = [name.split("/") for name in sources if name.startswith("node_modules/")]
    return sorted({"/".join(path[: 3 if path[1].startswith("@") else 2]) for path in paths})


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        records = build_bundles(Path(scratch))  # first: it empties its folders
        records += [record for package in PACKAGES for record in vendor_package(package, Path(scratch))]
    RECORD.write_text(json.dumps(records, indent=2) + "\n")
    print(f"{len(records)} files")


if __name__ == "__main__":
    main()
