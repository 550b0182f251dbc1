"""Lists of a printed page: the bullet or number at the start of a line, and how deep the item is nested."""

import re
from dataclasses import dataclass

from sprout.documents.formats.pdf.lines import Line
from sprout.documents.formats.pdf.words import is_apart

BULLETS = frozenset("•‣◦▪▫●○■□◆◇➢➤►▶▸»⇒✓✔❖∗·⋅–—−-*o\uf0b7\uf0a7\uf0d8\uf076\uf0fc\uf02d\uf0a8\uf06e")
_NUMBER = re.compile(r"\(?(\d{1,3})[.)]")
_LETTER = re.compile(r"\(?(?:[a-zA-Z]|[ivx]{2,4})\)|[a-hj-z]\.")
SAME_PLACE = 6.0


@dataclass(frozen=True, slots=True)
class Marker:
    """The start of an item.

    Args:
        number: of a numbered item; None for a bullet.
        prefix: a letter that is part of the text, since Markdown has no lists with letters.
        text_x: where the text after the marker begins.
    """

    number: int | None
    prefix: str
    x: float
    text_x: float


def find_marker(line: Line) -> tuple[Marker, Line] | None:
    """The marker at the start of a line, and the line without it; None if it has none."""
    if line.content is not None or len(line.reading) < 2:
        return None
    first, second = line.reading[0], line.reading[1]
    if not (is_apart(first, second) or _has_dingbat(line)) or not any(
        character.isalnum() for word in line.words[1:] for character in word.text
    ):
        return None
    edge, text_x = (first.x0, second.x0) if not second.right_to_left else (-first.x1, -second.x1)
    rest = _without_first(line)
    if _has_dingbat(line) or (first.text in BULLETS and (first.text != "o" or first.font.mono)):
        return Marker(None, "", edge, text_x), rest
    if found := _NUMBER.fullmatch(first.text):
        return Marker(int(found[1]), "", edge, text_x), rest
    if _LETTER.fullmatch(first.text):
        return Marker(None, first.text, edge, text_x), rest
    return None


def without_dingbat(line: Line) -> Line:
    """The line without a bullet of a font of symbols at its start."""
    return _without_first(line) if _has_dingbat(line) else line


def _has_dingbat(line: Line) -> bool:
    """Whether a bullet of a font of symbols stands at its start, however close to the text."""
    if line.content is not None or len(line.reading) < 2:
        return False
    first, second = line.reading[:2]
    return first.font.symbols and not second.font.symbols and len(first.text) == 1


def _without_first(line: Line) -> Line:
    first = line.reading[0]
    return Line(tuple(word for word in line.words if word.x0 != first.x0 or word.base != first.base), line.page)


class ListDepths:
    """Nesting depths of the items of a column, by the places of their markers."""

    def __init__(self) -> None:
        self._open: list[Marker] = []

    def depth_of(self, marker: Marker) -> int:
        """The depth of the next item, from 0."""
        while self._open and self._open[-1].x > marker.x + SAME_PLACE:
            self._open.pop()
        if not self._open or marker.x > self._open[-1].x + SAME_PLACE:
            self._open.append(marker)
        else:
            self._open[-1] = marker
        return len(self._open) - 1

    def expects(self, marker: Marker) -> bool:
        """Whether a numbered item continues the list that is open at its place."""
        return any(
            other.number is not None and marker.number == other.number + 1 and abs(other.x - marker.x) <= 2 * SAME_PLACE
            for other in self._open
        )

    def close(self) -> None:
        """End all lists."""
        self._open.clear()
