"""Whether a phrase that an author has written down hits in a learner's answer, and in which of its words.

A phrase hits where each of its words stands in one sentence, in any order: `same/equal temperature*` has an alternative
and a word that may go on. A phrase between slashes is a regular expression for the whole answer. A hit that the answer
denies ("not the same temperature") is none, unless the phrase has the denying word itself.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from sprout.learning.text.plain import unaccented

LONGEST_ANSWER = 4_000  # characters that are read
LONGEST_SPAN = 400  # of a pattern that only looks ahead, and so has no words of its own
REACH = 3  # words by which a denying word may stand before what it denies

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+|[^\w\s]")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|[。！？;]|\n+")
_CLAUSE_ENDS = frozenset(", : ( ) – — but yet aber sondern mais because weil car while whereas".split())
_DENYING = frozenset(
    """
    not no never none nor neither without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt couldnt
    shouldnt hasnt havent hadnt aint nicht kein keine keinen keinem keiner keines nie niemals ohne weder ne pas jamais
    sans aucun aucune ni
    """.split()
)


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    start: int
    end: int


def span_of(phrase: str, answer: str) -> str | None:
    """The words of the answer in which the phrase hits, as they stand there, as few as may be; None where it does not.

    Raises re.error: the phrase is between slashes and no regular expression.
    """
    read = answer[:LONGEST_ANSWER]
    if is_pattern(phrase):
        found = _compiled(phrase).search(read)
        return (found[0].strip() or read.strip()[:LONGEST_SPAN]) if found else None
    wanted = _wanted(phrase)
    windows = sorted(
        (tokens[last].end - tokens[first].start, tokens[first].start, tokens[last].end)
        for tokens in sentences(read)
        for first, last in _windows(tokens, wanted)
    )
    return read[windows[0][1] : windows[0][2]] if windows else None


def denies(text: str) -> bool:
    """Whether a word of the text denies something; two of them take each other back."""
    return sum(token.word in _DENYING for tokens in sentences(text) for token in tokens) % 2 == 1


def is_pattern(phrase: str) -> bool:
    return len(phrase) > 2 and phrase.startswith("/") and phrase.endswith("/")


def sentences(text: str) -> list[list[_Token]]:
    """The words and signs of each sentence, folded, with the places where they stand."""
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    parts = [
        [_Token(_folded(found[0]), *found.span()) for found in _TOKEN.finditer(text, start, end)]
        for start, end in pairwise(ends)
    ]
    return [tokens for tokens in parts if tokens]


@cache
def _compiled(phrase: str) -> re.Pattern[str]:
    return re.compile(phrase[1:-1])


@cache
def _wanted(phrase: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """For each word of the phrase its alternatives, each as one or more folded words that follow one another."""
    return tuple(tuple(filter(None, map(_alternative, _alternatives(word)))) for word in phrase.split())


def _alternatives(word: str) -> list[str]:
    return [word] if word == "/" else [part for part in word.split("/") if part]


def _alternative(text: str) -> tuple[str, ...]:
    bare = text if text == "*" else text.removesuffix("*")
    words = [_folded(found[0]) for found in _TOKEN.finditer(bare) if found[0] != "-" or bare == "-"]
    if words and bare != text:
        words[-1] += "*"
    return tuple(words)


def _windows(tokens: Sequence[_Token], wanted: Sequence[Sequence[tuple[str, ...]]]) -> Iterator[tuple[int, int]]:
    """The first and the last token of each stretch that has all words of a phrase and is not denied."""
    places = [sorted(_places(tokens, alternatives)) for alternatives in wanted]
    if not places or not all(places):
        return
    own = {tokens[at].word for found in places for first, last in found for at in range(first, last + 1)}
    for start in sorted({first for found in places for first, _ in found}):
        nearest = [next((place for place in found if place[0] >= start), None) for found in places]
        chosen = [place for place in nearest if place is not None]
        if len(chosen) == len(places):
            said = {at for first, last in chosen for at in range(first, last + 1)}
            if not _denied(tokens, said, own):
                yield min(said), max(said)


def _places(tokens: Sequence[_Token], alternatives: Sequence[tuple[str, ...]]) -> Iterator[tuple[int, int]]:
    """Where one of the alternatives stands: its first and its last token."""
    for words in alternatives:
        for at in range(len(tokens) - len(words) + 1):
            if all(_fits(tokens[at + more].word, word) for more, word in enumerate(words)):
                yield at, at + len(words) - 1


def _fits(said: str, word: str) -> bool:
    return said.startswith(word[:-1]) if len(word) > 1 and word.endswith("*") else said == word


def _denied(tokens: Sequence[_Token], said: set[int], own: set[str]) -> bool:
    """Whether a denying word stands among the words of the phrase or shortly before one of them, in the same clause; a
    phrase that has such a word itself says what it means."""
    if own & _DENYING:
        return False
    for at in range(max(0, min(said) - REACH), max(said)):
        if tokens[at].word not in _DENYING:
            continue
        following = min(one for one in said if one > at)
        between = (tokens[one].word for one in range(at + 1, following))
        if not any(word in _CLAUSE_ENDS for word in between):
            return True
    return False


def _folded(word: str) -> str:
    return unaccented(word).replace("'", "").replace("’", "").replace(",", "." if word[:1].isdigit() else ",")
