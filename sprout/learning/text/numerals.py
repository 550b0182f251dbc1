"""Numbers in running text, however they are written: digits, fractions, percent, LaTeX, English and German words.

Not text2num or word2number: they are for words of one language that is known, and give one value; here a text may mix
both languages, 1,500 has two readings, and each number keeps its place and its significant digits.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from sprout.learning.text.normalization import without_categories

_ENGLISH_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_GERMAN_ONES = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn"
).split()
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
_ENGLISH_PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
    "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8,
    "ninth": 9, "ninths": 9, "tenth": 10, "tenths": 10, "hundredth": 100, "hundredths": 100,
}  # fmt: skip
_GERMAN_PARTS = {
    "halb": 2, "halbe": 2, "halbes": 2, "drittel": 3, "viertel": 4, "fünftel": 5, "sechstel": 6, "siebtel": 7,
    "achtel": 8, "neuntel": 9, "zehntel": 10, "hundertstel": 100,
}  # fmt: skip
_PART_NAMES = {2: ("half", "halb"), 3: ("third", "drittel"), 4: ("quarter", "viertel"), 5: ("fifth", "fünftel")}
_PARTS = {**_ENGLISH_PARTS, **_GERMAN_PARTS}
_ARTICLES = frozenset({"a", "an", "one", "ein", "eine", "einem", "einer"})
_POINTS = frozenset({"point", "comma", "komma", "punkt"})
_OVER = re.compile(r"\b(?:over|divided by|durch|geteilt durch)\b")

_MATHS = re.compile(
    r"\\[dt]?frac\s{0,3}\{\s{0,3}([-+]?\d{1,15})\s{0,3}\}\s{0,3}\{\s{0,3}(\d{1,15})\s{0,3}\}|\\frac\s?(\d)\s?(\d)"
)
_MANTISSA = r"\d{1,3}(?:[.,]\d{3}){1,5}(?:[.,]\d{1,15})?(?!\d)|\d{1,18}(?:[.,]\d{1,15})?|[.,]\d{1,15}"
_DIGITS = re.compile(
    rf"(?<![\w.,])[-+]?(?P<mantissa>{_MANTISSA})"
    r"(?:[eE](?P<power>[-+]?\d{1,3})|\s?(?:×|\*|·|\\times|\\cdot)\s?10\^?\{?(?P<ten>[-+]?\d{1,3})\}?)?(?![\w])"
    r"(?:\s{0,2}(?:/|:|÷)\s{0,2}(?P<under>\d{1,15}(?:[.,]\d{1,15})?)(?![\w.,]\d))?"
)
_DIGITS_WITH_UNIT = re.compile(rf"(?<![\w.,])[-+]?(?P<mantissa>{_MANTISSA})(?=[^\W\d_])")
_WORD = re.compile(r"[^\W\d_]{1,40}|\d{1,15}")
_GAP = re.compile(r"[\s-]{0,3}")
_PERCENT = re.compile(r"\s{0,2}(?:\\?%|per ?cent\b|prozent\b)", re.IGNORECASE)
_VULGAR = re.compile("[¼-¾⅐-⅞]")
_RAISED = re.compile("[²³¹⁰⁴-⁹]{1,9}")
_LEADING_WHOLE = re.compile(r"(?<![\w.,/])(\d{1,9})\s{1,2}(?=\d{1,3}/\d{1,3}(?!\d))")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number that the text says between two positions of `bare(text)`.

    Args:
        values: what it may be: 1,500 is one and a half in one country and more in another; 50 % is also a half.
        digits: how many significant digits were written; 0 for a fraction, which is exact.
    """

    values: tuple[float, ...]
    start: int
    end: int
    digits: int


def normalize_numerals(text: str) -> str:
    """The text as numbers are read in it: compatibility forms, one minus, one solidus, no thin spaces of LaTeX."""
    apart = _VULGAR.sub(lambda found: " " + unicodedata.normalize("NFKC", found[0]), text)
    raised = _RAISED.sub(lambda found: "^" + unicodedata.normalize("NFKC", found[0]), apart)
    plain = unicodedata.normalize("NFKC", raised).replace("\u2212", "-").replace("\u2044", "/").replace("{,}", ",")
    shown = without_categories(plain, ("Cf", "Mn"))
    return _OVER.sub("/", shown.replace("\\,", "").lower())


