"""Own words for an option: the one that alone has all of them (A11).

Nothing is guessed: the words stand in one option in their order, or in no other option at all, and a denial stands in
both or in none. A word that no option has, unless it is a little one, leaves the choice to the learner. What an option
gives as its reason is not enough: others may say it as well.
"""

import re
from collections.abc import Iterable, Sequence, Set

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from sprout.learning.marking.choice_clauses import clauses_of, words_alone, words_of
from sprout.learning.marking.choices import Option
from sprout.learning.marking.number_words import with_digits
from sprout.learning.marking.ordinals import ordinals
from sprout.learning.text.confusables import plain
from sprout.learning.text.stems import content_words, stem

_TWO = 2
_LONGEST = 16  # words
_SHORTEST, _LONGEST_ENDING = 3, 2  # letters
_NEARLY_ALIKE, _SHORTEST_WITH_SLIPS = 85, 5  # of 100, as rapidfuzz counts, for stems of so many letters
_NOT, _NONE = "not", "nothing"
_DENIALS = frozenset({_NOT, _NONE})
_LETTERS = "ai"  # that are words
_INNER_CAPITAL = re.compile("(?<=[a-z])(?=[A-Z])")
_TWO_WORDS = re.compile(r"\b([^\W\d_]{3,}) (?=([^\W\d_]{3,})\b)")
_DOUBLED = re.compile(r"([^\W\d_])\1\Z")

Row = tuple[str, ...]  # stems and numbers of a text, in their order; a denial is "not", or "nothing" where it is of all


def by_own_words(options: Sequence[Option], text: str) -> list[Option]:
    """The option that alone has the words of the text, or of what comes before its reason; or two that both have them.
    A letter or a place may stand for an option instead. Where the text is a run of words of others, these too."""
    text = _compounds_joined(options, text)
    meant = _meant_options(options, text)
    quoted = [option for option in options if _is_quoted(text, option)] if meant else []
    return [*meant, *(option for option in quoted if option not in meant)]


def _compounds_joined(options: Sequence[Option], text: str) -> str:
    """The text with two neighbouring words as one where an option has them so: "gun powder"."""
    own = {word for option in options for word in words_alone(option.text).split()}
    return _TWO_WORDS.sub(lambda found: found[1] if plain(found[1] + found[2]) in own else found[0], text)


def _is_quoted(text: str, option: Option) -> bool:
    return f" {words_alone(text)} " in f" {words_alone(option.text)} "


def _meant_options(options: Sequence[Option], text: str) -> list[Option]:
    words = words_alone(text).split()
    if "?" in text or len(words) > _LONGEST or _names_place(options, words):
        return []
    if (same := _with_same_content(options, text)) is not None:
        return [same]
    rows = [tuple(map(stem, _words(option.text))) for option in options]
    head, reason = _parted_at_reason(text)
    found = _fitting(rows, [*head, *reason])
    if not found and reason:
        named = _fitting(rows, head)
        found = [] if _names_other(rows, named, reason) else named
    meant = [options[at] for at in found if _keeps_numbers([*head, *reason], rows[at])]
    return meant if len(meant) == _TWO or all(_says_claim(option, [*head, *reason]) for option in meant) else []


def _keeps_numbers(said: Sequence[str], row: Row) -> bool:
    """Whether the numbers that both have stand in one order: "140 ride, 60 walk" is not "60 ride and 140 walk"."""
    return _stands_in_order([word for word in said if word.isdecimal() and word in row], row)


def _names_place(options: Sequence[Option], words: Sequence[str]) -> bool:
    """Whether a letter or a place stands in the words, unless options speak of places and the words of more than one:
    "third, with the peasants" for "In the third, with peasants"."""
    says_more = any(_is_content(word) and word not in ordinals().keys() | words_of("fillers") for word in words)
    own = {word for option in options for word in words_alone(option.text).split()} if says_more else set[str]()
    return any(
        (word in ordinals() and word not in own) or (len(word) == 1 and word.isalpha() and word not in _LETTERS)
        for word in words
    )


def _with_same_content(options: Sequence[Option], text: str) -> Option | None:
    """The one option that has the words of content of the text, no more and no less, in any order but that of numbers,
    light verbs aside: "night nurses" for "Nurses who work at night", whatever else has those words among others."""
    said, *rows = [_content(_words(one)) for one in (text, *(option.text for option in options))]
    has_all = [at for at, row in enumerate(rows) if len(row) == len(said) and all(_has(row, word) for word in said)]
    same = [at for at in has_all if _keeps_numbers(said, rows[at])]
    return options[same[0]] if len(said) >= _TWO and len(same) == 1 else None


def _content(words: Iterable[str]) -> Row:
    """The different stems of the words of content, numbers and denials, in their order."""
    kept = (word for word in words if word in _DENIALS or word.isdecimal() or _tells(word))
    return tuple(dict.fromkeys(stem(word) for word in kept))


