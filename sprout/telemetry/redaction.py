"""Redaction of log entries: allowed fields only, values without control characters and secrets."""

import re
from collections.abc import MutableMapping
from typing import Any

from structlog.types import WrappedLogger

VALUE_MAX_CHARS = 200
REDACTED = "[redacted]"
# A field is allowed where its values are figures, ids or words of our own code; never text of a learner or a model.
ALLOWED_FIELDS = frozenset(
    """
    run root document agent lane state reason model_calls duration_s
    model from_model to_model offline kind attempt attempts of delay_ms
    tool call ok duration_ms escalation rung tokens_before tokens_after position
    input_tokens output_tokens cache_write_tokens cache_read_tokens cost_usd
    method path line status version count watcher cause epoch crashes
    """.split()
)
GENERATED_FIELDS = frozenset({"timestamp", "level", "logger", "event", "error", "frames", "problem"})

_SECRET = re.compile(
    r"""
      sk-[\w-]{8,}                                              # a provider's key
    | \b(?:bearer|basic)\s+[\w.~+/=-]+
    | \beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?                          # a signed token
    | (?<=://)[^\s/@]+@                                         # credentials in a URL
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                              # an e-mail address
    | \b[\w-]*(?:api[_-]?key|authorization|cookie|passw(?:or)?d|secret|token)["']?\s*[=:]\s*["']?[^\s"',;&]+
    """,
    re.VERBOSE | re.IGNORECASE,
)


def drop_unknown_fields(_: WrappedLogger, __: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The entry with the fields that are allowed, each a number or a short clean text; a structlog processor."""
    return {
        name: redact(value) if isinstance(value, str) else value
        for name, value in entry.items()
        if name in GENERATED_FIELDS or (name in ALLOWED_FIELDS and isinstance(value, (str, int, float, bool)))
    }


def redact(text: str) -> str:
    """The text on one line, at most 200 characters, with likely secrets removed."""
    shown = _SECRET.sub(REDACTED, text)
    shown = shown if len(shown) <= VALUE_MAX_CHARS else shown[: VALUE_MAX_CHARS - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in shown)
