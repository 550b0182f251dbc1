"""Learner tactics beyond answering: recognised by one table, each with the class of its reply."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from sprout.offline.demo.tutor.templates import CODES
from sprout.yaml_loader import load_yaml

LONGEST_READ = 4_000  # characters of a message that are looked through
SHORT_FROM = 5
_QUOTES = str.maketrans("’‘`´", "''''")


class ReplyStyle(StrEnum):
    """The class of a reply: what it does with the request."""

    CARE = "care"
    DATA = "data"
    BACK = "back"
    CONTEST = "contest"
    WORDING = "wording"
    TRUTH = "truth"
    GUIDE = "guide"
    GUESSES = "guesses"
    CORRECT = "correct"
    PLAINLY = "plainly"
    PAUSE = "pause"
    WORD = "word"
    GIVES_UP = "gives_up"
    FASTER = "faster"
    CALM = "calm"
    EXAMPLE = "example"
    DRIFT = "drift"


@dataclass(frozen=True, slots=True)
class Tactic:
    """A row of the table.

    Args:
        row: its number in the teaching guide; 0 where it has none.
        hits: how many times its patterns must fit.
        openings: by language, the opening sentence for the first time, for later ones, and from the fifth on.
    """

    name: str
    row: int
    style: ReplyStyle
    patterns: tuple[re.Pattern[str], ...]
    hits: int
    openings: Mapping[str, Mapping[str, str]]

    def matches(self, words: str) -> bool:
        """Return True if the learner's words match the tactic."""
        read = words.translate(_QUOTES)[:LONGEST_READ]
        found = sum(1 for pattern in self.patterns for _ in pattern.finditer(read))
        return found >= self.hits

    def opening(self, language: str, times: int) -> str:
        """Opening sentence of the reply to the n-th use, from 1; empty in a language that the table lacks."""
        if language not in self.openings:
            return ""
        openings = self.openings[language]
        return openings["first" if times <= 1 else "short" if times >= SHORT_FROM else "again"]


@cache
def tactics() -> tuple[Tactic, ...]:
    """The table, in the order in which it is looked through."""
    rows = load_yaml(files("sprout.offline.demo.tutor").joinpath("learner_tactics.yaml").read_text(encoding="utf-8"))
    return tuple(
        Tactic(
            row["name"],
            row["row"],
            ReplyStyle(row["class"]),
            tuple(re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in row["patterns"]),
            row.get("hits", 1),
            {code: row[code] for code in CODES},
        )
        for row in rows
    )


def recognize_tactic(words: str) -> Tactic | None:
    """Tactic of the learner's words, or None."""
    return next((tactic for tactic in tactics() if tactic.matches(words)), None)


def count_tactic(tactic: Tactic, before: Sequence[str]) -> int:
    """Number of uses of the tactic, this one included; related reply styles count together, so none starts afresh."""
    same = (found for words in before if (found := recognize_tactic(words)))
    return 1 + sum(found.style is tactic.style for found in same)
