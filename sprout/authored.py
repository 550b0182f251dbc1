"""YAML that was written for this program: read by the parser in C where there is one, in a tenth of the time."""

from typing import Any

import yaml

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str) -> Any:
    """What the text says, of plain types only. Raises yaml.YAMLError."""
    return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
