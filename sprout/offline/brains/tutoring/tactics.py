"""What learners try, beyond answering: recognised by one table, each with the class of reply that it gets."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from sprout.authored import read_yaml
from sprout.offline.brains.tutoring.frames import CODES

LONGEST_READ = 4_000  # characters of a message that are looked through
SHORT_FROM = 5
_QUOTES = str.maketrans("’‘`´", "''''")


class Manner(StrEnum):
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
    FASTER = "faster"
    SMALLER = "smaller"
    EXAMPLE = "example"
    DRIFT = "drift"


@dataclass(frozen=True, slots=True)
class Tactic:
    """A row of the table.

    Args:
        row: its number in the teaching guide; 0 where it has none.
        hits: how many times its patterns must fit.
        said: by language, the opening sentence at first, again, and from the fifth time.
    """

    name: str
    row: int
    manner: Manner
    patterns: tuple[re.Pattern[str], ...]
    hits: int
    said: Mapping[str, Mapping[str, str]]

    def fits(self, words: str) -> bool:
        """Whether the learner's words try this."""
        read = words.translate(_QUOTES)[:LONGEST_READ]
        found = sum(1 for pattern in self.patterns for _ in pattern.finditer(read))
        return found >= self.hits

    def opening(self, language: str, times: int) -> str:
        """How the reply opens when it is tried for this time, counted from 1."""
        said = self.said[language if language in CODES else "en"]
        return said["first" if times <= 1 else "short" if times >= SHORT_FROM else "again"]


@cache
def tactics() -> tuple[Tactic, ...]:
    """The table, in the order in which it is looked through."""
    rows = read_yaml(files("sprout.offline").joinpath("brains", "tutoring", "tactics.yaml").read_text(encoding="utf-8"))
    return tuple(
        Tactic(
            row["name"],
            row["row"],
            Manner(row["class"]),
            tuple(re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in row["patterns"]),
            row.get("hits", 1),
            {code: row[code] for code in CODES},
        )
        for row in rows
    )


def tried(words: str) -> Tactic | None:
    """What the words try, if they try anything."""
    return next((tactic for tactic in tactics() if tactic.fits(words)), None)


def times_tried(tactic: Tactic, before: Sequence[str]) -> int:
    """How many times it has been tried, this one included; kinds of reply count together, so none starts afresh."""
    same = (found for words in before if (found := tried(words)))
    return 1 + sum(found.manner is tactic.manner for found in same)
