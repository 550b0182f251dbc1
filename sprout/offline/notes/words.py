"""Words of notes: what counts as one, whether a sentence stands alone, and light stems."""

import re
from collections.abc import Collection, Iterable
from unicodedata import normalize

from sprout.learning.text.normalization import without_categories
from sprout.offline.notes.language import language

WORD = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_ELISION = re.compile(r"^(?:[ldjnscmt]|qu|un|(?:d|n|s|a)(?:a|e|u)?ll|dall)['’]", re.IGNORECASE)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_GERMAN_ENDINGS = ("ern", "en", "er", "es", "e", "n", "s")
LEAST_STEM = 4
LEAST_ROOT = 3
FIRST_GREEK = "\u0370"  # letters before it are Latin
CHARACTERS_A_WORD = 2  # of scripts that do not part words by spaces


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, in lower case, without elisions of French and Italian."""
    return [without_elision(word).casefold() for word in WORD.findall(text)]


def word_count(text: str) -> int:
    """The number of words; scripts without spaces have one for every two characters."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // CHARACTERS_A_WORD


def without_elision(word: str) -> str:
    """French "l'eau" as "eau"; any other word as it is."""
    return _ELISION.sub("", word)


def needs_context(sentence: str, code: str) -> bool:
    """Return True if a sentence needs the one before it: it opens with a pronoun or a connecting word."""
    words, given = words_of(sentence), language(code).words
    if not words or (words[0] in given.prepositions and words[1:2] and words[1] in given.vague_starts):
        return True
    if code == "de" and words[0] in given.articles:  # “das” is a pronoun only where no noun follows
        return not any(word[:1].isupper() for word in sentence.split()[1:3])
    return words[0] in given.vague_starts


def gives_away(text: str, term: str) -> bool:
    """Whether all words of a term stand in a text, in whatever form: "priority" in "in base alla priorità"."""
    roots, said = _roots(term), _bare(text)
    return bool(roots) and all(root in said for root in roots)


def singles_out(asked: str, right: str, wrong: Iterable[str] = (), *, code: str) -> bool:
    """Whether a question and its right option share a word, in whatever form, that no wrong option has.

    "When the mouse moves" singles out "onmousemove", and "history of logs" the option "git log".
    """
    options = [_bare(option) for option in wrong]
    stopwords = language(code).stopwords
    in_right = [root for root in _roots(asked, stopwords) if root in _bare(right)]
    in_asked = [root for root in _roots(right, stopwords) if root in _bare(asked)]
    return any(not any(root in option for option in options) for root in (*in_right, *in_asked))


def _roots(text: str, stopwords: Collection[str] = ()) -> list[str]:
    """The beginnings of the words, as long as related words are alike, without accents."""
    return [
        _bare(word)[: max(LEAST_STEM, len(word) * 3 // 5)]
        for joined in map(without_elision, WORD.findall(text))
        for word in joined.split("-")
        if len(word) >= LEAST_ROOT and word.casefold() not in stopwords
    ]


def _bare(text: str) -> str:
    """The text in small letters without accents."""
    return without_categories(normalize("NFD", text.casefold()), ("Mn",))


def stem(word: str, code: str) -> str:
    """A light stem: enough to join singular and plural, never meant to be shown.

    Not one of snowballstemmer: its stems cross word classes, and would make one term of two concepts, such as relation
    and relativity, or product and production.
    """
    if code == "de":
        for ending in _GERMAN_ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
                return word[: -len(ending)]
        return word
    if code == "it":
        return word[:-1] if len(word) > LEAST_STEM and word[-1] in "aeio" else word
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if code == "en" and len(word) > 5 and word.endswith("oes"):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def key_of(phrase: str, code: str) -> str:
    """The stems of a phrase, its determiners at the start left out: equal for all forms of a term."""
    words = words_of(phrase)
    while len(words) > 1 and words[0] in language(code).words.determiners:
        words = words[1:]
    return " ".join(stem(word, code) for word in words)
