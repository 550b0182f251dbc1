"""What a learner is told where no model says it, in their language, from `standard_words.toml`."""

import re
import tomllib
from functools import cache
from importlib.resources import files

DEFAULT = "en"

_WORD = re.compile(r"[^\W\d_]+")
# Words that stand in nearly every sentence of one language and in hardly any of the others.
_TELLING = {
    "en": "the of is and what how that it this with for are not i my you because does why",
    "de": "der die das und ist nicht ich ein eine was wie warum mit auf für wird sich den dem mein weil wenn",
    "fr": "le les des et est que je une dans pour pas qui du pourquoi comment avec mon parce ce il elle",
    "es": "el los las y es que yo una en por para con no qué cómo porque mi lo del se un",
}


def words_for(name: str, language: str, /, **values: object) -> str:
    """The words of that name in the language, in English where it is not known. Raises KeyError."""
    known = _words()
    return known.get(language, known[DEFAULT])[name].format(**values)


def language_of(*texts: str) -> str:
    """The language that most words of the texts speak for, among those that there are words for."""
    said = [word for text in texts for word in _WORD.findall(text.lower())]
    counts = {language: sum(word in telling for word in said) for language, telling in _telling().items()}
    best = max(counts, key=lambda language: (counts[language], language == DEFAULT))
    return best if counts[best] else DEFAULT


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("sprout.learning.lessons").joinpath("standard_words.toml").read_text(encoding="utf-8"))


@cache
def _telling() -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in _TELLING.items()}
