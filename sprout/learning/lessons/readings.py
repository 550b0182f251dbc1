"""Readings: the stretch of a learner's document that a question is about, and the sentences in it that settle it."""

import re
from collections.abc import Iterable

from sprout.events import ReadingShown
from sprout.learning.lessons.help_ladder import HelpLadder, LadderStep
from sprout.learning.structure.sentences import sentences_of

MOSTLY = 0.7  # of the words of a sentence
MOST_BETWEEN = 8  # words of markup within a sentence
_WORD = re.compile(r"\]\([^)\s]*\)|<[^<>\n]{1,300}>|\{:[^}\n]*\}|^\s*\d{1,3}[.)]\s|([^\W_]+)", re.MULTILINE)
_OPENERS, _CLOSERS = "*_`$([\"'“„«‘¿¡\\", "*_`$\\)]\"'”“»’.!?…。！？"
_SETTLED = frozenset({LadderStep.COMPARE, LadderStep.COMPARED, LadderStep.SOLVED, LadderStep.WORK_THROUGH})


def literal_pieces(text: str, sentences: Iterable[str]) -> list[str]:
    """The pieces of Markdown that the sentences are, each once; a sentence that does not stand there is left out."""
    found = (find_piece(text, sentence) for sentence in sentences)
    return list(dict.fromkeys(piece for piece in found if piece))


def find_piece(text: str, sentence: str) -> str:
    """The shortest piece of Markdown that has the words of the sentence in their order and few others between them;
    else the sentence of it that has most of them.

    Markup, addresses and numbers of list items are no words; references and attributes may stand between. Empty if
    there is neither.
    """
    wanted, words = [word for word, _, _ in _words(sentence)], _words(text)
    starts = (at for at, (word, _, _) in enumerate(words) if wanted and word == wanted[0])
    ends = [(start, end) for start in starts if (end := _end_of(wanted, [word for word, _, _ in words], start))]
    if not ends:
        return _nearest_sentence(text, frozenset(wanted))
    first, last = min(ends, key=lambda span: span[1] - span[0])
    return _with_marks(text, words[first][1], words[last - 1][2])


def _nearest_sentence(text: str, wanted: frozenset[str]) -> str:
    """The sentence with most of the words, which formulas and signs may have been changed in."""
    sentences = [sentence for line in text.splitlines() for sentence in sentences_of(line)]
    shared = [(len(wanted & {word for word, _, _ in _words(sentence)}), sentence) for sentence in sentences]
    most, best = max(shared, key=lambda pair: pair[0], default=(0, ""))
    return best if wanted and most >= MOSTLY * len(wanted) else ""


def _end_of(wanted: list[str], words: list[str], start: int) -> int | None:
    """Behind the last of the wanted words, read on from a start; None if too many others stand between."""
    at, most = start, start + len(wanted) + max(MOST_BETWEEN, len(wanted) // 2)
    for word in wanted:
        while at < min(most, len(words)) and words[at] != word:
            at += 1
        if at >= min(most, len(words)):
            return None
        at += 1
    return at


def visible_reading(reading: ReadingShown | None, ladder: HelpLadder) -> ReadingShown | None:
    """The reading as its learner sees it: what settles the question comes with its answer (rule Q6)."""
    if reading is None or ladder.step in _SETTLED:
        return reading
    return reading.model_copy(update={"settled_by": []})


def _words(text: str) -> list[tuple[str, int, int]]:
    """The words of Markdown without capitals, each with its place."""
    return [(found[1].casefold(), *found.span(1)) for found in _WORD.finditer(text) if found[1]]


def _with_marks(text: str, start: int, end: int) -> str:
    """The characters from `start` to `end` with the marks right before and after them."""
    while start > 0 and text[start - 1] in _OPENERS:
        start -= 1
    while end < len(text) and text[end] in _CLOSERS:
        end += 1
    return text[start:end]
