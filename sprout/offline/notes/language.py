"""The languages that notes may be in: their little words, and what is said to the learner in each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

CODES = ("en", "de", "fr")


@dataclass(frozen=True, slots=True)
class Phrases:
    """What is said around the words of the notes. Names in braces are filled in."""

    uses: str
    next_in_notes: str
    opening: str
    rationale: str
    rationale_thin: str
    lesson_opening: str
    lesson_closing: str
    cloze: str
    number: str
    described: str
    statement: str
    reason: str
    tell: str
    relate: str
    mixes_up: str
    mixes_up_claims: str
    what_it_says: str
    the_reason: str
    what_follows: str
    and_: str
    quoted: str


@dataclass(frozen=True, slots=True)
class Language:
    """Words and patterns of one language.

    Args:
        determiners: words that come before a noun phrase; all of them are stopwords too.
        vague_starts: words that a sentence opens with when it needs the one before it.
        be_and_can: verbs that can follow a subject of any kind.
        opens_clause: words that open a clause which is no sentence by itself.
        cuts_clause, defines, reasons: regular expressions for the end of a main clause, the verb of a definition,
            and the words that give a reason.
    """

    determiners: frozenset[str]
    stopwords: frozenset[str]
    vague_starts: frozenset[str]
    be_and_can: frozenset[str]
    opens_clause: frozenset[str]
    cuts_clause: str
    defines: str
    reasons: str
    phrases: Phrases


@cache
def language(code: str) -> Language:
    """The language with this code, one of `CODES`."""
    row = _texts()[code]
    words = {
        name: frozenset(row[name].split()) for name in ("determiners", "vague_starts", "be_and_can", "opens_clause")
    }
    return Language(
        **words,
        stopwords=words["determiners"] | frozenset(row["little_words"].split()),
        cuts_clause=row["cuts_clause"],
        defines=row["defines"],
        reasons=row["reasons"],
        phrases=Phrases(**row["phrases"]),
    )


@cache
def left_out_sections() -> frozenset[str]:
    """Headings, in small letters, under which there is nothing to learn."""
    return frozenset(_texts()["left_out_sections"])


@cache
def empty_titles() -> frozenset[str]:
    """Headings, in small letters, that say nothing about what stands under them."""
    return frozenset(_texts()["empty_titles"])


def language_of(words: Sequence[str]) -> str:
    """The code of the language whose little words are the most frequent; `en` where there are none."""
    shares = {code: sum(word in language(code).stopwords for word in words) for code in CODES}
    best = max(shares, key=lambda code: shares[code])
    return best if shares[best] else "en"


def phrases(code: str) -> Phrases:
    """What is said in the language with this code."""
    return language(code).phrases


@cache
def _texts() -> dict[str, Any]:
    source = files("sprout.offline").joinpath("notes", "languages.yaml")
    texts: dict[str, Any] = yaml.safe_load(source.read_text(encoding="utf-8"))
    return texts
