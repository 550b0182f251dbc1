"""Ordinals: the place in a row that a word names."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from sprout.learning.text.confusables import plain


@cache
def ordinals() -> Mapping[str, int]:
    """Plain word → its place, from 0; -1 is the last one."""
    table = tomllib.loads(files("sprout.learning.marking").joinpath("ordinals.toml").read_text(encoding="utf-8"))
    rows = [*enumerate(table["places"]), (-1, table["last"])]
    return {plain(word): place for place, words in rows for word in words.split()}
