"""Languages of notes: their function words, and the phrases for the learner in each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

from sprout.yaml_loader import load_yaml

CODES = ("en", "de", "fr", "es", "it", "pt")


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases around the words of the notes. Names in braces are filled in."""

    # concepts and subconcepts
    uses: str
    comes_next: str
    # the words before and after saving
    opening: str
    rationale_start: str
    rationale_begins: str
    rationale_left_out: str
    rationale_short: str
    rationale_thin: str
    rationale_end: str
    key_words: str
    more: str
    lesson_opening: str
    lesson_closing: str
    no_more: str
    # questions and their criteria
    described: str
    labelled: str
    typed: str
    the_term: str
    cell: str
    passage: str
    passage_begun: str
    point: str
    part_n: str
    on_topic: str
    on_topic_states: str
    # little words
    and_more: str
    and_: str
    quoted: str

    def listed(self, texts: Sequence[str], *, quote: bool = True) -> str:
        """“one”, “two” and “three”; without quotation marks if they are not wanted."""
        shown = [self.quoted.format(text) for text in texts] if quote else [*texts]
        return "".join(shown) if len(shown) < 2 else f"{', '.join(shown[:-1])} {self.and_} {shown[-1]}"


@dataclass(frozen=True, slots=True)
class Words:
    """Sets of words of one language.

    Args:
        determiners: words that come before a noun phrase; all of them are stopwords too.
        articles: the determiners that show number and gender; indefinite: those that a definition begins with.
        generic: nouns that name nothing by themselves, and labels of remarks.
        vague_starts: words that a sentence opens with when it needs the one before it.
        pointing: words that refer to something outside their sentence, or to who speaks.
        comparing: words that compare with, or order after, what another sentence names.
        prepositions: words that a sentence may open with before a vague one.
    """

    determiners: frozenset[str]
    articles: frozenset[str]
    indefinite: frozenset[str]
    generic: frozenset[str]
    vague_starts: frozenset[str]
    pointing: frozenset[str]
    comparing: frozenset[str]
    prepositions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns of one language; those with named groups take a sentence apart.

    Args:
        definition, called: what is defined, and as what; ranks: what only looks like that, as it compares or says when
            something holds.
        meta: finds sentences that speak of the notes and not of their subject.
    """

    definition: re.Pattern[str]
    called: re.Pattern[str]
    ranks: re.Pattern[str]
    meta: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Language:
    """One language that notes may be in.

    Args:
        reasons: why a part is left out, by the reason in English.
    """

    code: str
    words: Words
    patterns: Patterns
    phrases: Phrases
    stopwords: frozenset[str]
    reasons: Mapping[str, str]


@cache
def language(code: str) -> Language:
    """The language with this code, one of `CODES`."""
    row = _texts()[code]
    words = Words(**{each.name: frozenset(row[each.name].split()) for each in fields(Words)})
    return Language(
        code,
        words,
        Patterns(**{each.name: re.compile(row[each.name], re.IGNORECASE) for each in fields(Patterns)}),
        Phrases(**row["phrases"]),
        words.determiners | frozenset(row["little_words"].split()),
        row["reasons"],
    )


@cache
def empty_titles() -> frozenset[str]:
    """Headings, in small letters, that say nothing about what stands under them."""
    return frozenset(_texts()["empty_titles"].split(" | "))


@cache
def table_heads() -> tuple[frozenset[str], frozenset[str]]:
    """Heads, in small letters, of the columns of a table of terms: those of the terms, and those of their meanings."""
    terms, meanings = (frozenset(_texts()[key].split(" | ")) for key in ("term_heads", "meaning_heads"))
    return terms, meanings


@cache
def _texts() -> dict[str, Any]:
    source = files("sprout.offline").joinpath("notes", "languages.yaml")
    texts: dict[str, Any] = load_yaml(source.read_text(encoding="utf-8"))
    return texts
