"""Short terms: a name, a date or a word of the subject, marked by the terms that its author lists.

What is neither a listed term nor a listed wrong one is left to a reader: it may be right in other words.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rapidfuzz.distance import OSA

from sprout.learning.marking.choice_clauses import without_taken_back
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.marking.months import months
from sprout.learning.marking.ordinals import ordinals
from sprout.learning.questions.questions import Misconception
from sprout.learning.text.normalization import folded

MAX_WORDS = 25  # of an answer that is still a short one
MIN_PLURAL = 3  # letters of a word that may have a plural
_SLIPS = ((9, 2), (5, 1))  # letters from which on a word may have so many slips of the pen
_WORD = re.compile(r"(?!0\d)\d+(?:(?:st|nd|rd|th|er|re|eme)\b)?|[^\W\d_]+")
_ORDINAL_ENDING = re.compile(r"(?<=\d)[a-z]+")
_CLAUSE_END = re.compile(r"[,;(]|\b(?:because|since|as|so|weil|da|when|where|who)\b", re.IGNORECASE)
_BUT = re.compile(r"\b(?:but|sondern|mais|sino|ma)\b", re.IGNORECASE)
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_PLURALS = ("s", "es", "e", "en", "n", "er", "x")


@dataclass(frozen=True, slots=True)
class _Match:
    """A term that stands in an answer, from word `start` up to `end`; `belief` is None for a right one."""

    start: int
    end: int
    slips: int
    belief: str | None = None


def grade_term(prompt: str, accepted: Sequence[str], wrong: Sequence[Misconception], answer: str) -> Grade | None:
    """The grade of an answer that is one of the terms, alone or in a short sentence of fillers and words of the prompt;
    None if its words cannot tell: it names no listed term, a right and a wrong one, or says more.

    Case, accents, articles and plural endings make no difference, nor does the order of a date. A word of five letters
    may have a slip of the pen, one of nine two; not in wrong terms, nor where the word is as near to a wrong one.
    """
    said = _words(answer)
    if not said or len(said) > MAX_WORDS:
        return None
    right = [_Match(*place) for term in accepted for place in _places(_words(term), said)]
    known = [_Match(*place, one.misconception) for one in wrong for place in _places(_words(one.option), said)]
    found = _longest([*right, *known])
    named = {at for one in found for at in range(one.start, one.end)}
    beside = {word for at, word in enumerate(said) if at not in named}
    if not found or beside & _listed("unsure"):
        return _grade_by_contrast(prompt, accepted, wrong, answer)
    if not beside <= _listed("fillers").union(_words(prompt)):
        return (
            _grade_before_reason(prompt, accepted, wrong, answer) if {one.belief for one in found} == {None} else None
        )
    beliefs = tuple(dict.fromkeys(one.belief for one in found if one.belief is not None))
    if not beliefs:
        return Grade(GradeState.GRADED, score=1.0, correct=True)
    if any(one.belief is None or one.slips for one in found):
        return None
    return Grade(GradeState.GRADED, score=0.0, correct=False, misconceptions=beliefs)


def _grade_by_contrast(
    prompt: str, accepted: Sequence[str], wrong: Sequence[Misconception], answer: str
) -> Grade | None:
    """The grade without what the answer rules out, if that names no right term: "not a republic, a constitution"."""
    left = _BUT.sub(" ", without_taken_back(answer))
    ruled_out = Counter(_words(answer)) - Counter(_words(left))
    if left == answer or any(not Counter(_words(term)) - ruled_out for term in accepted):
        return None
    return grade_term(prompt, accepted, wrong, left)


def _grade_before_reason(
    prompt: str, accepted: Sequence[str], wrong: Sequence[Misconception], answer: str
) -> Grade | None:
    """The grade of a right term alone before a reason that names no wrong one: "14 July, when they stormed it"."""
    head, *_ = _CLAUSE_END.split(answer, maxsplit=1)
    grade = grade_term(prompt, accepted, wrong, head) if head != answer and "?" not in answer else None
    return grade if grade is not None and grade.correct else None


def _places(term: Sequence[str], said: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Start, end and slips of each place at which the term stands, also written as one word or as several."""
    for start in range(len(said)):
        for end in range(start + 1, min(start + len(term) + 1, len(said)) + 1):
            slips = _slips(term, said[start:end])
            if slips is not None:
                yield start, end, slips


def _slips(term: Sequence[str], words: Sequence[str]) -> int | None:
    """Slips of the pen that make the words the term; None if they are another one."""
    mine, theirs = ([_ORDINAL_ENDING.sub("", word) for word in each] for each in (words, term))
    if "".join(theirs) == "".join(mine) or (_has_number(theirs) and sorted(theirs) == sorted(mine)):
        return 0
    if not any(word in months() for word in mine) and _date_in_numbers(theirs) == sorted(mine):
        return 0
    if len(term) != len(words):
        return None
    slips = [_word_slips(one, other) for one, other in zip(term, words, strict=True)]
    return None if None in slips else sum(one for one in slips if one)


def _word_slips(term: str, word: str) -> int | None:
    shorter, longer = sorted((term, word), key=len)
    is_same_place = term in ordinals() and ordinals()[term] == ordinals().get(word)  # second, 2nd
    if term == word or is_same_place or (len(shorter) >= MIN_PLURAL and _is_plural(shorter, longer)):
        return 0
    if term[0].isdigit() or word[0].isdigit():
        return None
    budget = next((slips for letters, slips in _SLIPS if len(term) >= letters), 0)
    distance = OSA.distance(term, word)
    return distance if distance <= budget else None


def _is_plural(one: str, many: str) -> bool:
    return any(one + ending == many for ending in _PLURALS) or (one.endswith("y") and f"{one[:-1]}ies" == many)


def _longest(matches: Sequence[_Match]) -> list[_Match]:
    """The matches that lie in no longer one; of the same words, those with the fewest slips."""
    return [
        one
        for one in matches
        if not any(
            other.start <= one.start
            and one.end <= other.end
            and ((other.start, other.end) != (one.start, one.end) or other.slips < one.slips)
            for other in matches
        )
    ]


def _words(text: str) -> list[str]:
    """The words in small letters, without accents and articles, months in English; "l'état" is two, "07" is "7"."""
    bare = unicodedata.normalize("NFD", folded(_APOSTROPHE.sub(" ", text)))
    plain = "".join(character for character in bare if not unicodedata.combining(character))
    return _with_english_months([word for word in _WORD.findall(plain) if word not in _listed("articles")])


def _with_english_months(words: Sequence[str]) -> list[str]:
    """The words with the months of dates by one name each: "14 juillet" is "14 july"; "may" alone is none."""
    named = {number: name for name, number in reversed([*months().items()])}
    beside = zip(("", *words), words, (*words[1:], ""), strict=False)
    return [
        named[months()[word]] if word in months() and any(one[:1].isdigit() for one in (before, behind)) else word
        for before, word, behind in beside
    ]


def _date_in_numbers(term: Sequence[str]) -> list[str] | None:
    """The day, the number of the month and the year, if any, in no order; None if the term is no date."""
    numbers = [str(months().get(word, word)) for word in term]
    is_date = _has_number(term) and sum(word in months() for word in term) == 1 and all(map(str.isdigit, numbers))
    return sorted(numbers) if is_date else None


def _has_number(term: Sequence[str]) -> bool:
    return any(word.isdigit() for word in term)


@cache
def _listed(name: str) -> frozenset[str]:
    table = tomllib.loads(files("sprout.learning.marking").joinpath("term_words.toml").read_text(encoding="utf-8"))
    return frozenset(table[name].split())
