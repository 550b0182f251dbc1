"""The option of a choice that own words seem to mean: asked about, never marked (A11)."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.attempts import complains, only_acknowledges
from sprout.learning.marking.choice_clauses import clauses_of, without_taken_back, words_of
from sprout.learning.marking.choices import Option
from sprout.learning.marking.number_words import with_digits
from sprout.learning.marking.ordinals import place_of
from sprout.learning.marking.typed_choice import MAX_ANSWER_LENGTH
from sprout.learning.text.confusables import plain
from sprout.learning.text.stems import stems

_ALIKE = 80  # of 100, as rapidfuzz counts: "defeet"
_SHARE = 1 / 3  # of the marks that are said
_SHORTEST_STEM, _LONGEST_ENDING, _SHORTEST_PART = 3, 2, 4  # characters
_SHORTEST_WITH_SLIPS = 5  # characters
_LONGEST_NO, _LONGEST_YES = 3, 8  # words
_APOSTROPHE = re.compile("['’`´]")
_INNER_CAPITAL = re.compile("(?<=[a-z])(?=[A-Z])")
_NUMBER = re.compile(r"\d{2,}")
_DENIED = frozenset({"not"})


def meant_option(options: Sequence[Option], text: str) -> Option | None:
    """The option that shares more content words than any other with the text, else with its first clause, and a third
    of those at least; else the only one that any of its clauses seems to mean. Of two that share the same number, it is
    the one that says less besides, then the one with more of the very words.

    Whether it is meant, only the learner can say: "the economy does not recover" shares its words with what it denies.
    """
    if len(text) > MAX_ANSWER_LENGTH or complains(text):
        return None
    said = without_taken_back(text)
    if not stems([said]):
        found = _only_option(options, text)  # "just not write it down", for an option that denies as much
        return found if found is not None and _denies(found.text) else None
    first, *others = [" ".join(clause) for clause in clauses_of(said)] or [""]
    has_reason = not words_of("reasons").isdisjoint(plain(said).split())
    is_denied_later = _denies(said) and not (_denies(first) or has_reason)
    if (found := _only_option(options, said)) is not None or is_denied_later:
        return found
    found = _only_option(options, first)
    by_clauses = {one for clause in others if (one := _only_option(options, clause)) is not None}
    return next(iter(by_clauses)) if found is None and len(by_clauses) == 1 else found


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
    said, words = _marks(text), frozenset(plain(text).split()) - words_of("fillers")
    ranks = [(*_rank(said, _marks(option.text)), len(words & {*plain(option.text).split()})) for option in options]
    best = max(ranks, default=(0, 0.0, 0))
    is_one = best[0] and best[0] >= _SHARE * len(said) and ranks.count(best) == 1
    return options[ranks.index(best)] if is_one else None


def _rank(said: frozenset[str], option: frozenset[str]) -> tuple[int, float]:
    """Number of the text's marks that the option has, and the share of the option's own that this is.

    That both deny something counts only beside other marks.
    """
    shared = sum(any(_same_mark(one, other) for other in option) for one in said - _DENIED)
    shared += bool(shared and said & option >= _DENIED)
    return shared, shared / len(option) if shared > 1 else 0.0


def _marks(text: str) -> frozenset[str]:
    """Content words of a text, as stems, its numbers and places, in whatever form, and whether it denies anything."""
    words = plain(_INNER_CAPITAL.sub(" ", text)).split()
    places = (place_of(word) for word in words)
    numbers = frozenset(f"{place + 1}" for place in places if place is not None and place >= 0)
    denied = _DENIED if _denies(text) else frozenset()
    return stems([" ".join(words)]) - _DENIED | numbers | frozenset(_NUMBER.findall(with_digits(text))) | denied


def _denies(text: str) -> bool:
    return not words_of("negations").isdisjoint(plain(_APOSTROPHE.sub("", text)).split())


def _same_mark(one: str, other: str) -> bool:
    """Whether two marks are one word but for inflection, a slip, or a part of a compound: "powder", "gunpowder"."""
    short, long = sorted((one, other), key=len)
    if one == other or short.isdecimal():
        return one == other
    is_inflected = len(short) >= _SHORTEST_STEM and long.startswith(short) and len(long) - len(short) <= _LONGEST_ENDING
    is_part = len(short) >= _SHORTEST_PART and (long.startswith(short) or long.endswith(short))
    is_slip = len(short) >= _SHORTEST_WITH_SLIPS and fuzz.ratio(one, other) >= _ALIKE
    return is_inflected or is_part or is_slip
