"""Matching of an author's phrases against a learner's answer, with the matched words.

A phrase hits where each of its words stands in one sentence, in any order: `same/equal temperature*` has an alternative
and a word that may go on. A phrase between slashes is a regular expression for the whole answer. A hit that the answer
denies ("not the same temperature") is none, unless the phrase has the denying word itself.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from sprout.learning.text.confusables import unaccented

LONGEST_ANSWER = 4_000  # characters that are read
LONGEST_SPAN = 400  # of a pattern that only looks ahead, and so has no words of its own
NEGATION_REACH = 3  # words by which a denying word may stand before what it denies

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+|[^\w\s]")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|[。！？;]|\n+")
_CLAUSE_ENDS = frozenset(", : ( ) – — but yet aber sondern mais because weil car while whereas".split())
_NEGATIONS = frozenset(
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


def match_phrase(phrase: str, answer: str) -> str | None:
    """The words of the answer in which the phrase hits, as they stand there, as few as may be; None where it does not.

    Raises re.error: the phrase is between slashes and no regular expression.
    """
    read = answer[:LONGEST_ANSWER]
    if is_pattern(phrase):
        found = _compile_pattern(phrase).search(read)
        return (found[0].strip() or read.strip()[:LONGEST_SPAN]) if found else None
    wanted = _parse_phrase(phrase)
    windows = sorted(
        (tokens[last].end - tokens[first].start, tokens[first].start, tokens[last].end)
        for tokens in tokenize_sentences(read)
        for first, last in _match_spans(tokens, wanted)
    )
    return read[windows[0][1] : windows[0][2]] if windows else None


def contains_negation(text: str) -> bool:
    """Return True if the text contains a negation; two negations cancel out."""
    return sum(token.word in _NEGATIONS for tokens in tokenize_sentences(text) for token in tokens) % 2 == 1


def is_pattern(phrase: str) -> bool:
    return len(phrase) > 2 and phrase.startswith("/") and phrase.endswith("/")


def tokenize_sentences(text: str) -> list[list[_Token]]:
    """The words and signs of each sentence, folded, with the places where they stand."""
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    parts = [
        [_Token(_folded(found[0]), *found.span()) for found in _TOKEN.finditer(text, start, end)]
        for start, end in pairwise(ends)
    ]
    return [tokens for tokens in parts if tokens]


@cache
def _compile_pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(phrase[1:-1])


@cache
def _parse_phrase(phrase: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
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


def _match_spans(tokens: Sequence[_Token], wanted: Sequence[Sequence[tuple[str, ...]]]) -> Iterator[tuple[int, int]]:
    """The first and the last token of each stretch that has all words of a phrase and is not denied."""
    places = [sorted(_word_positions(tokens, alternatives)) for alternatives in wanted]
    if not places or not all(places):
        return
    own = {tokens[at].word for found in places for first, last in found for at in range(first, last + 1)}
    for start in sorted({first for found in places for first, _ in found}):
        nearest = [next((place for place in found if place[0] >= start), None) for found in places]
        chosen = [place for place in nearest if place is not None]
        if len(chosen) == len(places):
            matched = {at for first, last in chosen for at in range(first, last + 1)}
            if not _is_negated(tokens, matched, own):
                yield min(matched), max(matched)


def _word_positions(tokens: Sequence[_Token], alternatives: Sequence[tuple[str, ...]]) -> Iterator[tuple[int, int]]:
    """Positions of the alternatives in the text: first and last token of each match."""
    for words in alternatives:
        for at in range(len(tokens) - len(words) + 1):
            if all(_matches_word(tokens[at + more].word, word) for more, word in enumerate(words)):
                yield at, at + len(words) - 1


def _matches_word(token: str, word: str) -> bool:
    return token.startswith(word[:-1]) if len(word) > 1 and word.endswith("*") else token == word


def _is_negated(tokens: Sequence[_Token], matched: set[int], own: set[str]) -> bool:
    """Return True if a negation stands among the phrase's words or shortly before one, in the same clause.

    A phrase that contains a negation itself is never negated.
    """
    if own & _NEGATIONS:
        return False
    for at in range(max(0, min(matched) - NEGATION_REACH), max(matched)):
        if tokens[at].word not in _NEGATIONS:
            continue
        following = min(one for one in matched if one > at)
        between = (tokens[one].word for one in range(at + 1, following))
        if not any(word in _CLAUSE_ENDS for word in between):
            return True
    return False


def _folded(word: str) -> str:
    return unaccented(word).replace("'", "").replace("’", "").replace(",", "." if word[:1].isdigit() else ",")