def _tells(word: str) -> bool:
    return _is_content(word) and word not in words_of("fillers") | words_of("light_verbs")


def same_word(one: str, other: str) -> bool:
    """Whether two stems are of one word but for inflection or a slip of the pen: "winn" and "win", "dogs" and "dog"."""
    if one == other or one.isdecimal() or other.isdecimal() or not _DENIALS.isdisjoint((one, other)):
        return one == other
    short, long = sorted((_DOUBLED.sub(r"\1", one), _DOUBLED.sub(r"\1", other)), key=len)
    is_inflected = len(short) >= _SHORTEST and long.startswith(short) and len(long) - len(short) <= _LONGEST_ENDING
    is_slip = len(short) >= _SHORTEST_WITH_SLIPS and (
        fuzz.ratio(short, long) >= _NEARLY_ALIKE or _swaps_letters(short, long)
    )
    return is_inflected or is_slip


def _swaps_letters(one: str, other: str) -> bool:
    """Whether two neighbouring letters stand the other way round: "stians" for "stains"."""
    return len(one) == len(other) and OSA.distance(one, other) == 1 and sorted(one) == sorted(other)


def _fitting(rows: Sequence[Row], words: Sequence[str]) -> list[int]:
    """Places of the options that the words mean."""
    said = tuple(stem(word) for word in words if _is_kept(word, rows))
    telling = _telling(words)
    if telling.isdisjoint(said):
        return []
    in_order = [at for at, row in enumerate(rows) if _stands_in_order(said, row)]
    whole = [at for at, row in enumerate(rows) if all(_has(row, word) for word in said)]
    touched = [at for at, row in enumerate(rows) if any(_has(row, word) for word in telling)]
    is_apart = whole == touched and len(whole) <= _TWO
    fitting = in_order if len(in_order) == 1 else whole if is_apart else []
    denied = _DENIALS.intersection(said)
    return fitting if all(denied == _DENIALS.intersection(rows[at]) for at in fitting) else []


def _says_claim(option: Option, words: Sequence[str]) -> bool:
    """Whether a word stands in what the option says before its reason or its first comma."""
    claim = _words(" ".join(next(clauses_of(option.text), [])))
    row = tuple(map(stem, claim))
    says = any(_has(row, stem(word)) for word in words if word in _DENIALS or word not in words_of("fillers"))
    return says or not (_telling(claim) or _DENIALS.intersection(claim))


def _names_other(rows: Sequence[Row], fitting: Sequence[int], reason: Sequence[str]) -> bool:
    """Whether the reason has a word of content that other options have, and the one that it is given for does not."""
    own, others = [rows[at] for at in fitting], [row for at, row in enumerate(rows) if at not in fitting]
    return any(
        any(_has(row, word) for row in others) and not any(_has(row, word) for row in own) for word in _telling(reason)
    )


def _is_kept(word: str, rows: Sequence[Row]) -> bool:
    """Whether an option that is meant must have the word: a little one only where any option has it."""
    is_there = any(_has(row, stem(word)) for row in rows)
    if word in words_of("fillers") - _DENIALS:
        return _is_content(word) and is_there
    return is_there or word in _DENIALS or word.isdecimal() or _is_content(word)


def _telling(words: Iterable[str]) -> Set[str]:
    """The stems that may tell options apart: words of content, and numbers of two digits or more."""
    said = (word for word in words if word not in words_of("fillers"))
    return {stem(word) for word in said if _is_content(word) or (word.isdecimal() and len(word) > 1)}


def _is_content(word: str) -> bool:
    return word not in _DENIALS and bool(content_words(word)) and word not in words_of("vague")


def _words(text: str) -> list[str]:
    words = words_alone(_INNER_CAPITAL.sub(" ", text)).split()
    denials = {word: _NONE if word in words_of("none_of_all") else _NOT for word in words_of("negations")}
    return words_alone(with_digits(" ".join(denials.get(word, word) for word in words))).split()


def _parted_at_reason(text: str) -> tuple[list[str], list[str]]:
    """The words before the first one that gives a reason, else before the first comma or "so", and those after."""
    words = _words(text)
    at = next((at for at, word in enumerate(words) if word in words_of("reasons")), len(words))
    if at < len(words):
        return [*words[:at]], [*words[at + 1 :]]
    first, *others = [_words(" ".join(clause)) for clause in clauses_of(text)] or [[]]
    return first, [word for clause in others for word in clause]


def _has(row: Row, word: str) -> bool:
    return any(same_word(word, other) for other in row)


def _stands_in_order(said: Sequence[str], row: Row) -> bool:
    left = iter(row)
    return all(any(same_word(word, other) for other in left) for word in said)
