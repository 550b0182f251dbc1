"""Typed choices: the option that a learner's words name, by its letter or its place, or by its words.

A letter before words of the learner's own is one, whatever they say: "B they had no bread".
"""

import re
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from sprout.learning.marking.attempts import complains
from sprout.learning.marking.choice_clauses import (
    clauses_of,
    has_reason,
    meant_words,
    without_taken_back,
    words_alone,
    words_of,
)
from sprout.learning.marking.choices import OPTION_LABELS, Option, chosen_option
from sprout.learning.marking.number_words import count_of
from sprout.learning.marking.option_numbers import by_numbers, by_own_number, by_value
from sprout.learning.marking.option_words import (
    by_abbreviation,
    by_beginning,
    by_notation,
    by_part,
    by_slip,
    by_text,
)
from sprout.learning.marking.ordinals import ordinals, place_of
from sprout.learning.marking.own_words import by_own_words
from sprout.learning.text.confusables import plain

MAX_ANSWER_LENGTH = 600
_TWO = 2
_SHORT = 12  # words, of a text with a letter in it that is meant wherever it stands
_LABELLED = re.compile(r"\s*\(?([A-Ha-h])[).:]\s")
_SUBJECT = re.compile(
    r"\s*([A-H]) (?:has|is|was|says|fits|gives|shows|names|seems|sounds|looks|works|would|must|makes|hat|ist|passt)\b"
)
_BEFORE_WORDS = re.compile(r"\s*([A-H]|[a-h](?! [=<>+*/]))\s+(?=[\w\"'“‘`])(.+)", re.DOTALL)
_RULED_OUT = re.compile(
    r"\W*(?:(?:is|seems|looks|sounds|would be|must be|ist|est) )?"
    r"(?:not|wrong|false|incorrect|out|nicht|falsch|pas|faux|can['’]?t|cannot|isn['’]?t|doesn['’]?t|wouldn['’]?t|won['’]?t)\b",
    re.IGNORECASE,
)
_CONTRASTED = re.compile(r"\W*(?:not|nicht|pas)\b([^,;.]+)[,;.](.+)", re.IGNORECASE | re.DOTALL)
_BARE_PLACE = re.compile(r"\A\W*(?:nr|no|num|number|nummer|n°)?[.# ]*(\d)[.)]?\W*\Z", re.IGNORECASE)
_LABEL_OF_PLACE = re.compile(r"\A\W*(?:no\.|(?:nr|num|number|nummer|n°)\b\.?|#) ?(?=\d)", re.IGNORECASE)
_CORRECTION = re.compile(
    r"\b(?:no wait|wait no|i mean|i meant|actually|oops|scratch that|make that|or rather|but now|ich meine|nein)\b"
    r"|[,.;!?–—-]\s*no\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\b(?:option|answer|choice|number|antwort|nummer|réponse|opción|opzione|opção) (\d|[^\W\d_]{2,6})\b", re.IGNORECASE
)
_CONCLUDED = re.compile(r"[=→]>?\s*([A-H])\W*\Z")
_APOSTROPHE = re.compile("['’`´]")
_A_CAUSE = re.compile(r"\ba (?=cause (?:of|for|is|was|that)\b)", re.IGNORECASE)  # no letter before a reason


def typed_option(options: Sequence[Option], text: str, prompt: str = "") -> Option | None:
    """The one option that the words name; None where they name none, or more than one.

    Args:
        options: in the order in which the learner sees them, lettered A, B, C …
        prompt: the question, whose words may stand behind a place: "the first picture".
    """
    named = named_options(options, text, prompt)
    return named[0] if len(named) == 1 else None


