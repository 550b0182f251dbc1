"""Language of a text, by its script, its frequent words and its letters."""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

PageLanguage = Literal["en", "de"]
"""A language in which the page, the calendar and mails are written."""
DEFAULT_LANGUAGE = "en"
TAUGHT_LANGUAGES = ("en", "de", "fr", "es", "it", "pt")  # of the tutor's own sentences

_WORD = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")


def detect_language(*texts: str, among: Collection[str] = TAUGHT_LANGUAGES, default: str = DEFAULT_LANGUAGE) -> str:
    """The most likely language of the texts as a whole; the default where nothing tells one."""
    words = (found[0] for text in texts for found in _WORD.finditer(text.lower()))
    return leading_language(words, among=among) or default


def leading_language(words: Iterable[str], *, among: Collection[str] | None = None, least: int = 1) -> str | None:
    """The code of the language that most words are signs of; the first of several, None where too few are.

    Args:
        words: in small letters.
        among: the languages that it may be, English first where it is one of them; None for all.
        least: the number of signs that it takes.
    """
    said = list(words)
    possible = frozenset(_tables()["words"] if among is None else among)
    if among is None and (script := _script_of(said)):
        return script
    signs = Counter(language for word in said for language in _languages_told(word, possible))
    likely = {language: count for language, count in signs.items() if count >= least}
    order = [language for language in _tables()["words"] if language in likely]
    return max(order, key=lambda language: likely[language], default=None)


@cache
def frequent_words() -> frozenset[str]:
    """Words that say little, in small letters, of all the languages that are told apart."""
    return frozenset(_languages_of_words())


def _languages_told(word: str, possible: frozenset[str]) -> frozenset[str]:
    """The languages that a word is a sign of; none if it is one of all that are possible."""
    found = _languages_of_words().get(word, frozenset()) & possible
    found = found or frozenset(one for one, letters in _tables()["letters"].items() if set(letters) & set(word))
    return found & possible if found != possible else frozenset()


def _script_of(words: Iterable[str]) -> str | None:
    """The language of the first letter's script; None for Latin letters and unknown ones."""
    letter = next((found[0] for word in words if (found := _LETTER.match(word))), "a")
    scripts = _tables()["scripts"].items()
    return next((language for language, letters in scripts if letters[0] <= letter <= letters[-1]), None)


@cache
def _languages_of_words() -> Mapping[str, frozenset[str]]:
    """Frequent word → the languages that it is frequent in."""
    found: dict[str, set[str]] = {}
    for language, words in _tables()["words"].items():
        for word in words.split():
            found.setdefault(word, set()).add(language)
    return {word: frozenset(languages) for word, languages in found.items()}


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    source = files("sprout.learning.text").joinpath("languages.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))
