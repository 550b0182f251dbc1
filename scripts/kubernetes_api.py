"""Extract of the Kubernetes API's JSON Schema: the kinds that deploy/kubernetes uses, without descriptions.

`python -m scripts.kubernetes_api _definitions.json` writes scripts/kubernetes_api.json (maintainers). The file is in the
package kubernetes-validate, folder v1.37.0-local-strict; the whole package would be a third of the environment's files.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EXTRACT = Path(__file__).with_suffix(".json")
KINDS = (
    "io.k8s.api.apps.v1.Deployment",
    "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
    "io.k8s.api.batch.v1.Job",
    "io.k8s.api.core.v1.Secret",
    "io.k8s.api.core.v1.Service",
    "io.k8s.api.networking.v1.NetworkPolicy",
    "io.k8s.api.policy.v1.PodDisruptionBudget",
)
PLACE = "#/$defs/"


def extract(definitions: dict[str, Any]) -> dict[str, Any]:
    """The definitions of the kinds and of all that they refer to; of what only the cluster writes, none."""
    found: dict[str, Any] = {}
    waiting = list(KINDS)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _without_prose(definitions[name])
            found[name].get("properties", {}).pop("status", None)
            waiting += _references(found[name])
    return dict(sorted(found.items()))


def _without_prose(schema: Any) -> Any:
    """The schema without descriptions; a property may be called description."""
    if isinstance(schema, list):
        return [_without_prose(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _without_prose(part) for name, part in value.items()}
        if key == "properties"
        else _without_prose(value)
        for key, value in schema.items()
        if key != "description" and not key.startswith("x-kubernetes")
    }


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(reference := schema.get("$ref"), str):
            yield reference.removeprefix(PLACE)
        for part in schema.values():
            yield from _references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _references(part)


def main() -> int:
    definitions = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["$defs"]
    content = {
        "$comment": "The API of Kubernetes 1.37, Apache-2.0: scripts/kubernetes_api.py",
        "$defs": extract(definitions),
    }
    EXTRACT.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
