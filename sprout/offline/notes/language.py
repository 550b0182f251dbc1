"""Languages of notes: their function words, and the phrases for the learner in each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

from sprout.yaml_loader import load_yaml

CODES = ("en", "de", "fr")


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases around the words of the notes. Names in braces are filled in; an empty title form is not used."""

    # edges
    uses: str
    shares: str
    beside: str
    # the words before and after saving
    opening: str
    rationale_start: str
    rationale_entry: str
    rationale_entries: str
    rationale_fork: str
    rationale_merged: str
    rationale_left_out: str
    rationale_thin: str
    rationale_end: str
    more: str
    lesson_opening: str
    lesson_closing: str
    no_more: str
    # titles
    what_is_title: str
    what_are_title: str
    why_title: str
    when_title: str
    outcome_title: str
    condition_title: str
    means_title: str
    how_title: str
    what_notes_say: str
    # questions
    cloze: str
    number: str
    described: str
    meaning: str
    define: str
    reason: str
    which_reason: str
    outcome: str
    consequence: str
    tell: str
    pair: str
    relate: str
    # wrong thoughts and criteria
    mixes_up: str
    mixes_up_claims: str
    mixes_up_reasons: str
    what_it_says: str
    kind_of_thing: str
    sets_apart: str
    the_reason: str
    the_outcome: str
    the_link: str
    link_said: str
    # little words
    and_: str
    quoted: str

    def listed(self, texts: Sequence[str]) -> str:
        """“one”, “two” and “three”."""
        quoted = [self.quoted.format(text) for text in texts]
        return "".join(quoted) if len(quoted) < 2 else f"{', '.join(quoted[:-1])} {self.and_} {quoted[-1]}"


@dataclass(frozen=True, slots=True)
class Words:
    """Sets of words of one language.

    Args:
        determiners: words that come before a noun phrase; all of them are stopwords too.
        articles: the determiners that show number and gender; indefinite: those that a definition begins with.
        generic: nouns that tell nothing unless the text marks them.
        vague_starts: words that a sentence opens with when it needs the one before it.
        verbs: frequent verbs that are nothing else; plural_verbs: those for several things.
        opens_clause: words that open a clause which is no sentence by itself.
        may_end_title: little words that a title can end with.
        trimmed_at: prepositions that what they add can be left out with; none where verbs have a second part.
        infinitive_marks: words after which a verb cannot be the last word.
        relatives: words that open a clause about the noun before them.
        points_back: words that a title cannot have in its middle, since they refer to something before.
    """

    determiners: frozenset[str]
    articles: frozenset[str]
    indefinite: frozenset[str]
    generic: frozenset[str]
    vague_starts: frozenset[str]
    verbs: frozenset[str]
    plural_verbs: frozenset[str]
    opens_clause: frozenset[str]
    may_end_title: frozenset[str]
    trimmed_at: frozenset[str]
    infinitive_marks: frozenset[str]
    relatives: frozenset[str]
    points_back: frozenset[str]


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns of one language; those with named groups take a sentence apart.

    Args:
        clause_end, and_verb: where a main clause ends, where its second verb begins.
        parts_clause: the start of a clause inside another; what follows it cannot be cut off.
        fillers: what a title can do without.
        reason_word, when_word: what a clause goes on with that gives a reason or a time.
        definition, called: what is defined, and as what; ranks: what only looks like that; parted: where it goes on.
        why_given, asks: openings that are titles themselves.
        means, how: what gives “what … means” and “how … is found”.
        conditional, when_after, reason, consequence: what happens when, and what comes of what.
    """

    clause_end: re.Pattern[str]
    fillers: re.Pattern[str]
    reason_word: re.Pattern[str]
    when_word: re.Pattern[str]
    and_verb: re.Pattern[str]
    definition: re.Pattern[str]
    called: re.Pattern[str]
    ranks: re.Pattern[str]
    why_given: re.Pattern[str]
    asks: re.Pattern[str]
    means: re.Pattern[str]
    how: re.Pattern[str]
    conditional: re.Pattern[str]
    when_after: re.Pattern[str]
    reason: re.Pattern[str]
    consequence: re.Pattern[str]
    parted: re.Pattern[str]
    parts_clause: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Language:
    """One language that notes may be in.

    Args:
        verb_endings, plural_endings: what verbs in the third person end with, and nouns for several things.
        is_: the verb of definitions.
        may_lose_article: whether a headline can begin without its article.
        inverts: whether a main clause changes its order after another clause, and cannot be quoted without it.
    """

    words: Words
    patterns: Patterns
    phrases: Phrases
    stopwords: frozenset[str]
    verb_endings: tuple[str, ...]
    plural_endings: tuple[str, ...]
    is_: str
    may_lose_article: bool
    inverts: bool


@cache
def language(code: str) -> Language:
    """The language with this code, one of `CODES`."""
    row = _texts()[code]
    words = Words(**{each.name: frozenset(row[each.name].split()) for each in fields(Words)})
    return Language(
        words=words,
        patterns=Patterns(**{each.name: re.compile(row[each.name]) for each in fields(Patterns)}),
        phrases=Phrases(**row["phrases"]),
        stopwords=words.determiners | frozenset(row["little_words"].split()),
        verb_endings=tuple(row["verb_endings"].split()),
        plural_endings=tuple(row["plural_endings"].split()),
        is_=row["is_"],
        may_lose_article=row["may_lose_article"],
        inverts=row["inverts"],
    )


@cache
def meta_sentence_pattern() -> re.Pattern[str]:
    """Finds sentences, in any of the languages, that speak of the notes and not of their subject."""
    return re.compile("|".join(_texts()[code]["meta"] for code in CODES), re.IGNORECASE)


@cache
def numbered_heading_pattern() -> re.Pattern[str]:
    """Finds “Chapter 2:” and the like at the start of a heading."""
    return re.compile(_texts()["numbered_heading"])


@cache
def skipped_section_titles() -> frozenset[str]:
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
    """Phrases of the language with this code."""
    return language(code).phrases


@cache
def _texts() -> dict[str, Any]:
    source = files("sprout.offline").joinpath("notes", "languages.yaml")
    texts: dict[str, Any] = load_yaml(source.read_text(encoding="utf-8"))
    return texts