def named_options(options: Sequence[Option], text: str, prompt: str = "") -> list[Option]:
    """The options that the words name: none, one, or several of which the learner must say which one counts."""
    if (exact := chosen_option(options, text)) is not None:
        return [exact]
    if len(text) > MAX_ANSWER_LENGTH or not options or complains(text):
        return []  # "this is stupid" names no option with "stupid" in it
    text = _LABEL_OF_PLACE.sub("", text)
    *_, last = _CORRECTION.split(text)
    if last != text and len(corrected := named_options(options, last, prompt)) == 1:
        return corrected
    found = _LABELLED.match(text) or _SUBJECT.match(text)
    if found and not _RULED_OUT.match(text[found.end(1) :]):
        at = OPTION_LABELS.index(found[1].upper())
        return [*options[at : at + 1]]
    if contrasted := _by_contrast(options, text, prompt):
        return contrasted
    if (said := _by_own_ordinal(options, text, prompt)) or (said := _by_bare_place(options, text, prompt)):
        return said
    meant = _with_letters(options, without_taken_back(text))
    found_in = (
        (by_text, meant),
        (by_slip, text),
        (by_abbreviation, text),
        (by_numbers, meant),
        (by_beginning, text),
        (_by_letter_or_place, meant),
        (by_value, meant),
        (by_own_number, text),
        (by_notation, text),
        (by_own_words, text),
        (by_part, text),
    )
    if (concluded := _CONCLUDED.search(text)) is not None:
        return [*options[(at := OPTION_LABELS.index(concluded[1])) : at + 1]]
    named = next((named for find, words in found_in if (named := find(options, words))), [])
    lettered = [one for one in _by_letter_before_words(options, text) if one not in named]
    return [*lettered, *named]


def _by_contrast(options: Sequence[Option], text: str, prompt: str) -> list[Option]:
    """The option that the text names after it has ruled out another: "not the smell, the salt"."""
    if (found := _CONTRASTED.fullmatch(text)) is None:
        return []
    ruled_out, named = (named_options(options, part, prompt) for part in found.groups())
    return named if len(named) == len(ruled_out) == 1 and named != ruled_out else []


def _with_letters(options: Sequence[Option], text: str) -> str:
    """The text with "option four" as "D", unless the number may be meant as one of another option, or the options are
    counts."""

    def letter(found: re.Match[str]) -> str:
        place = count_of(found[1].lower())
        is_one = place is not None and 1 <= place <= len(options) and _is_clear_place(options, place)
        return OPTION_LABELS[place - 1] if place is not None and is_one else found[0]

    return _NUMBERED.sub(letter, _BARE_PLACE.sub(letter, text))


def _is_clear_place(options: Sequence[Option], place: int) -> bool:
    """Whether a place, from 1, is no number of another option, and the options are no counts."""
    numbers = [_numbers_of(option) for option in options]
    are_counts = sum(bool(one) and one[0] is not None for one in numbers) > 1
    return not are_counts and all(place not in one for at, one in enumerate(numbers, start=1) if at != place)


def _numbers_of(option: Option) -> list[int | None]:
    """The number that each word of the option is, None for other words."""
    words = words_alone(option.text).split()
    return [int(word) if word.isdecimal() else count_of(word) if len(word) > 1 else None for word in words]


def _by_own_ordinal(options: Sequence[Option], text: str, prompt: str) -> list[Option]:
    """The option that begins with the place which the first clause is but for fillers, words of that option and words
    that only the question has, where options begin with places: "3" and "the 3rd one" mean "the third" wherever it
    stands, and "second" means "second order"."""
    own = [meant_words(words_alone(option.text).split())[:1] for option in options]
    if sum(bool(first) and first[0] in ordinals() for first in own) < _TWO:
        return []
    words = meant_words(next(clauses_of(without_taken_back(text)), []))
    said = {place for word in words if (place := place_of(word)) is not None}
    saying = [option for option, first in zip(options, own, strict=True) if said == {*map(ordinals().get, first)}]
    rest = {word for word in words if place_of(word) is None}
    beside = _words_of_question_alone(options, prompt)
    return [one for one in saying if len(saying) == 1 and rest <= beside.union(words_alone(one.text).split())]


