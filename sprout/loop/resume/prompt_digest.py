"""Prompt digest: one hash over what must not change during a run: system prompt, tools, model."""

import json
from collections.abc import Sequence
from hashlib import sha256

from sprout.loop.tools import Tool


def prompt_digest(system: str, tools: Sequence[Tool], model_name: str) -> str:
    """The sha256, in hex, of the system prompt, the tools as the model sees them, in their order, and the model.

    Every letter counts, the order of a schema's keys does not. A journal's digest, which `run_turn` adds to the system
    prompt, is not part of it.
    """
    specs = [[spec.name, spec.description, dict(spec.schema)] for spec in (tool.spec for tool in tools)]
    text = json.dumps([system, specs, model_name], sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()
