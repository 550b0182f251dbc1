"""Words of a printed page, with the font and the place of each."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from sprout.documents.formats.pdf.tex_fonts import SLASH

WORD_GAP = 0.16  # of the size; the narrowest space of justified text is about 0.2
MIN_SPACED_LETTERS = 6
MAX_SPACED_GAP = 0.9
SPACED_WORD_GAP = 1.6
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_COMPATIBLE = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufdfb\ufe70-\ufefc\U0001d400-\U0001d7ff]")
_ACCENTS = dict(zip("¨´ˆ˜ˇ˚˘˙`", "\u0308\u0301\u0302\u0303\u030c\u030a\u0306\u0307\u0300", strict=True)) | {
    SLASH: SLASH
}
_ACCENTED = re.compile(rf"([¨´ˆ˜ˇ˚˘˙]|(?<=[^\W\d_])`|(?<=[^\W\d_][-’'])`|^`(?=a$))([A-Za-zıȷ])|({SLASH})([=∈∋⊂⊃≡∼≤≥])")
_LOST_LIGATURE = re.compile(r"(?<=[^\W\d_])↵(?=[^\W\d_])")  # of TeX fonts whose encoding is taken for another
_LEADING_POINT = re.compile(r"^([.,:;!?]+)([\d/.,:%-]*\d)$")
_AFTER_EUROPEAN = "\u0180"  # the letters before it are those of the languages of Europe
_LATIN = re.compile("[A-Za-z]")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_DIGITS = "0123456789+-−=()ni"
_RAISED = dict(zip(_DIGITS, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True))
_LOWERED = dict(zip(_DIGITS[:-2], "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))


@dataclass(frozen=True, slots=True)
class Font:
    """Properties of the font of some text; a font of symbols has bullets in the places of letters.

    Args:
        tex: the encoding of a mathematical font of TeX.
    """

    bold: bool = False
    italic: bool = False
    mono: bool = False
    math: bool = False
    symbols: bool = False
    tex: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """Characters of one font without white space between them.

    Args:
        x0, x1, top, bottom: the box in points, from the left and the upper edge of the upright page.
        base: the line that the characters stand on.
        size: the size of the font in points.
        spaced: whether the file has a space before it.
    """

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    base: float
    size: float
    font: Font
    spaced: bool = False

    @property
    def right_to_left(self) -> bool:
        """Whether it is written from right to left."""
        return is_right_to_left(self.text)


def is_right_to_left(text: str) -> bool:
    """Whether the text has letters that are written from right to left."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def plain_letters(text: str) -> str:
    """The text with ligatures, presentation forms and mathematical alphabets as ordinary letters, and accents that are
    characters of their own on the letters after them."""
    if text.isascii() and "`" not in text:
        return text
    plain = _COMPATIBLE.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return _ACCENTED.sub(
        lambda found: _with_accent(found[1] or found[3], found[2] or found[4]), _LOST_LIGATURE.sub("ff", plain)
    )


def _with_accent(accent: str, letter: str) -> str:
    letter = {"ı": "i", "ȷ": "j"}.get(letter, letter)
    whole = unicodedata.normalize("NFC", letter + _ACCENTS[accent])
    return whole if len(whole) == 1 else accent + letter


def join_accents(words: Sequence[Word]) -> list[Word]:
    """The words of a line, where an accent that is drawn over the next letter, or over a word, is part of that word."""
    found: list[Word] = []
    for word in words:
        last = found[-1] if found else None
        if last is not None and word.text in _ACCENTS and last.x0 < word.x0 and word.x1 < last.x1:
            found[-1] = _with_accent_over(last, word)
        elif (last is not None and last.text[-1] in _ACCENTS and word.x0 < last.x1 + 0.02 * word.size) or (
            last is not None and _ends_before_accent(last, word)
        ):
            found[-1] = replace(last, text=plain_letters(last.text + word.text), x1=max(last.x1, word.x1))
        else:
            found.append(word)
    return found


