"""Fences: tags around text from people, files and models, so that a model can tell it from its instructions."""

import secrets
from html import escape

from sprout.learning.text.normalization import one_line, tidy

CUT_MARK = "…"
MAX_ATTRIBUTE = 300


def fenced(tag: str, text: str, *, limit: int, **attributes: str) -> str:
    """The text as one element that nothing inside it can close.

    `&`, `<` and `>` are escaped, invisible characters are removed, and text beyond `limit` characters is cut off. The
    attribute `n` is random, so that no text can contain a matching tag.
    """
    bare = tidy(text)
    kept = bare if len(bare) <= limit else bare[:limit] + CUT_MARK
    return wrapped(tag, escape(kept, quote=False), **attributes)


def wrapped(tag: str, *elements: str, separator: str = "", **attributes: str) -> str:
    """An element around elements that are fenced already; empty without any."""
    if not elements:
        return ""
    shown = "".join(f' {name}="{escape(one_line(value)[:MAX_ATTRIBUTE])}"' for name, value in attributes.items())
    return f'<{tag}{shown} n="{secrets.token_hex(4)}">{separator}{separator.join(elements)}{separator}</{tag}>'
