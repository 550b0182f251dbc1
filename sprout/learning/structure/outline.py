"""Outline of a document: its sections with their honest titles, roles and sizes, without their text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sprout.learning.structure.heading_roles import Role
from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.roles import ClassifiedSection, classify
from sprout.learning.structure.titles import heading_key, with_clean_titles
from sprout.learning.structure.tree import Definition, Section

MAX_CACHED = 8

_WORD = re.compile(r"[\u2e80-\ua4cf]|[^\W\d_\u2e80-\ua4cf]+")  # each sign of a script without spaces is one


@dataclass(frozen=True, slots=True)
class OutlinedSection:
    """A section of a document, or at level 0 the document itself.

    Args:
        path: the titles from the top down to this one, without numbering; empty for the document.
        role, reason: as `classify` gives them.
        end: of the whole section; `own_end` is where its first subsection begins.
        words: of its own, without those below; in a section of content only those to learn.
    """

    path: tuple[str, ...]
    role: Role
    reason: str
    start: int
    own_end: int
    end: int
    words: int
    subsections: tuple["OutlinedSection", ...] = ()

    @property
    def title(self) -> str:
        return self.path[-1] if self.path else ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The path as keys, by which a heading is found again."""
        return tuple(map(heading_key, self.path))

    @property
    def all_words(self) -> int:
        """The words of this section and of all below."""
        return self.words + sum(below.all_words for below in self.subsections)


@lru_cache(maxsize=MAX_CACHED)  # a book takes a second, and each view of its path asks again
def outline_of(text: str) -> OutlinedSection:
    """The outline of a stored text. Nothing raises, whatever the text."""
    root = read_structure(text)
    return _outlined(classify(root, text), with_clean_titles(root), ())


def _outlined(classified: ClassifiedSection, clean: Section, above: tuple[str, ...]) -> OutlinedSection:
    path = (*above, clean.title) if clean.title and clean.level else above
    below = tuple(
        _outlined(each, its_clean, path)
        for each, its_clean in zip(classified.subsections, clean.subsections, strict=True)
    )
    learned = classified.role is Role.CONTENT
    blocks = [
        each.block
        for each in classified.blocks
        if each.role is Role.CONTENT or not learned or isinstance(each.block, Definition)
    ]
    return OutlinedSection(
        path,
        classified.role,
        classified.reason,
        clean.start,
        below[0].start if below else clean.end,
        clean.end,
        sum(len(_WORD.findall(text_of(block))) for block in blocks),
        below,
    )


def iter_outline(section: OutlinedSection) -> Iterator[OutlinedSection]:
    """The section and all below it, in the order of the document."""
    yield section
    for below in section.subsections:
        yield from iter_outline(below)
