"""Clauses of a typed choice: its words without what it rules out, and the lists of words that mean no option."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from sprout.learning.text.confusables import plain

_APOSTROPHE = re.compile("['’`´]")
_CLAUSE_END = re.compile(r"[—–;:,.!?\n]+|-\s|(?<=\w) \((?=[\w ]+\)\W*\Z)")  # a bracket at the end is a clause
_TAKEN_BACK = re.compile(
    r"(?:\b[A-H]\s+(?:(?:is|seems|ist|est) )?)?"
    r"\b(?:not(?! sure)|nicht(?! sicher)|isn['’]?t|never|no longer|pas|kein\w*)\b"
    r".*?(?=\b(?:but|sondern|mais|sino|ma)\b|[.,;!?]|$)",
    re.IGNORECASE | re.DOTALL,
)


def clauses_of(text: str) -> Iterator[list[str]]:
    for part in _CLAUSE_END.split(text):
        clause: list[str] = []
        for word in words_alone(part).split():
            if word in words_of("clause_ends") | words_of("reasons"):
                yield from [clause] if clause else []
                clause = []
            else:
                clause.append(word)
        yield from [clause] if clause else []


@cache
def words_of(name: str) -> frozenset[str]:
    table = tomllib.loads(files("sprout.learning.marking").joinpath("choice_words.toml").read_text(encoding="utf-8"))
    return frozenset(plain(table[name]).split())


def words_alone(text: str) -> str:
    return plain(_APOSTROPHE.sub("", text))


def without_taken_back(text: str) -> str:
    """The text without what it rules out: "not A but D" is "but D"."""
    return _TAKEN_BACK.sub(" ", text)


def meant_words(clause: Sequence[str]) -> list[str]:
    return [word for word in clause if word not in words_of("fillers")]


def has_reason(text: str) -> bool:
    return not words_of("reasons").isdisjoint(words_alone(text).split())
