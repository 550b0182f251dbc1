"""Check of deploy/kubernetes: every manifest is valid by the Kubernetes API, and the kustomization names every file."""

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from scripts.kubernetes_api import EXTRACT, KINDS, PLACE

FOLDER = Path(__file__).resolve().parent.parent / "deploy" / "kubernetes"
KUSTOMIZATION = "kustomization.yaml"
EXAMPLE = ".example.yaml"


def problems(folder: Path) -> Iterator[str]:
    """Faults of the files of a folder, as `file: where: what`."""
    for path in sorted(folder.glob("*.yaml")):
        if path.name != KUSTOMIZATION:
            for manifest in yaml.safe_load_all(path.read_text(encoding="utf-8")):
                yield from (f"{path.name}: {problem}" for problem in manifest_problems(manifest))
    named = set(yaml.safe_load((folder / KUSTOMIZATION).read_text(encoding="utf-8"))["resources"])
    there = {path.name for path in folder.glob("*.yaml") if not path.name.endswith(EXAMPLE)} - {KUSTOMIZATION}
    yield from (f"{KUSTOMIZATION}: does not name {name}" for name in sorted(there - named))
    yield from (f"{KUSTOMIZATION}: there is no {name}" for name in sorted(named - there))


def manifest_problems(manifest: dict[str, Any]) -> Iterator[str]:
    """Faults that the API would refuse, and fields that it does not know."""
    kind = f"{manifest.get('apiVersion')} {manifest.get('kind')}"
    if kind not in validators():
        yield f"{kind}: not among the kinds of {EXTRACT.name}"
        return
    for error in validators()[kind].iter_errors(manifest):
        where = ".".join(str(step) for step in error.absolute_path)
        yield f"{kind} {manifest.get('metadata', {}).get('name')}: {where}: {error.message}"


@cache
def validators() -> dict[str, Draft202012Validator]:
    """A validator for each kind, by "apps/v1 Deployment"."""
    api = json.loads(EXTRACT.read_text(encoding="utf-8"))
    found = {}
    for name in KINDS:
        properties = api["$defs"][name]["properties"]
        kind = f"{properties['apiVersion']['enum'][0]} {properties['kind']['enum'][0]}"
        found[kind] = Draft202012Validator({"$ref": PLACE + name, "$defs": api["$defs"]})
    return found


def main() -> int:
    found = list(problems(FOLDER))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
