"""Stems of words by the language of the text that they stand in, for searching; from snowballstemmer."""

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import islice
from unicodedata import combining, normalize

import snowballstemmer

from sprout.learning.text.language import DEFAULT_LANGUAGE, leading_language

WORDS_FOR_LANGUAGE = 80
LEAST_SIGNS = 4  # fewer may be names and abbreviations
_CACHED_STEMS = 50_000  # a stem takes about 400 µs, and each search meets the same words again

_STEMMERS = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian", "pt": "portuguese",
    "nl": "dutch", "sv": "swedish", "da": "danish", "no": "norwegian", "fi": "finnish", "pl": "polish", "cs": "czech",
    "ro": "romanian", "hu": "hungarian", "tr": "turkish", "ru": "russian", "el": "greek", "ar": "arabic",
    "hy": "armenian", "hi": "hindi", "ta": "tamil",
    "id": "indonesian", "ca": "catalan",
}  # fmt: skip


@lru_cache(maxsize=_CACHED_STEMS)
def unaccented(text: str) -> str:
    """The text in small letters without accents: "Größe" and "grosse" are one."""
    if text.isascii():
        return text.lower()
    return "".join(sign for sign in normalize("NFKD", text.casefold()) if not combining(sign))


def stemmer_language(words: Iterable[str]) -> str:
    """The language of a text by its first words, in small letters; English where they tell little or no stemmer is."""
    found = leading_language(islice(words, WORDS_FOR_LANGUAGE), least=LEAST_SIGNS)
    return found if found in _STEMMERS else DEFAULT_LANGUAGE


@lru_cache(maxsize=_CACHED_STEMS)
def stem_in(language: str, word: str) -> str:
    """The stem of a word in small letters, without accents."""
    return unaccented(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(_STEMMERS[language])
