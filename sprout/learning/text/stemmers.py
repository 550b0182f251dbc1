"""Stems of words by the language of the text that they stand in, for searching; from snowballstemmer."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from unicodedata import combining, normalize

import snowballstemmer

DEFAULT_LANGUAGE = "english"
WORDS_FOR_LANGUAGE = 80
LEAST_FREQUENT_WORDS = 4  # fewer may be names and abbreviations
_CACHED_STEMS = 50_000  # a stem takes about 400 µs, and each search meets the same words again
_LETTER = re.compile(r"[^\W\d_]")


@lru_cache(maxsize=_CACHED_STEMS)
def unaccented(text: str) -> str:
    """The text in small letters without accents: "Größe" and "grosse" are one."""
    if text.isascii():
        return text.lower()
    return "".join(sign for sign in normalize("NFKD", text.casefold()) if not combining(sign))


def stemmer_language(words: Iterable[str]) -> str:
    """The stemmer for a text: by its letters, else by its frequent words; English where they are few.

    Args:
        words: the first words of the text, in small letters.
    """
    first = [word for word, _ in zip(words, range(WORDS_FOR_LANGUAGE), strict=False)]
    letter = next((found[0] for word in first if (found := _LETTER.match(word))), "a")
    for language, (start, end) in _scripts().items():
        if start <= letter <= end:
            return language
    counts = Counter(language for word in first for language in _languages_of_words().get(word, ()))
    likely = [language for language, count in counts.items() if count >= LEAST_FREQUENT_WORDS]
    return max(likely, key=lambda language: (counts[language], language == DEFAULT_LANGUAGE), default=DEFAULT_LANGUAGE)


@lru_cache(maxsize=_CACHED_STEMS)
def stem_in(language: str, word: str) -> str:
    """The stem of a word in small letters, without accents."""
    return unaccented(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(language)


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    source = files("sprout.learning.text").joinpath("stemmers.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def _languages_of_words() -> Mapping[str, Sequence[str]]:
    """Frequent word → the languages that it is frequent in; a letter alone may be anything."""
    found: dict[str, list[str]] = {}
    for language, words in _tables()["words"].items():
        for word in (each for each in words.split() if len(each) > 1):
            found.setdefault(word, []).append(language)
    return found


@cache
def _scripts() -> Mapping[str, tuple[str, str]]:
    return {language: (letters[0], letters[-1]) for language, letters in _tables()["scripts"].items()}