def numerals(text: str) -> list[Numeral]:
    """All numbers in a text that is `bare`, in order of kind."""
    return [*_fractions_of_latex(text), *_mixed(text), *_in_digits(text), *_in_words(text)]


def number_words(value: float) -> tuple[str, ...]:
    """A number in English and in German words, as far as numbers below 1000 go, decimals digit by digit, a simple
    fraction as one."""
    for under, (english, german) in _PART_NAMES.items():
        over = abs(value) * under
        if 0 < over < under and abs(over - round(over)) < 1e-9:
            one = "ein" if round(over) == 1 else _german(round(over))
            return (f"{_english(round(over))} {english}", f"{one} {german}")
    whole, _, decimals = f"{abs(value):.6f}".rstrip("0").rstrip(".").partition(".")
    if int(whole) >= 1000:
        return ()
    english, german = _english(int(whole)), _german(int(whole))
    if decimals:
        english += " point " + " ".join(_ENGLISH_ONES[int(digit)] for digit in decimals)
        german += " komma " + " ".join(_GERMAN_ONES[int(digit)] for digit in decimals)
    return (english, german)


def _fractions_of_latex(text: str) -> Iterator[Numeral]:
    for found in _MATHS.finditer(text):
        over, under = (found[1], found[2]) if found[1] else (found[3], found[4])
        if int(under):
            yield Numeral((int(over) / int(under),), found.start(), found.end(), 0)


def _mixed(text: str) -> Iterator[Numeral]:
    for whole in _LEADING_WHOLE.finditer(text):
        part = re.compile(r"(\d{1,3})/(\d{1,3})").match(text, whole.end())
        if part and int(part[2]):
            yield Numeral((int(whole[1]) + int(part[1]) / int(part[2]),), whole.start(), part.end(), 0)


def _in_digits(text: str) -> Iterator[Numeral]:
    for found in _DIGITS.finditer(text):
        sign = -1.0 if found[0].startswith("-") else 1.0
        power = max(-300, min(300, int(found["power"] or found["ten"] or 0)))
        values = [sign * value * 10.0**power for value in _readings(found["mantissa"])]
        under = float((found["under"] or "0").replace(",", "."))
        end = found.end()
        if under:
            yield Numeral(tuple(value / under for value in values), found.start(), end, 0)
            end = found.start("under")
        yield _with_percent(text, values, found.start(), end, _significant(found["mantissa"]))
    for found in _DIGITS_WITH_UNIT.finditer(text):
        sign = -1.0 if found[0].startswith("-") else 1.0
        values = [sign * value for value in _readings(found["mantissa"])]
        yield Numeral(tuple(values), found.start(), found.end(), _significant(found["mantissa"]))


def _with_percent(text: str, values: Sequence[float], start: int, end: int, digits: int) -> Numeral:
    percent = _PERCENT.match(text, end)
    finite = tuple(value for value in values if math.isfinite(value))
    if not percent:
        return Numeral(finite, start, end, digits)
    return Numeral((*finite, *(value / 100 for value in finite)), start, percent.end(), digits)


def _readings(mantissa: str) -> list[float]:
    """The digits' possible values, a comma or a point being for decimals or for thousands."""
    marks = [letter for letter in mantissa if letter in ".,"]
    if not marks:
        return [float(mantissa)]
    whole, _, decimals = mantissa.rpartition(marks[-1])
    joined = whole.replace(",", "").replace(".", "")
    readings = [float(joined + decimals)] if len(decimals) == 3 and joined.strip("0") else []
    if len(marks) == 1 or marks[-1] not in marks[:-1]:
        readings.append(float(f"{joined or '0'}.{decimals}"))
    return readings


def _significant(mantissa: str) -> int:
    return len(re.sub(r"\D", "", mantissa).lstrip("0"))


def _in_words(text: str) -> Iterator[Numeral]:
    words = list(_WORD.finditer(text))
    at = 0
    while at < len(words):
        found = _number_at(text, words, at)
        if found is None:
            at += 1
            continue
        value, after, digits = found
        yield _with_percent(text, [value], words[at].start(), words[after - 1].end(), digits)
        at = after


