"""Section paths of passages: the headings under which each stands, those of plain text among them."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from sprout.learning.paths.passages import HEADING_SEPARATOR, Passage
from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.titles import only_continues
from sprout.learning.structure.tree import Section

MAX_CHARACTERS = 200_000  # longer texts are books, in which a short line is seldom a heading
GAP = "\n\n"
MAX_CACHED = 16

Path = tuple[str, ...]


def section_paths(passages: Sequence[Passage]) -> list[tuple[Path, ...]]:
    """For each passage the paths of headings that it stands under or begins.

    A document without any marked heading has those that the form of its lines shows. What stands before the first
    heading is under the title that the document gives itself.
    """
    found: list[tuple[Path, ...]] = []
    for _, group in groupby(passages, lambda passage: passage.document):
        own = list(group)
        plain = not any(passage.heading for passage in own)
        if plain and sum(len(passage.text) for passage in own) <= MAX_CHARACTERS:
            found += _plain_paths(own)
        else:
            found += _marked_paths(own)
    return found


def _marked_paths(passages: Sequence[Passage]) -> Iterator[tuple[Path, ...]]:
    path = _opening_path(passages[0])
    for passage in passages:
        *above, title = passage.heading.split(HEADING_SEPARATOR) if passage.heading else path or ("",)
        goes_on = only_continues(title) and len(path) == len(above) + 1
        path = path if goes_on or not passage.heading else (*above, title)
        yield (path,)


def _plain_paths(passages: Sequence[Passage]) -> Iterator[tuple[Path, ...]]:
    headings = _headings_of(GAP.join(passage.text for passage in passages))
    start = at = 0
    current = _opening_path(passages[0])
    for passage in passages:
        end = start + len(passage.text)
        paths = [] if at < len(headings) and headings[at][0] == start else [current]
        while at < len(headings) and headings[at][0] < end:
            current = headings[at][1]
            paths.append(current)
            at += 1
        yield tuple(path for path in paths if path)
        start = end + len(GAP)


def _opening_path(first: Passage) -> Path:
    title = read_structure(first.text).title
    return (title,) if title else ()


@lru_cache(maxsize=MAX_CACHED)  # each turn of a lesson asks for those of the same notes
def _headings_of(text: str) -> tuple[tuple[int, Path], ...]:
    return tuple(_iter_headings(read_structure(text), ()))


def _iter_headings(section: Section, above: Path) -> Iterator[tuple[int, Path]]:
    path = (*above, section.title) if section.title and section.level else above
    if section.level:
        yield section.start, path
    for below in section.subsections:
        yield from _iter_headings(below, path)
