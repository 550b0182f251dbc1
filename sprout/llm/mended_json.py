"""JSON of a model, or nearly: weaker models write single quotes, a comma too many, a missing quote."""

import json
from typing import Any

import json_repair

from sprout.loop.encoding.surrogates import replace_surrogates

MAX_CHARACTERS = 100_000
MAX_DEPTH = 64


def read_value(raw: str) -> Any:
    """The value of a text that is JSON, or nearly, with texts that can be stored. Raises ValueError, RecursionError."""
    try:
        value = json.loads(raw)
    except ValueError:
        value = mended_object(raw)
        if value is None:
            raise
    return sanitised(value)


def sanitised(value: Any, depth: int = MAX_DEPTH) -> Any:
    """A value whose texts can be stored. Raises ValueError where it is nested deeper than anything sensible."""
    if not depth:
        raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")
    match value:
        case str():
            return replace_surrogates(value)
        case list():
            return [sanitised(item, depth - 1) for item in value]
        case dict():
            return {replace_surrogates(name): sanitised(item, depth - 1) for name, item in value.items()}
    return value


def mended_object(raw: str) -> dict[str, object] | None:
    """The object that a text stands for; None where none is recognisable.

    A text whose brackets are not all closed was cut: what is missing of it is not to be made up.
    """
    text = raw.strip()
    closed = all(text.count(opening) == text.count(closing) for opening, closing in ("{}", "[]"))
    if len(text) > MAX_CHARACTERS or not closed or not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        found = json_repair.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found else None
