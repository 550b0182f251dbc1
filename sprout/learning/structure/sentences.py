"""Sentences of a text: abbreviations, initials, decimals, ordinals and formulas do not end one."""

import re
from functools import cache

from sprout.learning.structure.words import phrases, role_words

LONGEST_ABBREVIATION = 16

_END = re.compile(r"[.!?…؟۔।]+[\"'”’»“)\]]{0,3}(?=\s|$)|[。！？]+[\"”’」』）]{0,3}|\n")
_INITIAL = re.compile(r"(?:^|[\s(.-])[^\W\d_]\.$")
_ORDINAL = re.compile(r"(\S+)\s+\d{1,2}\.$")
_MATHS = re.compile(r"\$[^$\n]{1,2000}\$")
_WORD_START = re.compile(r"\s*[\"'“„«(\[¿¡]*(\S)")


def sentences_of(text: str) -> list[str]:
    """The sentences of a paragraph in order, trimmed; a forced line break ends one too.

    Formulas are recognized by the dollars around them, as `text_of` writes them.
    """
    within_formula = {at for formula in _MATHS.finditer(text) for at in range(formula.start() + 1, formula.end() - 1)}
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if end.start() not in within_formula and _ends_sentence(text, start, end):
            found.append(text[start : end.end()].strip())
            start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _ends_sentence(text: str, start: int, end: re.Match[str]) -> bool:
    if end[0] == "\n" or end[0][0] in "。！？":
        return True
    following = _WORD_START.match(text, end.end())
    if following is None:
        return True
    if following[1].islower():
        return False
    if end[0] != ".":
        return True
    said = text[max(start, end.end() - 60) : end.end()]
    return not (_INITIAL.search(said) or _is_abbreviation(said) or _is_ordinal(said))


def _is_abbreviation(said: str) -> bool:
    words = said[:-1].split()[-2:]
    last = [" ".join(words[at:]).casefold().lstrip("(\"'“„«") for at in range(len(words))]
    return any(each in _abbreviations() for each in last if len(each) <= LONGEST_ABBREVIATION)


def _is_ordinal(said: str) -> bool:
    ordinal = _ORDINAL.search(said)
    return ordinal is not None and ordinal[1].casefold() in phrases(role_words()["sentences"]["before_ordinal"])


@cache
def _abbreviations() -> frozenset[str]:
    return phrases(role_words()["sentences"]["abbreviations"])
