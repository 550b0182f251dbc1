"""The option of a choice that own words seem to mean: asked about, never marked (A11)."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.attempts import only_acknowledges
from sprout.learning.marking.choices import Option
from sprout.learning.marking.number_words import with_digits
from sprout.learning.marking.typed_choice import (
    MAX_ANSWER_LENGTH,
    clauses_of,
    without_taken_back,
    words_of,
)
from sprout.learning.text.confusables import plain
from sprout.learning.text.stems import stems

_ALIKE = 80  # of 100, as rapidfuzz counts: "defeet"
_SHARE = 0.5
_SHORTEST_WITH_SLIPS = 5  # characters
_LONGEST_NO, _LONGEST_YES = 3, 8  # words
_APOSTROPHE = re.compile("['’`´]")
_INNER_CAPITAL = re.compile("(?<=[a-z])(?=[A-Z])")
_NUMBER = re.compile(r"\d{2,}")


def meant_option(options: Sequence[Option], text: str) -> Option | None:
    """The only option that has half of the words of the first clause, else of all, to itself.

    Whether it is meant, only the learner can say: "the economy does not recover" shares its words with what it denies.
    """
    if len(text) > MAX_ANSWER_LENGTH:
        return None
    said = without_taken_back(text)
    first = " ".join(next(clauses_of(said), []))
    return _only_option(options, first) or _only_option(options, said)


def confirms(text: str) -> bool:
    """Whether the words begin with a "yes", and not with a "yes, but"."""
    first, second = [*plain(text).split(), "", ""][:2]
    return first in words_of("confirmations") and second not in words_of("negations") | words_of("objections")


def only_confirms(text: str) -> bool:
    """Whether the words say nothing but "yes", "that's it" or "the same as before"."""
    words = plain(_APOSTROPHE.sub("", text)).split()
    known = words_of("confirmations") | words_of("fillers") | words_of("references")
    is_sure = words_of("negations").isdisjoint(words) and not says_nothing(text) and not only_acknowledges(text)
    return 0 < len(words) <= _LONGEST_YES and known.issuperset(words) and is_sure and "?" not in text


def denies(text: str) -> bool:
    """Whether the words are a "no"."""
    words = plain(text).split()
    return 0 < len(words) <= _LONGEST_NO and words[0] in words_of("negations") | words_of("denials")


def _only_option(options: Sequence[Option], text: str) -> Option | None:
    said, all_marks = _marks(text), [_marks(option.text) for option in options]
    found: list[Option] = []
    for at, option in enumerate(options):
        others = frozenset[str]().union(*all_marks[:at], *all_marks[at + 1 :])
        shared = sum(_is_said(mark, said) for mark in all_marks[at] - others)
        if shared and shared >= _SHARE * len(said):
            found.append(option)
        elif shared:
            return None
    return found[0] if len(found) == 1 else None


def _marks(text: str) -> frozenset[str]:
    """Content words of a text, as stems, and its numbers, which tell it from others."""
    return stems([_INNER_CAPITAL.sub(" ", text)]) | frozenset(_NUMBER.findall(with_digits(text)))


def _is_said(mark: str, said: frozenset[str]) -> bool:
    if mark in said:
        return True
    return len(mark) >= _SHORTEST_WITH_SLIPS and any(
        len(word) >= _SHORTEST_WITH_SLIPS and fuzz.ratio(mark, word) >= _ALIKE for word in said
    )
