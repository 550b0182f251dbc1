"""Inline Markdown of printed lines: emphasis and code by the fonts, with what only looks like markup escaped."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from sprout.documents.formats.pdf.hyphenation import dehyphenate
from sprout.documents.formats.pdf.lines import Line
from sprout.documents.formats.pdf.words import Font, is_apart

MAX_MARKED_SHARE = 0.6
MIN_MARKED_LETTERS = 2
_MARKUP = re.compile(r"[*`\\]|(?<!\w)_|_(?!\w)|<(?=[a-zA-Z/!?])|\[(?=\^)|(?<=\])\(|&(?=#?\w{1,30};)")
_BLOCK_START = re.compile(r"^(?=>|:\s|[+]\s|\[)|^(?P<number>\d{1,9})(?=[.)]\s)")
_EDGES = re.compile(r"^([\s.,;:!?()\[\]'\"“”‘’„«»–—]*)(.*?)([\s.,;:!?()\[\]'\"“”‘’„«»–—]*)$", re.DOTALL)
BOLD, ITALIC, CODE, PLAIN = "**", "*", "`", ""


def render(lines: Sequence[Line], words: frozenset[str], *, emphasis: bool = True) -> str:
    """The lines as one paragraph of inline Markdown.

    Args:
        words: the vocabulary of the document, for words divided at the end of a line.
        emphasis: whether bold and italic words are marked; never if most of the paragraph is set so.
    """
    pieces = _join_lines(lines, words)
    kept = _worth_marking(pieces) if emphasis else frozenset((CODE,))
    pieces = [(mark if mark in kept else PLAIN, text) for mark, text in pieces]
    merged = [
        (mark, "".join(text for _, text in these)) for mark, these in groupby(_absorb_spaces(pieces), lambda it: it[0])
    ]
    return "".join(_mark(mark, text) for mark, text in merged).strip()


def escape_inline(text: str) -> str:
    """The text with what Markdown would read as markup escaped."""
    escaped = _MARKUP.sub(r"\\\g<0>", text)
    return escaped.replace("$", "\\$") if escaped.count("$") > 1 else escaped


def escape_start(text: str) -> str:
    """A paragraph whose beginning is not read as a list, a quotation or a definition."""
    return _BLOCK_START.sub(lambda found: f"{found['number']}\\" if found["number"] else "\\", text)


def _join_lines(lines: Sequence[Line], words: frozenset[str]) -> list[tuple[str, str]]:
    """The marks and texts of the words of all lines, with the spaces between them."""
    found: list[tuple[str, str]] = []
    for at, line in enumerate(lines):
        if at:
            before = lines[at - 1].text
            head, joint = dehyphenate(before, line.text, words)
            mark, last = found[-1]
            found[-1] = (mark, last[: len(last) - (len(before) - len(head))])
            if joint:
                found.append((PLAIN, joint))
        found += _pieces(line)
    return found


def _pieces(line: Line) -> Iterator[tuple[str, str]]:
    yield _mark_of(line.reading[0].font), line.reading[0].text
    for before, word in pairwise(line.reading):
        if is_apart(before, word):
            yield PLAIN, " "
        yield _mark_of(word.font), word.text


def _mark_of(font: Font) -> str:
    if font.mono:
        return CODE
    return BOLD if font.bold else ITALIC if font.italic else PLAIN


def _worth_marking(pieces: Sequence[tuple[str, str]]) -> frozenset[str]:
    total = sum(len(text.strip()) for _, text in pieces) or 1
    shares = {
        mark: sum(len(text.strip()) for own, text in pieces if own == mark) / total for mark in (BOLD, ITALIC, CODE)
    }
    return frozenset(mark for mark, share in shares.items() if share <= MAX_MARKED_SHARE)


def _absorb_spaces(pieces: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pieces, where a space between two of the same mark is one of them."""
    found = list(pieces)
    for at in range(1, len(found) - 1):
        if found[at][1].isspace() and found[at - 1][0] == found[at + 1][0]:
            found[at] = (found[at - 1][0], found[at][1])
    return found


def _mark(mark: str, text: str) -> str:
    """The text between its marks, with punctuation and spaces at its edges outside of them."""
    if mark == CODE and "`" not in text and text.strip():
        code = text.strip()
        inner = code.rstrip(",.") or code
        return f"`{inner}`{code[len(inner) :]}"
    before, inner, after = _EDGES.match(text).groups()  # type: ignore[union-attr]
    if mark in (PLAIN, CODE) or sum(character.isalpha() for character in inner) < MIN_MARKED_LETTERS:
        return escape_inline(text)
    return f"{escape_inline(before)}{mark}{escape_inline(inner)}{mark}{escape_inline(after)}"
