"""Access to the operations of the OpenAPI document, in words."""

from collections.abc import Mapping
from typing import Any


def access_text(operation: Mapping[str, Any]) -> str:
    """Who may call an operation, in a few words."""
    ways = operation["security"]
    if not ways:
        return "everyone, without signing in"
    scope = f"scope `{ways[0]['session'][0]}`"
    roles = f", {' or '.join(operation['x-roles'])} only" if "x-roles" in operation else ""
    return scope + roles + ("" if len(ways) > 1 else ", signed in and not by token")
