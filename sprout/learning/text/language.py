"""Language of a text, by its frequent words."""

import re
from functools import cache

DEFAULT_LANGUAGE = "en"

_WORD = re.compile(r"[^\W\d_]+")
# Words that are frequent in one language and rare in the others.
_FREQUENT_WORDS = {
    "en": "the of is and what how that it this with for are not i my you because does why",
    "de": "der die das und ist nicht ich ein eine was wie warum mit auf für wird sich den dem mein weil wenn",
    "fr": "le les des et est que je une dans pour pas qui du pourquoi comment avec mon parce ce il elle",
    "es": "el los las y es que yo una en por para con no qué cómo porque mi lo del se un",
}


def detect_language(*texts: str) -> str:
    """The most likely language of the texts, among those with frequent words; English by default."""
    words = [word for text in texts for word in _WORD.findall(text.lower())]
    counts = {language: sum(word in frequent for word in words) for language, frequent in _frequent_words().items()}
    best = max(counts, key=lambda language: (counts[language], language == DEFAULT_LANGUAGE))
    return best if counts[best] else DEFAULT_LANGUAGE


@cache
def _frequent_words() -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in _FREQUENT_WORDS.items()}
