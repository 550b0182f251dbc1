"""Typed choices: the option that a learner's words name, by its letter, its text or the words that only it has."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from sprout.learning.marking.keyed_answers import Option, chosen_option
from sprout.learning.text.normalization import folded, occurs_in

OPTION_LABELS = "ABCDEFGH"
MAX_ANSWER_LENGTH = 600
_ALIKE = 90  # of 100, as rapidfuzz counts: one slip of the pen in a dozen letters

_ONLY_LABEL = re.compile(r"\W*(?:(?:option|answer|antwort|choice|réponse|opción|opzione|letter)\s+)?([A-Ha-h])\W*")
_LABELLED = re.compile(r"\s*\(?([A-Ha-h])[).:]\s")
_LABEL_IN_WORDS = re.compile(
    r"\b(?:option|answer|antwort|choice|letter|it's|its|is|ist|say|take|nehme|pick|choose|think|with)\s+\(?([A-Ha-h])\b"
    r"(?!\s+[a-z])|(?<![\w'’])([B-H])(?![\w'’])"
)
_WORD = re.compile(r"[^\W_]+")
_CLAUSE_END = re.compile(r"[—–;:.!?]|-\s")
_NUMBER = re.compile(r"\d+")
_TAKEN_BACK = re.compile(r"\b(?:not|nicht|isn't|isnt|never|no longer|pas|kein\w*)\b[^.,;!?]*", re.IGNORECASE)


def typed_option(options: Sequence[Option], text: str) -> Option | None:
    """The one option that the words name; None where they name none, or more than one.

    Args:
        options: in the order in which the learner sees them, lettered A, B, C …
    """
    if (exact := chosen_option(options, text)) is not None:
        return exact
    if len(text) > MAX_ANSWER_LENGTH:
        return None
    if found := _ONLY_LABEL.fullmatch(text) or _LABELLED.match(text):
        return _labelled(options, found[1])
    meant = _TAKEN_BACK.sub(" ", text)
    for found_by in (_by_text, _by_slip, _by_numbers):
        named = found_by(options, meant)
        if named:
            return named[0] if len(named) == 1 else None
    if (named := _by_own_words(options, meant)) and "?" not in text:
        return named[0] if len(named) == 1 else None
    labels = {(found[1] or found[2]).upper() for found in _LABEL_IN_WORDS.finditer(meant)}
    return _labelled(options, labels.pop()) if len(labels) == 1 else None


def _labelled(options: Sequence[Option], label: str) -> Option | None:
    at = OPTION_LABELS.index(label.upper())
    return options[at] if at < len(options) else None


def _by_text(options: Sequence[Option], text: str) -> list[Option]:
    """The options that stand in the text, but for those that are part of a longer one there."""
    said = _bare(text)
    found = [option for option in options if occurs_in(_bare(option.text), said)]
    return [
        one
        for one in found
        if not any(one != other and occurs_in(_bare(one.text), _bare(other.text)) for other in found)
    ]


def _by_numbers(options: Sequence[Option], text: str) -> list[Option]:
    """The options whose numbers, two or more, are those of the text's first clause with as many: "2 3 4 and 5"."""
    clauses = [_NUMBER.findall(clause) for clause in _CLAUSE_END.split(text)]
    said = next((numbers for numbers in clauses if len(numbers) > 1), None)
    return [option for option in options if _NUMBER.findall(option.text) == said]


def _by_slip(options: Sequence[Option], text: str) -> list[Option]:
    """The options that the text is but for slips of the pen, or that it has in it but for these."""
    said = _bare(text)
    return [option for option in options if len(said) >= 5 and fuzz.ratio(said, _bare(option.text)) >= _ALIKE]


def _by_own_words(options: Sequence[Option], text: str) -> list[Option]:
    """The options with two or more longer words of the text that no other option has."""
    words = [_long_words(option.text) for option in options]
    said = _long_words(text)
    own = [these - set().union(*words[:at], *words[at + 1 :]) for at, these in enumerate(words)]
    return [option for option, distinct in zip(options, own, strict=True) if len(said & distinct) > 1]


def _long_words(text: str) -> set[str]:
    return {word for word in _WORD.findall(folded(text)) if len(word) > 3}


def _bare(text: str) -> str:
    """The text folded, without the marks of code and the point at its end."""
    return folded(text).replace("`", "").strip(" .!")
