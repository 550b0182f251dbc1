"""Lesson talk: words of a learner about the lesson itself and not about its matter, by kinds."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from sprout.learning.text.confusables import plain

MOST_WORDS = 25

_APOSTROPHE = re.compile(r"(?<=\w)['’`´](?=\w)")


@dataclass(frozen=True, slots=True)
class TalkKind:
    """A kind of talk.

    Args:
        signs: what it is known by: of each group of one of them it has a word, given as a pattern.
        without: the words that it does not have.
    """

    signs: tuple[tuple[re.Pattern[str], ...], ...]
    without: re.Pattern[str]

    def matches(self, words: str) -> bool:
        """Return True if the words are of this kind, and have nothing but its own words and little ones."""
        said = plain(_APOSTROPHE.sub("", words)).split()[: MOST_WORDS + 1]
        left = [word for word in said if not _little().fullmatch(word)]
        is_other = len(said) > MOST_WORDS or any(map(self.without.fullmatch, said))
        return not is_other and any(_is_sign(sign, said, left) for sign in self.signs)


def _is_sign(sign: Sequence[re.Pattern[str]], said: Sequence[str], left: Sequence[str]) -> bool:
    has_all = all(any(map(group.fullmatch, said)) for group in sign)
    return has_all and all(any(group.fullmatch(word) for group in sign) for word in left)


def talk_kind(signs: Sequence[Sequence[str]], without: str = "") -> TalkKind:
    """The kind with these signs, each a row of groups, each group its words."""
    return TalkKind(tuple(tuple(map(_group, sign)) for sign in signs), _group(without))


def wants_help(words: str) -> bool:
    """Return True if the words say nothing but that their writer is lost: "huh?", "what do I have to do"."""
    return _kinds()["help"].matches(words)


def wants_to_skip(words: str) -> bool:
    """Return True if the words only ask to leave the question: "can I skip this?"."""
    return _kinds()["skip"].matches(words)


def _group(words: str) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(word).replace(r"\*", r"\w*") for word in words.split()))


@cache
def _little() -> re.Pattern[str]:
    return _group(_table()["little"])


@cache
def _kinds() -> dict[str, TalkKind]:
    return {name: talk_kind(signs) for name, signs in _table()["kinds"].items()}


@cache
def _table() -> dict[str, Any]:
    file = files("sprout.learning.lessons").joinpath("lesson_talk.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
