"""Outline of a learner's documents for the topic agent: headings with sizes, and those that no concept teaches."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sprout.agents.documents.section_paths import GAP
from sprout.agents.fences import fenced
from sprout.learning.paths.passages import HEADING_SEPARATOR, Passage
from sprout.learning.structure.heading_roles import Role
from sprout.learning.structure.outline import OutlinedSection, iter_outline, outline_of

DEEPEST = 3
MAX_LINES = 120
MAX_CHARACTERS = 6_000
MAX_NAME = 80
MUCH = 0.5  # of the words, from which on what no concept teaches is named


@dataclass(frozen=True, slots=True)
class _Heading:
    """A section of content with words of its own, and the passages that they stand in."""

    path: tuple[str, ...]
    words: int
    passages: frozenset[Passage]


class NotesOutline:
    """The sections of documents that passages are of, in the order of the passages."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._documents = [(name, list(group)) for name, group in groupby(passages, lambda passage: passage.document)]
        self._outlines = [outline_of(GAP.join(one.text for one in group)) for _, group in self._documents]
        self._headings = [
            heading
            for (_, group), outline in zip(self._documents, self._outlines, strict=True)
            for heading in _headings(group, outline)
        ]

    def elements(self) -> str:
        """An element for each document that has headings: a line for each, with the words of its whole section."""
        found = []
        for (name, _), outline in zip(self._documents, self._outlines, strict=True):
            lines = [*_lines(outline)]
            more = [f"and {len(lines) - MAX_LINES} more"] if len(lines) > MAX_LINES else []
            if lines:
                text = "\n".join([*lines[:MAX_LINES], *more])
                found.append(fenced("outline", text, limit=MAX_CHARACTERS, document=name))
        return "\n".join(found)

    def untaught(self, taught: Iterable[Passage]) -> list[str]:
        """The headings of content without a taught passage, with their words; none where they are less than half."""
        passages = frozenset(taught)
        left = [one for one in self._headings if not one.passages & passages]
        whole = sum(one.words for one in self._headings)
        if sum(one.words for one in left) < MUCH * max(whole, 1):
            return []
        return [f"{HEADING_SEPARATOR.join(one.path)[-MAX_NAME:]} ({one.words} words)" for one in left]


def _headings(passages: Sequence[Passage], outline: OutlinedSection) -> Iterator[_Heading]:
    places: list[tuple[int, int, Passage]] = []
    start = 0
    for passage in passages:
        places.append((start, start + len(passage.text), passage))
        start += len(passage.text) + len(GAP)
    for section in iter_outline(outline):
        if section.path and section.words and section.role is Role.CONTENT:
            own = [passage for start, end, passage in places if start < section.own_end and end > section.start]
            yield _Heading(section.path, section.words, frozenset(own))


def _lines(section: OutlinedSection) -> Iterator[str]:
    depth = len(section.path)
    if section.path and section.all_words:
        reason = f", {section.reason}" if section.reason else ""
        yield f"{'  ' * (depth - 1)}- {section.title[:MAX_NAME]} ({section.all_words} words{reason})"
    if depth < DEEPEST:
        for below in section.subsections:
            yield from _lines(below)
