"""Ordinals: the place in a row that a word names."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from sprout.learning.marking.number_words import count_of
from sprout.learning.text.confusables import plain

_ARTICLES = frozenset("the der die das le la el il lo o a de het".split())
_BARE_NUMBER = re.compile(r"[`-]{0,2}\d{1,9}(?:\.\d{1,9})?(?: ?%)?`?")


@cache
def ordinals() -> Mapping[str, int]:
    """Plain word → its place, from 0; -1 is the last one."""
    table = tomllib.loads(files("sprout.learning.marking").joinpath("ordinals.toml").read_text(encoding="utf-8"))
    rows = [*enumerate(table["places"]), (-1, table["last"])]
    return {plain(word): place for place, words in rows for word in words.split()}


def place_of(word: str) -> int | None:
    """The place, from 0, that a plain word or a number says: 2 for "third", "3rd", "three" and "3"."""
    count = count_of(word)
    return ordinals().get(word, None if count is None or (len(word) == 1 and word.isalpha()) else count - 1)


def in_series(texts: Sequence[str]) -> list[str] | None:
    """The texts in their order where each is a place or a number and nothing else: "the third", "40 %"; else None."""
    values = [_value_of(text) for text in texts]
    known = [value for value in values if value is not None]
    if not texts or len(known) < len(texts):
        return None
    return [text for _, text in sorted(zip(known, texts, strict=True))]


def _value_of(text: str) -> float | None:
    if _BARE_NUMBER.fullmatch(text.strip()):
        return float(text.strip(" `%"))
    words = [word for word in plain(text).split() if word not in _ARTICLES]
    place = ordinals().get(words[0]) if len(words) == 1 else None
    return None if place is None or place < 0 else float(place)
