"""Headings as names: which of them name a subject, and which say nothing by themselves."""

import re
from functools import lru_cache

from sprout.learning.text.stems import shared_stems, stems
from sprout.offline.notes.language import CODES, empty_titles, language
from sprout.offline.notes.words import words_of
from sprout.offline.notes.worked import is_worked

MOST_WORDS, LONGEST = 14, 140  # words and characters
_SPOKEN = re.compile(r"[^\W\d_]{3}|[A-Z]{2}|[\u3040-\u9fff]{2}")  # else a formula or a number
_BEGINS = re.compile(r"[\w\"'“„«‘(\[¿¡$.§]")
_SENTENCE = re.compile(
    r"[^\W\d_]{5}[.!?] +\w|\w[?!]\w|^[a-zà-ÿ].*[.?!;,]$|(?:\S+ ){4}.*[^\W\d_]{3}[.;,]$|[{}]|://|www\."
)
_LETTERS = re.compile(r"[^\W\d_]+")


def names_subject(heading: str) -> bool:
    """Whether a heading has the form of a name: no formula, no sentence, no single case such as "Example 3"."""
    short = len(heading.split()) <= MOST_WORDS and len(heading) <= LONGEST
    named = bool(_BEGINS.match(heading) and _SPOKEN.search(heading) and not _SENTENCE.search(heading))
    cut = heading.rpartition(" ")[2].casefold() in _introducing_words() or heading.count("(") > heading.count(")")
    return short and named and not cut and not (is_worked(heading) and any(sign in heading for sign in ":：0123456789"))


@lru_cache
def _introducing_words() -> frozenset[str]:
    """Words of any language that something has to follow; of two letters at least, as in "Vitamin A"."""
    return frozenset(word for code in CODES for word in language(code).words.determiners if len(word) > 1)


@lru_cache(maxsize=4_096)
def says_nothing(title: str) -> bool:
    """Whether a title names no subject by itself, in any language: "Overview", "What is it?"."""
    words = {*_LETTERS.findall(title.casefold())} - empty_titles()
    return title.casefold() in empty_titles() or any(words <= language(code).stopwords for code in CODES)


def names_content(title: str, code: str) -> bool:
    """Whether a title alone says what stands under it, and not only what the notes do: "In this lesson"."""
    given, words = language(code), words_of(title)
    general = all(word in given.words.generic or word[0].isdigit() for word in words)
    labelled = words[:1] and words[0] in empty_titles()
    return not (general or labelled or given.patterns.meta.search(title) or says_nothing(title.rpartition(": ")[2]))


def is_about(text: str, title: str) -> bool:
    """Whether a text has most of the words of a title."""
    words = stems([title])
    return 2 * shared_stems(words, stems([text])) >= len(words)
