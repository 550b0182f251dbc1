"""Text from people, files and models, put between tags so that a model can tell it from its instructions."""

import secrets
from html import escape

from sprout.learning.text.words import one_line, tidy

CUT_MARK = "…"
MAX_ATTRIBUTE = 300


def fenced(tag: str, text: str, *, limit: int, **attributes: str) -> str:
    """The text as one element that nothing inside it can close.

    `&`, `<` and `>` are escaped, invisible characters are taken out, and beyond `limit` characters it is cut. The
    attribute `n` is random, so that nobody can write a matching tag beforehand.
    """
    bare = tidy(text)
    kept = bare if len(bare) <= limit else bare[:limit] + CUT_MARK
    return wrapped(tag, escape(kept, quote=False), **attributes)


def wrapped(tag: str, *elements: str, separator: str = "", **attributes: str) -> str:
    """An element around elements that are fenced already; nothing where there are none."""
    if not elements:
        return ""
    shown = "".join(f' {name}="{escape(one_line(value)[:MAX_ATTRIBUTE])}"' for name, value in attributes.items())
    return f'<{tag}{shown} n="{secrets.token_hex(4)}">{separator}{separator.join(elements)}{separator}</{tag}>'
