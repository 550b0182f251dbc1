"""Inline Markdown of printed lines: emphasis and code by the fonts."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from sprout.documents.formats.markdown_inline import lines_markdown
from sprout.documents.formats.pdf.hyphenation import dehyphenate
from sprout.documents.formats.pdf.lines import Line
from sprout.documents.formats.pdf.words import Font, is_apart
from sprout.documents.formats.spans import Span, SpanKind, tidy_spans

MAX_MARKED_SHARE = 0.6
MIN_MARKED_LETTERS = 2
ADDRESS = re.compile(r"[\w.+{}-]@[\w-]+\.\w")  # of an author: set as a typewriter does, and no code
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
    return lines_markdown([tidy_spans(span for mark, text in merged for span in _spans(mark, text))])


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


def _spans(mark: str, text: str) -> Iterator[Span]:
    """The text as spans, with punctuation and spaces at the edges of what is marked outside of it."""
    if mark == CODE and "`" not in text and text.strip() and not ADDRESS.search(text):
        code = text.strip()
        inner = code.rstrip(",.") or code
        yield from (Span(inner, SpanKind.CODE), Span(f"{code[len(inner) :]}{text[len(text.rstrip()) :]}"))
        return
    before, inner, after = _EDGES.match(text).groups()  # type: ignore[union-attr]
    marked = mark in (BOLD, ITALIC) and sum(character.isalpha() for character in inner) >= MIN_MARKED_LETTERS
    for part, is_inner in ((before, False), (inner, True), (after, False)):
        yield Span(part, strong=is_inner and marked and mark == BOLD, emphasis=is_inner and marked and mark == ITALIC)
