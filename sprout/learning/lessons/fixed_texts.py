"""Fixed texts for learners in their language, from `fixed_texts.toml`."""

import tomllib
from functools import cache
from importlib.resources import files

from sprout.learning.text.language import DEFAULT_LANGUAGE
from sprout.learning.text.normalization import folded


def fixed_text(name: str, language: str, /, **values: object) -> str:
    """The text of that name in the language, or in English. Raises KeyError."""
    known = _texts()
    return known.get(language, known[DEFAULT_LANGUAGE])[name].format(**values)


def said_anew(reply: str, last: str, language: str) -> str:
    """The reply, with words before it where it is the last one once more: no two replies in a row are equal (H1a)."""
    return fixed_text("again", language, reply=reply) if folded(reply) == folded(last) else reply


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("sprout.learning.lessons").joinpath("fixed_texts.toml").read_text(encoding="utf-8"))
