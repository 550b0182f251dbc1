"""Number words of languages in which a number is the sum of its words, and which text2num does not read."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

HUNDRED, THOUSAND = 100, 1_000
SURE_FROM = 4  # smaller ones are seldom meant as numbers beside other words
_WORD = re.compile(r"[^\W\d_]{1,20}")
_GAP = re.compile(r"[ -]{1,2}")
_MILLION = re.compile(r" (?:mil|мил)")


@dataclass(frozen=True, slots=True)
class AdditiveNumbers:
    """The number words of one language, without accents.

    Args:
        common: those that are no number beside other words: common words of another language, and a thousand.
    """

    values: Mapping[str, int]
    common: frozenset[str]

    def in_digits(self, text: str) -> str:
        """The text with its numbers in digits; the smallest ones only alone, or before a million."""
        parts, at = [], 0
        for run in self._runs(text):
            value = self._value([_plain(word[0]) for word in run])
            start, end = run[0].start(), run[-1].end()
            alone = not re.search(r"\w", text[:start] + text[end:])
            is_common = all(_plain(word[0]) in self.common for word in run)
            is_sure = alone or _MILLION.match(text, end) or (value or 0) >= SURE_FROM
            if value is not None and is_sure and (alone or not is_common):
                parts += [text[at:start], str(value)]
                at = end
        return "".join((*parts, text[at:]))

    def _runs(self, text: str) -> list[list[re.Match[str]]]:
        """Number words that adjoin."""
        runs: list[list[re.Match[str]]] = []
        last: re.Match[str] | None = None
        for word in _WORD.finditer(text):
            if _plain(word[0]) in self.values:
                adjoins = last is not None and _GAP.fullmatch(text, last.end(), word.start()) is not None
                if adjoins:
                    runs[-1].append(word)
                else:
                    runs.append([word])
                last = word
        return runs

    def _value(self, words: Sequence[str]) -> int | None:
        """The sum of the words; None if they are no number, as "forty forty"."""
        total, part, room = 0, 0, THOUSAND
        for word in words:
            value = self.values[word]
            if value == THOUSAND and total == 0:
                total, part, room = (part or 1) * THOUSAND, 0, THOUSAND
            elif value == HUNDRED and 1 < part < 10:
                part, room = part * HUNDRED, HUNDRED
            elif 0 < value < room or (value == 0 and len(words) == 1):
                part, room = part + value, _place(value)
            else:
                return None
        return total + part


def additive_in_digits(text: str) -> str:
    """The text with its Polish, Russian and Turkish number words in digits."""
    for language in _languages():
        text = language.in_digits(text)
    return text


def _place(value: int) -> int:
    """Exclusive bound of the number that may follow: 10 after forty, 1 after eleven or four."""
    if value >= HUNDRED:
        return HUNDRED
    return 10 if value >= 20 or value == 10 else 1


def _plain(word: str) -> str:
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFD", word.lower().replace("ı", "i").replace("ł", "l"))
    return "".join(letter for letter in apart if unicodedata.category(letter) != "Mn")


@cache
def _languages() -> tuple[AdditiveNumbers, ...]:
    file = files("sprout.learning.marking").joinpath("additive_number_words.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(_language(entry) for entry in table.values())


def _language(entry: Mapping[str, object]) -> AdditiveNumbers:
    ones, tens, hundreds, thousand, common = (
        str(entry[name]).split() for name in ("ones", "tens", "hundreds", "thousand", "common")
    )
    forms = entry["forms"]
    assert isinstance(forms, dict)
    values = (
        {word: value for value, word in enumerate(ones)}
        | {word: 10 * value for value, word in enumerate(tens, start=2)}
        | {word: HUNDRED * value for value, word in enumerate(hundreds, start=1)}
        | dict.fromkeys(thousand, THOUSAND)
        | forms
    )
    return AdditiveNumbers(
        {_plain(word): value for word, value in values.items()}, frozenset(map(_plain, [*common, *thousand]))
    )
