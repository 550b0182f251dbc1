"""Hyphenation of printed lines: words divided at the end of a line, and sentences that go on after it."""

import re
from collections.abc import Iterable

_WORDS = re.compile(r"\w+(?:-\w+)+|\w+")
_ENDS_SENTENCE = re.compile(r"[.!?…:;][\"'”’»)\]]*$")
_LIST_MARKER = re.compile(r"(?:[•‣◦▪●○■□–—*·]|[-+]\s|\(?\d{1,3}[.)]\s|\(?[a-z]\)\s)")
HYPHENATED = re.compile(r"([^\W\d_]+)[-\u2010\xad]$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_COMMON_SECOND_HALF = frozenset("und oder bzw sowie bis and or to et ou y o e".split())
_UNSPACED = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")  # Chinese and Japanese
SOFT_HYPHEN = "\xad"
TAIL = 100  # the characters at the end of a text that are looked at


def vocabulary(lines: Iterable[str]) -> frozenset[str]:
    """All words of the text, hyphenated ones too, for looking up divided words."""
    return frozenset(word.casefold() for line in lines for word in _WORDS.findall(line))


def ends_sentence(text: str) -> bool:
    """Whether the text ends with a sentence."""
    return _ENDS_SENTENCE.search(text[-TAIL:]) is not None


def continues(text: str, following: str) -> bool:
    """Whether a paragraph of the next page goes on with what the last one of a page says."""
    start = following.lstrip("*`")
    return not ends_sentence(text) and start[:1].islower() and not _LIST_MARKER.match(following)


def dehyphenate(text: str, line: str, words: frozenset[str]) -> tuple[str, str]:
    """The text without a hyphen that only divides a word, and the separator between it and the next line."""
    if _UNSPACED.match(text[-1:]) and _UNSPACED.match(line):
        return text, ""
    head, tail = HYPHENATED.search(text[-TAIL:]), _FIRST_WORD.match(line)
    if head is None or tail is None or not tail[0][0].islower() or tail[0] in _COMMON_SECOND_HALF:
        return text, " "
    if text.endswith(SOFT_HYPHEN):
        return text[:-1], ""
    whole, with_hyphen = (f"{head[1]}{mark}{tail[0]}".casefold() for mark in ("", "-"))
    if with_hyphen in words and whole not in words:
        return text, ""
    return text[:-1], ""


def join_sentences(text: str, following: str, words: frozenset[str]) -> tuple[str, str]:
    """`dehyphenate` for two paragraphs of Markdown, whose marks at the edges are no part of the words."""
    bare = text.rstrip("*`")
    head, joint = dehyphenate(bare, following.lstrip("*`"), words)
    return f"{head}{text[len(bare) :]}", joint
