"""The parts that a release is made of, as CycloneDX: the packages of the lock, and the page's libraries and fonts.

cyclonedx-py writes down the lock; what it cannot know is joined to it here.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from itertools import groupby
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from scripts.licences import UNKNOWN, licence_of

Component = dict[str, Any]
SPECIFICATION = SchemaVersion.V1_6


def build_sbom(root: Path, version: str, epoch: int) -> str:
    """The bill of materials of the source tree at `root`. Raises ValueError: it is not as the standard wants it.

    Args:
        epoch: the time that it bears, in seconds; the rest of it follows from the tree, so that it can be made again.
    """
    found = lock_components(root / "requirements.lock", root / "pyproject.toml", epoch)
    found["metadata"]["component"] |= {"version": version, "purl": f"pkg:pypi/sprout-tutor@{version}"}
    packages = [with_licence(component) for component in found["components"]]
    records = json.loads((root / "static" / "vendor" / "vendor.json").read_text())
    found["components"] = packages + list(vendored_components(records))
    text = json.dumps(found, indent=2, sort_keys=True) + "\n"
    check_bill(text)
    return text


def check_bill(text: str) -> None:
    """Raises ValueError: the bill of materials is not as the standard wants it."""
    if fault := JsonStrictValidator(SPECIFICATION).validate_str(text):
        raise ValueError(f"the bill of materials is not valid: {fault}")


def lock_components(lock: Path, project: Path, epoch: int) -> Component:
    """The packages of a lock with version and hashes, by cyclonedx-py."""
    command = [sys.executable, "-m", "cyclonedx_py", "requirements", str(lock), "--pyproject", str(project)]
    form = [
        "--output-reproducible",
        "--output-format",
        "JSON",
        "--spec-version",
        SPECIFICATION.to_version(),
        "--no-validate",
    ]
    ran = subprocess.run(
        [*command, *form], env={"SOURCE_DATE_EPOCH": str(epoch), "PATH": os.defpath}, capture_output=True, check=True
    )
    found: Component = json.loads(ran.stdout)
    return found


def with_licence(component: Component) -> Component:
    """A package with the licence that it names where it is installed; one for other systems is not installed here."""
    fields = {name: value for name, value in component.items() if name != "description"}  # the line of the lock, again
    try:
        licence = licence_of(distribution(component["name"]))
    except PackageNotFoundError:
        return fields
    return fields if licence == UNKNOWN else fields | licence_field(licence)


def licence_field(licence: str) -> Component:
    """The licence in the standard's words: an expression where it is one, else a name."""
    if licence.startswith("License") or "License ::" in licence:
        return {"licenses": [{"license": {"name": licence, "acknowledgement": "declared"}}]}
    return {"licenses": [{"expression": licence, "acknowledgement": "declared"}]}


def vendored_components(records: Iterable[Mapping[str, Any]]) -> Iterable[Component]:
    """Each browser library and font with its files; one that is joined of many packages also with these."""

    def origin(record: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
        return record["name"], record.get("version", ""), tuple(record.get("made_of", ()))

    for (name, version, made_of), group in groupby(sorted(records, key=origin), key=origin):
        files = list(group)
        reference = f"vendored:{name}@{version}" if version else f"vendored:{name}"
        inside = [npm_package(f"{reference}/{each}", *each.rsplit("@", 1)) for each in made_of]
        own = npm_package(reference, name, version) if version else bundle_component(reference, name)
        own |= licence_field(" AND ".join(sorted({record["licence"] for record in files})))
        yield own | {"components": inside + [vendored_file(record) for record in files]}


def npm_package(reference: str, name: str, version: str) -> Component:
    space, _, short = name.rpartition("/")
    purl = PackageURL("npm", space or None, short, version).to_string()
    return {"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": purl}


def bundle_component(reference: str, name: str) -> Component:
    description = "several packages, joined into a few files by scripts/vendor.py"
    return {"type": "library", "bom-ref": reference, "name": name, "description": description}


def vendored_file(record: Mapping[str, Any]) -> Component:
    name = f"static/{record['file']}"
    hashes = [{"alg": "SHA-256", "content": record["sha256"]}]
    return {"type": "file", "bom-ref": name, "name": name, "hashes": hashes} | licence_field(record["licence"])
