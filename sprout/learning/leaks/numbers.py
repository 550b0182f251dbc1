"""Number leaks: whether a text gives away an answer that is a number."""

import math
import re
from collections.abc import Iterable, Iterator

from sprout.learning.leaks.leak import Leak, LeakForm
from sprout.learning.leaks.secret import Secret, SecretNumber
from sprout.learning.text.announcements import Announcement, announcement
from sprout.learning.text.confusables import occurrences
from sprout.learning.text.disguises import Disguise
from sprout.learning.text.numerals import Numeral, normalize_numerals, numerals


def stated_numbers(secret: Secret, near: str) -> Iterator[Leak]:
    """The answer as a number, in any form, or as a sum that only has to be done."""
    if not secret.numbers:
        return
    text = normalize_numerals(near)
    for numeral in numerals(text):
        for number in secret.numbers:
            if _is_leak(secret, number, numeral, text):
                form = LeakForm.NUMERIC if numeral.values != (number.value,) else LeakForm.EXACT
                yield Leak(form, text[numeral.start : numeral.end])
    yield from _sums(secret, text)
    for number in secret.numbers:
        backwards = f"{number.value:g}"[::-1]
        if number.distinctive and backwards != backwards[::-1] and occurrences(backwards, text.replace(",", ".")):
            yield Leak(Disguise.REVERSED, backwards)


def _is_leak(secret: Secret, number: SecretNumber, numeral: Numeral, text: str) -> bool:
    """Whether the numeral is the secret number, and does not stand there by chance."""
    minus = _MINUS.search(text, max(0, numeral.start - 12), numeral.start)
    start = minus.start() if minus else numeral.start
    off = min((abs((-value if minus else value) - number.value) for value in numeral.values), default=math.inf)
    if off > max(number.slack, number.tolerance):
        return False
    new = not number.said_by_learner and not _is_known_number(secret, number.value)
    if new and ((number.distinctive and off <= number.slack) or _has_unit(number, numeral, text)):
        return True
    how = announcement(text, start, numeral.end)
    if not new:
        return how is Announcement.AS_ANSWER
    return how > Announcement.AS_RESULT or (
        how is Announcement.AS_RESULT
        and not _counts_something_else(text, numeral)
        and not _is_parallel_result(secret, text, start)
    )


_MINUS = re.compile(r"\b(?:minus|negative|negativ)\s{1,2}\Z")


def _has_unit(number: SecretNumber, numeral: Numeral, text: str) -> bool:
    """Whether the unit of the answer stands behind the number."""
    behind = text[numeral.end : numeral.end + len(number.unit) + 2].lstrip(" *$\\")
    return bool(number.unit) and (
        behind.startswith(number.unit) or text.endswith(number.unit, numeral.start, numeral.end)
    )


def _is_known_number(secret: Secret, value: float) -> bool:
    return any(math.isclose(value, known, rel_tol=1e-9, abs_tol=1e-12) for known in secret.known_numbers)


_ARTICLE = re.compile(r"(?:one|an?|eine?[mnrs]?)\b(?=\s+[^\W\d])")
_THERE = re.compile(r"\b(?:there (?:are|is|were)|es gibt|gibt es)\W{1,3}\Z")
_COUNTS = re.compile(r"\s{0,2}(?:of|more|times|von|mal|weitere)\b")


def _counts_something_else(text: str, numeral: Numeral) -> bool:
    """Whether the number only counts something else: "is one of", "are 4 more", "there are 4 words"."""
    before = text[max(0, numeral.start - 20) : numeral.start]
    return bool(_ARTICLE.match(text, numeral.start) or _COUNTS.match(text, numeral.end) or _THERE.search(before))


def _is_parallel_result(secret: Secret, text: str, start: int) -> bool:
    """Whether the number is the result of a sum whose numbers are all others than those of the question."""
    left = re.split(r"[.,;:\n](?!\d)|[=→⇒]", text[max(0, start - 60) : start].rstrip(" =≈→⇒$"))[-1]
    values = {abs(value) for numeral in numerals(left) for value in numeral.values}
    return bool(values) and not values & {abs(known) for known in secret.known_numbers}


_SUM = re.compile(r"(?<![\w.,])(\d{1,9}(?:\.\d{1,9})?)\s?([-+*/×·÷])\s?(\d{1,9}(?:\.\d{1,9})?)(?![\w.,]?\d)")


def _sums(secret: Secret, text: str) -> Iterator[Leak]:
    """The answer as a sum that only has to be done: "the answer is 6 + 5"."""
    for found in _SUM.finditer(text):
        left, right = float(found[1]), float(found[3])
        value = {
            "+": left + right,
            "-": left - right,
            "/": left / right if right else math.inf,
            "÷": left / right if right else math.inf,
        }.get(found[2], left * right)
        if announcement(text, *found.span()) is Announcement.AS_ANSWER:
            for number in secret.numbers:
                if abs(value - number.value) <= max(number.slack, number.tolerance):
                    yield Leak(LeakForm.NUMERIC, found[0])


_SPELLING = frozenset({Disguise.SPACED, Disguise.SYLLABLES, Disguise.ALPHABET_POSITIONS})


def disguised_numbers(secret: Secret, readings: Iterable[tuple[Disguise, str]]) -> Iterator[Leak]:
    """The answer as a number in what a text says when it is decoded."""
    for how, reading in readings:
        if how is Disguise.SYLLABLES or not reading:
            continue
        text = normalize_numerals(reading).strip()
        for numeral in numerals(text):
            alone = numeral.end - numeral.start == len(text)
            for number in secret.numbers:
                told = (
                    number.distinctive and not _is_known_number(secret, number.value)
                    if how in _SPELLING
                    else number.distinctive or alone
                )
                if told and any(abs(value - number.value) <= number.slack for value in numeral.values):
                    yield Leak(how, reading)
