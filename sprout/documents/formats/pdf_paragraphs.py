"""Paragraphs of a printed page: its lines joined, with words hyphenated at a line end restored."""

import re
from collections.abc import Iterable, Sequence

SHORT_LINE_RATIO = 0.8
_WORDS = re.compile(r"\w+(?:-\w+)+|\w+")
_ENDS_SENTENCE = re.compile(r"[.!?…:;][\"'”’»)\]]*$")
_LIST_MARKER = re.compile(r"(?:[•‣◦▪●○■□–—*·]|[-+]\s|\(?\d{1,3}[.)]\s|\(?[a-z]\)\s)")
_HYPHENATED = re.compile(r"([^\W\d_]+)[-\u2010\xad]$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_COMMON_SECOND_HALF = frozenset("und oder bzw sowie bis and or to et ou y o e".split())
SOFT_HYPHEN = "\xad"


def vocabulary(pages: Iterable[Iterable[str]]) -> frozenset[str]:
    """All words of the text, hyphenated ones too, for looking up divided words."""
    return frozenset(word.casefold() for page in pages for line in page for word in _WORDS.findall(line))


def build_paragraphs(lines: Sequence[str], words: frozenset[str]) -> list[str]:
    """The lines in paragraphs: one ends with a short line that ends a sentence, and before an item of a list."""
    full = max((len(line) for line in lines), default=0)
    found: list[str] = []
    ended = True
    for line in lines:
        if ended or _LIST_MARKER.match(line):
            found.append(line)
        else:
            found[-1] = join_line(found[-1], line, words)
        ended = len(line) < SHORT_LINE_RATIO * full and ends_sentence(line)
    return found


def ends_sentence(text: str) -> bool:
    """Whether the text ends with a sentence."""
    return _ENDS_SENTENCE.search(text) is not None


def continues(text: str, following: str) -> bool:
    """Whether a paragraph of the next page goes on with what the last one of a page says."""
    return not ends_sentence(text) and following[:1].islower() and not _LIST_MARKER.match(following)


def join_line(text: str, line: str, words: frozenset[str]) -> str:
    """The text and its next line; a word that was divided is whole again."""
    head, joint = dehyphenate(text, line, words)
    return f"{head}{joint}{line}"


def dehyphenate(text: str, line: str, words: frozenset[str]) -> tuple[str, str]:
    """The text without a hyphen that only divides a word, and what stands between it and the next line."""
    head, tail = _HYPHENATED.search(text), _FIRST_WORD.match(line)
    if head is None or tail is None or not tail[0][0].islower() or tail[0] in _COMMON_SECOND_HALF:
        return text, "\n"
    if text.endswith(SOFT_HYPHEN):
        return text[:-1], ""
    whole, with_hyphen = (f"{head[1]}{mark}{tail[0]}".casefold() for mark in ("", "-"))
    if with_hyphen in words and whole not in words:
        return text, ""
    return text[:-1], ""
