"""Text normalization: tidying text for storage, and folding it for comparison."""

import re
import unicodedata
from collections.abc import Collection

# Control characters but newline and tab, bidirectional and zero-width ones, tags, surrogates. The joiners
# U+200C and U+200D stay: they shape letters and emoji.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
_JOINERS = re.compile("[\u200c\u200d]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


def tidy(text: str) -> str:
    """The text as it can be kept: composed, lines ended by one newline, without control, bidirectional and zero-width
    characters, trimmed."""
    if text.isascii() and text.isprintable():  # most are, and have nothing of all that
        return text.strip()
    kept = _HIDDEN.sub("", "\n".join(text.splitlines()))
    return unicodedata.normalize("NFC", kept).strip()


def one_line(text: str) -> str:
    """`tidy`, and every run of white space is one space."""
    return " ".join(tidy(text).split())


def folded(text: str) -> str:
    """The text for comparing: compatibility forms, capitals, white space and invisible characters make no difference.

    Source: compatibility caseless matching, Unicode 15, D146.
    """
    seen = _JOINERS.sub("", _HIDDEN.sub("", " ".join(text.split())))
    once = unicodedata.normalize("NFKD", unicodedata.normalize("NFD", seen).casefold())
    return " ".join(unicodedata.normalize("NFKC", once.casefold()).split())


def without_categories(text: str, categories: Collection[str]) -> str:
    """The text without the characters of these Unicode categories, in which no character of ASCII is."""
    return _BEYOND_ASCII.sub(
        lambda found: "".join(letter for letter in found[0] if unicodedata.category(letter) not in categories), text
    )


def occurs_in(phrase: str, text: str) -> bool:
    """Whether the phrase stands in the text as whole words; both folded.

    In scripts that do not part words by spaces, anywhere.
    """
    if phrase not in text:  # most do not, and compiling an expression for each is what would take the time
        return False
    if any(unicodedata.category(character) == "Lo" for character in phrase):
        return True
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text) is not None