def _words_of_question_alone(options: Sequence[Option], prompt: str) -> set[str]:
    return set(words_alone(prompt).split()) - {word for one in options for word in words_alone(one.text).split()}


def _by_bare_place(options: Sequence[Option], text: str, prompt: str) -> list[Option]:
    """The option of the place that the first clause is, but for fillers and a word behind it that the question has and
    no option: "not 3, I'd say 4", "the 1st argument because …"."""
    clauses = [words for clause in clauses_of(without_taken_back(text)) if (words := meant_words(clause))]
    in_options = {word for option in options for word in words_alone(option.text).split()}
    beside = _words_of_question_alone(options, prompt)
    if not clauses or (len(clauses) > 1 and not has_reason(text)):
        return []
    word, *behind = clauses[0]
    says_place = word.isdecimal() or (bool(behind) and word in ordinals() and ordinals().keys().isdisjoint(in_options))
    place = place_of(word) if says_place and len(behind) <= 1 and beside.issuperset(behind) else None
    if place is None or not 0 <= place < len(options) or (word.isdecimal() and not _is_clear_place(options, place + 1)):
        return []
    return [options[place]]


def _by_letter_or_place(options: Sequence[Option], text: str) -> list[Option]:
    """The options of the letters and places that a clause consists of ("I'd say C", "the last one, because …"): the
    first clause that is more than fillers, and in a short text any. Words of all options tell none from another."""
    beside = words_of("fillers").union(
        frozenset.intersection(*(frozenset(words_alone(option.text).split()) for option in options))
    )
    spoken = _A_CAUSE.sub("", text)
    clauses = [clause for clause in clauses_of(spoken) if not words_of("fillers").issuperset(clause)]
    is_short = sum(map(len, clauses)) <= _SHORT
    letters = {label.lower(): at for at, label in enumerate(OPTION_LABELS)}
    known = dict(letters)
    if not any(word in ordinals() for option in options for word in plain(option.text).split()):
        known |= ordinals()
    in_clauses = [
        places
        for clause in clauses[: None if is_short else 1]
        if clauses == [clause] or len(clause) > 1 or len(clause[0]) == 1  # not "First, the list is sorted"
        if (places := _places_in(clause, letters if clause is not clauses[0] else known, beside))
    ]
    named = set[int]().union(*in_clauses)
    if in_clauses and len(in_clauses[0]) > 1 and len(in_clauses[-1]) == 1:  # "d or c, c I think"
        named = in_clauses[-1]
    return [option for at, option in enumerate(options) if at in named or at - len(options) in named]


def _by_letter_before_words(options: Sequence[Option], text: str) -> list[Option]:
    """The option whose letter stands before words of the learner's own: "C they do the work".

    An "a" is an article except before a word that takes none, and a small letter may be a name of the options.
    """
    found = _BEFORE_WORDS.match(text)
    if found is None or _RULED_OUT.match(found[2]):
        return []
    letter, first = found[1], plain(_APOSTROPHE.sub("", found[2])).split()[0]
    is_article = letter in "Aa" and first not in words_of("without_article")
    if first in words_of("joints") or is_article:
        return []
    if letter in "bcdefgh" and any(letter in plain(option.text).split() for option in options):
        return []
    return [*options[(at := OPTION_LABELS.index(letter.upper())) : at + 1]]


def _places_in(clause: Sequence[str], known: Mapping[str, int], beside: Set[str]) -> set[int]:
    """The places that a clause names; none where it says anything else.

    Args:
        beside: words that may stand there too.
    """
    named: set[int] = set()
    for word, after in pairwise([*clause, ""]):
        is_article = after in ordinals() or after in words_of("nouns") | (beside - words_of("fillers"))
        if word == "a" and is_article:  # "a guess", Portuguese "a primeira", "with a car" where all options have cars
            continue
        if word in known:
            named.add(known[word])
        elif word not in beside:
            return set()
    return named
