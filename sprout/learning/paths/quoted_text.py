"""Names of text without headings in a description: how it begins and how it ends, "“There was a mill … the sea”"."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from itertools import accumulate

from sprout.learning.paths.passages import named_in

LONGEST = 40  # characters of the beginning, and of the end
_NAME = re.compile(r"“(.+) … (.+)”")
_SEPARATING = re.compile("[·›…“”]")  # what parts names in a description, and a name


def quoted_name(text: str) -> str:
    """The name of a text."""
    words = " ".join(_SEPARATING.sub(" ", text).split())
    head, tail = words[:LONGEST], words[-LONGEST:]
    if len(words) > LONGEST:
        head, tail = head.rpartition(" ")[0] or head, tail.partition(" ")[2] or tail
    return f"“{head} … {tail}”"


class QuotableTexts:
    """Texts in their order, such as the passages of a document, among which those are found that a name quotes.

    Letters alone are compared: a name has no marks of Markdown, no numbers of lists and no line breaks.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    def find(self, name: str) -> range:
        """Which of the texts a name quotes from; empty where it quotes nothing, or not all of it is here."""
        found = _NAME.fullmatch(name)
        begins, ends = map(_letters, found.groups()) if found else ("", "")
        if not (begins and ends):
            return range(0)
        letters, lengths = self._compared
        edges = {0, *lengths}  # a text that is named begins and ends with one of these, or within a long one
        start = _first([*_places(letters, begins)], edges)
        end = _first([at + len(ends) for at in _places(letters, ends) if at + len(ends) > start], edges)
        if start < 0 or end < 0:
            return range(0)
        return range(bisect_right(lengths, start), bisect_right(lengths, end - 1) + 1)

    def quoted_in(self, desc: str) -> frozenset[int]:
        """Which of the texts a description quotes from."""
        return frozenset(at for name in named_in(desc) for at in self.find(name))

    @cached_property
    def _compared(self) -> tuple[str, list[int]]:
        """The letters of all texts, and where those of each end."""
        letters = [_letters(text) for text in self._texts]
        return "".join(letters), [*accumulate(map(len, letters))]


def _places(letters: str, wanted: str) -> Iterator[int]:
    at = letters.find(wanted)
    while at >= 0:
        yield at
        at = letters.find(wanted, at + 1)


def _first(places: Sequence[int], edges: Set[int]) -> int:
    """The first of the places that is an edge, or of all; -1 without any."""
    return next((at for at in places if at in edges), places[0] if places else -1)


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.casefold()))
