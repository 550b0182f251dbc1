"""Tool input that is nearly JSON, as weaker models write it: single quotes, a comma too many, a missing quote."""

import json_repair

MAX_CHARACTERS = 100_000


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
