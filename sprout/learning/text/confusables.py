"""Confusables: text reduced to the letters and digits that a reader sees, whatever characters it is written in."""

import re
import unicodedata
from functools import lru_cache

from sprout.learning.text.normalization import folded, without_categories

_LOOKALIKES = str.maketrans(
    {
        **dict(zip("авеёзіїјкмнорстухцԁѕԛԝһӏпг", "abee3iijkmhopctyxudsqwhlnr", strict=True)),
        **dict(zip("αβγεζηικμνορτυχω", "abyeznikmvoptuxw", strict=True)),
        **dict(zip("ıłøđħŧƒɑɡɩɪʀʏ", "ilodhtfagiiry", strict=True)),
        **{chr(0x1F1E6 + at): chr(ord("a") + at) for at in range(26)},
        **{chr(0x1F150 + at): chr(ord("a") + at) for at in range(26)},
        **{chr(0x1F170 + at): chr(ord("a") + at) for at in range(26)},
        "æ": "ae",
        "œ": "oe",
        "\u3164": None,  # fillers that are letters and show nothing
        "\u115f": None,
        "\u1160": None,
        "\u2800": " ",
    }
)
_LEET = str.maketrans("0134578@$€l", "oieastbasei")
_BARS = re.compile(r"[!|](?=\w)")  # before a letter they stand for one; at the end of a word they are themselves
_UNMEANT = re.compile(r"\\(?:left|right|cdot|times|,)|[\s`\"'“”‘’„*·×_$\\;{}^]|(?<!\d)\.(?!\d)")
_NOT_WORD = re.compile(r"[\W_]+")
_DOUBLED = re.compile(r"(.)\1")


# A sentence is read several times, and again with each one after it.
_cached = lru_cache(maxsize=256)


@_cached
def unaccented(text: str) -> str:
    """The folded text without diacritics and other marks, and look-alikes of Latin letters as Latin letters."""
    letters = without_categories(unicodedata.normalize("NFD", folded(text)), ("Mn",))
    return unicodedata.normalize("NFC", letters).translate(_LOOKALIKES)


@_cached
def plain(text: str) -> str:
    """Words alone, parted by one space: no capitals, accents, look-alikes or punctuation."""
    return " ".join(_NOT_WORD.sub(" ", unaccented(text)).split())


def without_spacing(text: str) -> str:
    """The text without space, quotation marks, mark-up and signs of multiplication: for code and formulas, whose other
    signs carry meaning."""
    return _UNMEANT.sub("", unaccented(text).replace("\u2212", "-"))


@_cached
def skeleton(text: str) -> str:
    """`plain`, and letters that are written as digits and signs, doubled, or as they sound make no difference."""
    words = _NOT_WORD.sub(" ", _BARS.sub("i", unaccented(text)).translate(_LEET)).split()
    return _DOUBLED.sub(r"\1", " ".join(words).replace("ph", "f"))


def occurrences(phrase: str, text: str) -> list[tuple[int, int]]:
    """Spans of the plain phrase in a lower-case text, as whole words.

    Anything but letters and digits may stand between its words.
    """
    return [found.span() for found in _phrase(phrase).finditer(text)] if phrase else []


@_cached
def _phrase(phrase: str) -> re.Pattern[str]:
    words = r"[\W_]{1,6}".join(re.escape(word) for word in phrase.split())
    return re.compile(rf"(?<![^\W_]){words}(?![^\W_])")