def _number_at(text: str, words: Sequence[re.Match[str]], at: int) -> tuple[float, int, int] | None:
    """The value, the position after it and its significant digits; None where no number in words begins."""
    first = words[at][0]
    article = first in _ARTICLES
    spelled_out = not first.isdecimal()
    whole = _whole_at(text, words, at)
    if whole is None and not article:
        return None
    value, after = whole or (1.0, at + 1)
    if after < len(words) and words[after][0] in _PARTS and _adjoin(text, words, after):
        return value / _PARTS[words[after][0]], after + 1, 0
    if whole is None:
        return None
    decimals, after = _decimals_at(text, words, after)
    if not spelled_out and not decimals:
        return None
    digits = len(f"{value:.0f}{decimals}".lstrip("0"))
    return float(f"{value:.0f}.{decimals or 0}"), after, digits


def _whole_at(text: str, words: Sequence[re.Match[str]], at: int) -> tuple[float, int] | None:
    if words[at][0].isdecimal():
        return float(words[at][0]), at + 1
    if words[at][0] not in _units():
        return None
    total, part, last = 0, _units()[words[at][0]], words[at][0]
    after = at + 1
    while after < len(words) and _adjoin(text, words, after):
        word = words[after][0]
        joined = word in {"and", "und"} and after + 1 < len(words) and words[after + 1][0] in _units()
        if word in {"hundred", "hundert"} and 0 < part < 100:
            part *= 100
        elif word in {"thousand", "tausend", "million", "millionen"} and part:
            total, part = total + part * (1_000_000 if word.startswith("million") else 1_000), 0
        elif joined and last in {"hundred", "hundert", "thousand", "tausend"}:
            pass
        elif word in _units() and _fits(last, part, _units()[word]):
            part += _units()[word]
        else:
            break
        last, after = word, after + 1
    return float(total + part), after


def _fits(last: str, part: int, more: int) -> bool:
    """Whether the number may follow what was said: twenty-one, two hundred (and) five."""
    if last in {"hundred", "hundert", "thousand", "tausend", "and", "und"}:
        return True
    return more < 10 and part % 100 in range(20, 100, 10)


def _decimals_at(text: str, words: Sequence[re.Match[str]], at: int) -> tuple[str, int]:
    if at >= len(words) or words[at][0] not in _POINTS or not _adjoin(text, words, at):
        return "", at
    digits, after = "", at + 1
    while after < len(words) and len(digits) < 15 and _adjoin(text, words, after):
        word = words[after][0]
        more = word if word.isdecimal() else str(_units()[word]) if word in _units() else "0" if word == "oh" else ""
        if not more:
            break
        digits, after = digits + more, after + 1
    return (digits[:15], after) if digits else ("", at)


def _adjoin(text: str, words: Sequence[re.Match[str]], at: int) -> bool:
    return _GAP.fullmatch(text, words[at - 1].end(), words[at].start()) is not None


@cache
def _units() -> dict[str, int]:
    """Every number below 1000 that is one word, in English and in German, umlauts also as two letters."""
    english = {word: value for value, word in enumerate(_ENGLISH_ONES)}
    english |= {word: 10 * value for value, word in enumerate(_ENGLISH_TENS, start=2)}
    german = {_german(value): value for value in range(1000)} | {"hundert": 100, "zwo": 2}
    spelled_out = {
        word.replace("ü", "ue").replace("ö", "oe").replace("ß", "ss"): value for word, value in german.items()
    }
    return {**german, **spelled_out, **english}


def _english(value: int) -> str:
    if value < 20:
        return _ENGLISH_ONES[value]
    if value < 100:
        ones = f" {_ENGLISH_ONES[value % 10]}" if value % 10 else ""
        return _ENGLISH_TENS[value // 10 - 2] + ones
    rest = f" {_english(value % 100)}" if value % 100 else ""
    return f"{_ENGLISH_ONES[value // 100]} hundred{rest}"


def _german(value: int) -> str:
    if value < 20:
        return _GERMAN_ONES[value]
    if value < 100:
        ones = _GERMAN_ONES[value % 10].removesuffix("s") if value % 10 == 1 else _GERMAN_ONES[value % 10]
        return (f"{ones}und" if value % 10 else "") + _GERMAN_TENS[value // 10 - 2]
    hundreds = "ein" if value // 100 == 1 else _GERMAN_ONES[value // 100]
    return f"{hundreds}hundert" + (_german(value % 100) if value % 100 else "")