def _with_accent_over(word: Word, accent: Word) -> Word:
    """The word with an accent that was drawn after it, on the letter that can have it and stands nearest below."""
    share = ((accent.x0 + accent.x1) / 2 - word.x0) / (word.x1 - word.x0)
    accented = {at: _with_accent(accent.text, letter) for at, letter in enumerate(word.text)}
    can = [at for at, whole in accented.items() if len(whole) == 1 and whole < _AFTER_EUROPEAN]
    if not can:
        return replace(word, text=word.text + accent.text)
    nearest = min(can, key=lambda at: abs((at + 0.5) / len(word.text) - share))
    return replace(word, text=word.text[:nearest] + accented[nearest] + word.text[nearest + 1 :])


def _ends_before_accent(last: Word, word: Word) -> bool:
    """Whether the word begins with the accented letter that the last one was divided at."""
    return word.text[0] in _ACCENTS and len(word.text) > 1 and not is_apart(last, word) and last.text[-1].isalpha()


def is_apart(before: Word, word: Word) -> bool:
    """Whether white space stands between two neighbours of a line, in either direction of writing."""
    gap = max(word.x0 - before.x1, before.x0 - word.x1)
    return word.spaced or gap > WORD_GAP * min(before.size, word.size)


def join_spaced_letters(words: Sequence[Word]) -> list[Word]:
    """The words of a line; letters that are s p a c e d  o u t are words again."""
    found: list[Word] = []
    run: list[Word] = []
    for word in words:
        if run and not _continues_spaced(run[-1], word):
            found += _join_run(run)
            run = []
        run.append(word)
    return found + _join_run(run)


def _continues_spaced(before: Word, word: Word) -> bool:
    near = -0.1 * word.size < word.x0 - before.x1 < MAX_SPACED_GAP * word.size
    return near and len(word.text) == len(before.text) == 1 and word.text.isalpha() and word.font == before.font


def _join_run(run: list[Word]) -> list[Word]:
    if len(run) < MIN_SPACED_LETTERS or run[0].font.math:
        return run
    gaps = [word.x0 - before.x1 for before, word in pairwise(run)]
    limit = SPACED_WORD_GAP * max(median(gaps), WORD_GAP * run[0].size / 2)
    found = [run[0]]
    for gap, word in zip(gaps, run[1:], strict=True):
        if gap > limit:
            found.append(replace(word, spaced=True))
        else:
            found[-1] = replace(found[-1], text=found[-1].text + word.text, x1=word.x1)
    return found


def raise_or_lower(word: Word, base: float, size: float) -> Word:
    """The word on a line; digits above or below it as superscript or subscript digits."""
    offset = base - word.base
    if word.size > 0.85 * size or abs(offset) < 0.08 * size:
        return word
    table = _RAISED if offset > 0 else _LOWERED
    if not all(character in table for character in word.text):
        return word
    return replace(word, text="".join(table[character] for character in word.text))


def in_reading_order(words: Sequence[Word]) -> list[Word]:
    """The words of a line, given from left to right, in the order in which they are read.

    In a line from right to left, Latin words and numbers keep their order, and brackets have the shape of the other.
    """
    if 2 * sum(len(word.text) for word in words if word.right_to_left) <= sum(len(word.text) for word in words):
        return list(words)
    found: list[Word] = []
    other: list[Word] = []
    for at in range(len(words) - 1, -1, -1):
        word = words[at]
        if _is_latin(word) or (other and at and _is_latin(words[at - 1]) and _is_glued(words, at)):
            other.append(word)
        else:
            found += [*reversed(other), word]
            other = []
    found += reversed(other)
    return [word if _LATIN.search(word.text) else replace(word, text=_mirrored(word.text)) for word in found]


def _mirrored(text: str) -> str:
    """A word without Latin letters in a line from right to left; a point on the left of a number comes after it."""
    return _LEADING_POINT.sub(r"\2\1", text.translate(_MIRRORED))


def _is_latin(word: Word) -> bool:
    return not word.right_to_left and any(character.isalnum() for character in word.text)


def _is_glued(words: Sequence[Word], at: int) -> bool:
    """Whether no space stands on either side of the word."""
    return not is_apart(words[at - 1], words[at]) and not is_apart(words[at], words[at + 1])
