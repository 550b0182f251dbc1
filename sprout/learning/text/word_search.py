"""Search by words and phrases: what a query asks for, and which texts have it, best first.

A database's index finds the candidates by the beginnings of words, and what is here decides by stems. So a search finds
the same on every database and in every language, and no index has to know the language of a text.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from unicodedata import normalize

from sprout.learning.text.stemmers import stem_in, stemmer_language, unaccented

MOST_WORDS = 16
HEADING_WEIGHT = 2.0
STEM_WEIGHT, BEGINNING_WEIGHT = 0.9, 0.5  # against 1 for the word as it was asked for

ACCENTED = {"a": "äáàâã", "e": "éèê", "i": "íî", "o": "öóôõ", "u": "üú", "c": "ç", "n": "ñ"}

_WORD = re.compile(r"\w+")
_PARTS = re.compile(r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|(\w+)")


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """Words of a query, and phrases in quotation marks, in small letters; a text must have one of the phrases."""

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def parse(cls, text: str) -> "SearchQuery":
        """The query of a text; nothing in it is syntax but pairs of quotation marks."""
        words: list[str] = []
        phrases: list[tuple[str, ...]] = []
        left = MOST_WORDS
        for found in _PARTS.finditer(normalize("NFC", text).lower()):
            quoted = next(filter(None, found.groups()[:-1]), None)
            told = _WORD.findall(quoted or found[0])[:left]
            left -= len(told)
            if quoted and told:
                phrases.append(tuple(told))
            else:
                words += told
        return cls(tuple(dict.fromkeys(words)), tuple(dict.fromkeys(phrases)))


@dataclass(frozen=True, slots=True)
class SearchedText:
    """A text with its heading."""

    heading: str
    text: str


def beginning_of(word: str) -> str:
    """Common beginning of all forms of a word, accents apart, by which the candidates of a search are found."""
    return word[: 3 if len(word) < 8 else 4 if len(word) < 10 else 5]


def rank(query: SearchQuery, texts: Sequence[SearchedText]) -> list[int]:
    """Indexes of the texts that match, best first; a text before others that are as good.

    A word matches in all its forms, and so does one that begins with it; the words of a phrase stand one after another.
    """
    counted = [_Counted.of(query, text) for text in texts]
    weights = [
        math.log(1 + (len(texts) + 0.5) / (sum(bool(each.counts[at]) for each in counted) + 0.5))
        for at in range(len(query.words) + len(query.phrases))
    ]
    mean = sum(each.length for each in counted) / max(1, len(counted))
    scores = [each.score(weights, mean, phrases=len(query.phrases)) for each in counted]
    return sorted((at for at, score in enumerate(scores) if score), key=lambda at: -scores[at])


@dataclass(frozen=True, slots=True)
class _Counted:
    """Weighted counts of each word and then each phrase in a text, and its length in characters."""

    counts: tuple[float, ...]
    length: int

    @classmethod
    def of(cls, query: SearchQuery, searched: SearchedText) -> "_Counted":
        heading, text = (normalize("NFC", each).lower() for each in (searched.heading, searched.text))
        language = stemmer_language(found[0] for found in _WORD.finditer(text))
        words = [_Matcher(word, language) for word in query.words]
        phrases = [[_Matcher(word, language) for word in phrase] for phrase in query.phrases]

        def count(said: str) -> Iterator[float]:
            yield from (sum(matcher.weight(found) for found in matcher.candidates(said)) for matcher in words)
            yield from (float(sum(1 for _ in _places(phrase, said))) for phrase in phrases)

        counts = (HEADING_WEIGHT * above + below for above, below in zip(count(heading), count(text), strict=True))
        return cls(tuple(counts), max(1, len(text)))

    def score(self, weights: Sequence[float], mean_length: float, *, phrases: int) -> float:
        """BM25 over the weighed counts; 0 without any of the phrases."""
        if phrases and not any(self.counts[-phrases:]):
            return 0.0
        norm = 1.2 * (0.25 + 0.75 * self.length / mean_length)
        return sum(
            weight * count * 2.2 / (count + norm) for weight, count in zip(weights, self.counts, strict=True) if count
        )


@dataclass(frozen=True, slots=True)
class _Matcher:
    """A word of a query in the language of a text."""

    word: str
    language: str

    def candidates(self, text: str) -> list[str]:
        """The words of the text that begin as this one does."""
        found: list[str] = _beginning_pattern(self.word).findall(text)
        return found

    def weight(self, word: str) -> float:
        """How well a word of the text matches."""
        if word == self.word:
            return 1.0
        if self.has_form(word):
            return STEM_WEIGHT
        return BEGINNING_WEIGHT if unaccented(word).startswith(unaccented(self.word)) else 0.0

    def has_form(self, word: str) -> bool:
        """Whether it is a form of this word."""
        return stem_in(self.language, word) == stem_in(self.language, self.word) or unaccented(word) == unaccented(
            self.word
        )


@lru_cache(maxsize=256)
def _beginning_pattern(word: str) -> re.Pattern[str]:
    """The words with the beginning of a word, with and without accents."""
    letters = (unaccented(letter) or letter for letter in beginning_of(word))
    classes = (f"[{re.escape(letter)}{ACCENTED.get(letter, '')}]" if len(letter) == 1 else letter for letter in letters)
    return re.compile(rf"(?<!\w){''.join(classes)}\w*")


def _places(phrase: Sequence[_Matcher], text: str) -> Iterator[int]:
    """Where the words of a phrase stand one after another."""
    for first in _beginning_pattern(phrase[0].word).finditer(text):
        following = islice(_WORD.finditer(text, first.end()), len(phrase) - 1)
        words = [first[0], *(found[0] for found in following)]
        if len(words) == len(phrase) and all(map(_Matcher.has_form, phrase, words)):
            yield first.start()
