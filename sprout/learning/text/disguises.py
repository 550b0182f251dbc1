"""Disguises: readings of a text with hidden words: spelled out, set by initials, encoded, reversed, shifted."""

import base64
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from string import ascii_lowercase

from sprout.learning.text.confusables import plain, unaccented


class Disguise(StrEnum):
    """Way in which words are hidden; the log names it."""

    SPACED = "spaced"
    SYLLABLES = "syllables"
    ACROSTIC = "acrostic"
    CAPITALS = "capitals"
    BASE64 = "base64"
    HEX = "hex"
    BINARY = "binary"
    CHARACTER_CODES = "character_codes"
    ALPHABET_POSITIONS = "alphabet_positions"
    MORSE = "morse"
    REVERSED = "reversed"
    SHIFTED = "shifted"


_CODE = dict(
    zip(
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
        "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. .-.-.- --..-- -..-.".split(),
        "abcdefghijklmnopqrstuvwxyz0123456789.,/",
        strict=True,
    )
)
_MORSE_SIGNS = str.maketrans("·•∙–—−_", "...----")
_MORSE = re.compile(r"(?:[.-]{1,6}[ /|]{1,3}){2,}[.-]{1,6}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{2,4000}={1,2}|[A-Za-z0-9+/_-]{4,4000}")
_HEX = re.compile(r"(?<![^\W_])(?:(?:0x|\\x|%|\\u00)?[0-9a-fA-F]{2}[ ,:\n]{0,2}){3,}(?![^\W_])")
_HEX_MARK = re.compile(r"0x|\\x|\\u00|[% ,:\n]")
_BITS = re.compile(r"(?:[01]{7,8}[ ,\n]{0,2}){2,}")
_NUMBERS = re.compile(r"(?:\d{1,3}[ ,.;\n-]{1,3}){2,}\d{1,3}")
_WORD = re.compile(r"[^\W_]+")
_LONE = re.compile(r"(?<![^\W_])[^\W_](?![^\W_])")
_CHAIN = re.compile(r"[^\W_]{1,12}(?:[-·.*|~/_–—]{1,3}[^\W_]{1,12}){1,40}")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s{1,4}|\n)[\s\W_\d]{0,12}([^\W\d_])")
_LINE_START = re.compile(r"^[\W_\d]{0,12}([^\W\d_])", re.MULTILINE)
_EMPHASISED = re.compile(r"[*_]{1,3}([^\W\d_])[*_]{1,3}")
_SHIFTS = [str.maketrans(ascii_lowercase, ascii_lowercase[by:] + ascii_lowercase[:by]) for by in range(26)]
SHORTEST_BY_INITIALS = 5
SHORTEST_BY_LINES = 4
SHORTEST_SHIFTED = 6


def hidden_words(text: str) -> Iterator[tuple[Disguise, str]]:
    """Decoded readings of the text, each with its disguise, to be searched as if they were said openly."""
    for disguise, reading in _READINGS.items():
        for found in reading(text):
            yield disguise, found


def hidden_letters(text: str) -> Iterator[tuple[Disguise, str, int]]:
    """Runs of letters, unparted, that initials, line beginnings or capitals give, and from what length on they count.
    Single letters give a run too, with and without those that are words (a, I)."""
    words = _WORD.findall(unaccented(text))
    yield Disguise.ACROSTIC, "".join(word[0] for word in words), SHORTEST_BY_INITIALS
    yield Disguise.ACROSTIC, "".join(word[-1] for word in words), SHORTEST_BY_INITIALS
    for starts in (_SENTENCE_START, _LINE_START):
        yield Disguise.ACROSTIC, plain("".join(starts.findall(text))), SHORTEST_BY_LINES
    for capitals in (filter(str.isupper, text), _EMPHASISED.findall(text)):
        yield Disguise.CAPITALS, plain("".join(capitals)), SHORTEST_BY_INITIALS
    lone = [word for word in words if len(word) == 1]
    yield Disguise.SPACED, "".join(lone), SHORTEST_BY_LINES


def shifted(word: str) -> Iterator[str]:
    """A plain word of at least six letters in every Caesar shift; a shorter one only in the well-known one by 13."""
    for by in range(1, 26) if len(word) >= SHORTEST_SHIFTED else (13,):
        yield word.translate(_SHIFTS[by])


def reversed_forms(phrase: str) -> Iterator[str]:
    """A plain phrase backwards: as a whole, without spaces, word by word, and by the order of its words."""
    yield phrase[::-1]
    yield phrase[::-1].replace(" ", "")
    words = phrase.split()
    yield " ".join(word[::-1] for word in words)
    if len(words) > 2:
        yield " ".join(reversed(words))


def _spaced(text: str) -> Iterator[str]:
    """Letters and digits that stand alone, one after the other: c-a-t, "c, a, t", one to a line."""
    run = ""
    last = 0
    for found in _LONE.finditer(text):
        if run and any(letter.isalnum() for letter in text[last : found.start()]):
            yield run
            run = ""
        between = text[last : found.start()].strip()
        run += (between if run and between in {".", ",", "/"} and found[0].isdigit() else "") + found[0]
        last = found.end()
    yield run


def _syllables(text: str) -> Iterator[str]:
    joined = _CHAIN.sub(lambda chain: "".join(_WORD.findall(chain[0])), text)
    if joined != text:
        yield joined


def _base64(text: str) -> Iterator[str]:
    for found in _BASE64.findall(text):
        bare = found.rstrip("=").replace("-", "+").replace("_", "/")
        if len(bare) % 4 != 1:
            yield from _as_text(base64.b64decode(bare + "=" * (-len(bare) % 4)))


def _hex(text: str) -> Iterator[str]:
    for found in _HEX.finditer(text):
        digits = _HEX_MARK.sub("", found[0])
        # What comes before may be a word of two letters that could be hex ("be"): it must not spoil the rest.
        yield bytes.fromhex(digits).decode(errors="replace")


def _bits(text: str) -> Iterator[str]:
    for found in _BITS.finditer(text):
        groups = re.findall("[01]{7,8}", found[0])
        yield "".join(chr(int(group, 2)) for group in groups)


def _codes(text: str) -> Iterator[str]:
    for found in _NUMBERS.finditer(text):
        values = [int(value) for value in re.findall(r"\d+", found[0])]
        if all(32 <= value < 127 for value in values):
            yield "".join(map(chr, values))


def _positions(text: str) -> Iterator[str]:
    for found in _NUMBERS.finditer(text):
        values = [int(value) for value in re.findall(r"\d+", found[0])]
        if all(1 <= value <= 26 for value in values):
            yield "".join(chr(96 + value) for value in values)


def _morse(text: str) -> Iterator[str]:
    for found in _MORSE.finditer(text.translate(_MORSE_SIGNS)):
        words = re.split(r"\s*[/|]\s*| {2,}", found[0])
        yield " ".join("".join(_CODE.get(sign, "?") for sign in word.split()) for word in words)


def _as_text(data: bytes) -> Iterator[str]:
    try:
        text = data.decode()
    except UnicodeDecodeError:  # bytes that were no text: an ordinary word looks like base64 too
        return
    if text.isprintable():
        yield text


_READINGS: dict[Disguise, Callable[[str], Iterator[str]]] = {
    Disguise.SPACED: _spaced,
    Disguise.SYLLABLES: _syllables,
    Disguise.BASE64: _base64,
    Disguise.HEX: _hex,
    Disguise.BINARY: _bits,
    Disguise.CHARACTER_CODES: _codes,
    Disguise.ALPHABET_POSITIONS: _positions,
    Disguise.MORSE: _morse,
}
