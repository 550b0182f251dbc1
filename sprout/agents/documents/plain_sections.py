"""Headings of plain text: passages of documents that mark none, with the paths of headings that their form shows."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from sprout.learning.paths.passages import HEADING_SEPARATOR, Passage
from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.tree import Section

MAX_CHARACTERS = 200_000  # longer texts are books, in which a short line is seldom a heading
GAP = "\n\n"


def with_section_headings(passages: Sequence[Passage]) -> list[Passage]:
    """The passages; those of a document without any heading under the headings that its lines show."""
    found: list[Passage] = []
    for _, group in groupby(passages, lambda passage: passage.document):
        own = list(group)
        length = sum(len(passage.text) for passage in own)
        plain = not any(passage.heading for passage in own)
        found += _headed(own) if plain and length <= MAX_CHARACTERS else own
    return found


def _headed(passages: Sequence[Passage]) -> Iterator[Passage]:
    """Each passage under the last heading that begins within it or before it."""
    headings = list(_iter_headings(read_structure(GAP.join(passage.text for passage in passages)), ()))
    start = 0
    path: tuple[str, ...] = ()
    for passage in passages:
        first_own = next((at for at, (begin, _) in enumerate(headings) if begin >= start), len(headings))
        if first_own:
            path = headings[first_own - 1][1]
        begins = [one for begin, one in headings if begin == start]
        shown = begins[0] if begins else path
        yield replace(passage, heading=HEADING_SEPARATOR.join(shown) or None)
        start += len(passage.text) + len(GAP)


def _iter_headings(section: Section, above: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    path = (*above, section.title) if section.title and section.level else above
    if section.level:
        yield section.start, path
    for below in section.subsections:
        yield from _iter_headings(below, path)
