"""Fonts of office files whose letters all have one width, which mark code."""

import re
from functools import lru_cache

_MONOSPACE = re.compile(
    r"courier|consolas|lucida console|lucida sans typewriter|menlo|monaco|inconsolata|cascadia|andale mono|"
    r"source code|fira code|ocr a|fixedsys|typewriter|\bmono\b|mono$",
    re.IGNORECASE,
)


@lru_cache(maxsize=512)
def is_monospace(font: str | None) -> bool:
    """Whether the font of this name is one for code."""
    return font is not None and _MONOSPACE.search(font) is not None
