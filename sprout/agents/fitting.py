"""Which passages of a learner's documents fit a concept: by shared words, without a model."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sprout.learning.paths.shelf import Passage
from sprout.learning.text.words import folded

TITLE_WEIGHT = 3.0
COMMON_SHARE = 0.6  # a stem in more of the passages than this tells nothing about any of them
LEAST_COMMON = 3
DESC_STEMS_WANTED = 3
SHARE_OF_BEST = 0.5
ENOUGH_CHARACTERS = 1_200

_WORD = re.compile(r"[^\W\d_]{3,}")
_STEM = 6


@dataclass(frozen=True, slots=True)
class _Read:
    passage: Passage
    stems: Counter[str]
    length: int


class Passages:
    """Passages that have been read once and can be asked for by concept.

    A passage fits where it shares a telling stem with the concept's title, or several with its description.
    Source of the score: BM25; Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._read = [_read(passage) for passage in passages]
        self._mean_length = sum(read.length for read in self._read) / len(self._read) if self._read else 1.0
        self._holders = Counter(stem for read in self._read for stem in read.stems)

    @property
    def all(self) -> list[Passage]:
        return [read.passage for read in self._read]

    def fitting(self, title: str, desc: str) -> list[Passage]:
        """The passages that fit, best first; those that fit far worse than the best only mention the concept."""
        ranked = self._ranked(title, desc)
        return [passage for score, passage in ranked if score >= SHARE_OF_BEST * ranked[0][0]]

    def within(self, title: str, desc: str, *, characters: int) -> list[Passage]:
        """The fitting passages, whole, up to so many characters together, in the order of the text.

        Where they are few, those that only mention the concept are added, so that there is something to teach from.
        """
        fitting = self.fitting(title, desc)
        chosen: set[Passage] = set()
        length = 0
        for _, passage in self._ranked(title, desc):
            wanted = passage in fitting or length < ENOUGH_CHARACTERS
            if wanted and length + len(passage.text) <= characters:
                chosen.add(passage)
                length += len(passage.text)
        return [passage for passage in self.all if passage in chosen]

    def _ranked(self, title: str, desc: str) -> list[tuple[float, Passage]]:
        in_title = frozenset(_stems(title))
        in_desc = frozenset(_stems(desc)) - in_title
        scored = [(self._score(read, in_title, in_desc), read.passage) for read in self._read]
        return sorted((one for one in scored if one[0] > 0), key=lambda one: one[0], reverse=True)

    def _score(self, read: _Read, in_title: frozenset[str], in_desc: frozenset[str]) -> float:
        of_title = [stem for stem in in_title if stem in read.stems and self._tells(stem)]
        of_desc = [stem for stem in in_desc if stem in read.stems and self._tells(stem)]
        if not of_title and len(of_desc) < DESC_STEMS_WANTED:
            return 0.0
        weighed = sum(self._weight(stem, read) for stem in of_desc)
        return weighed + TITLE_WEIGHT * sum(self._weight(stem, read) for stem in of_title)

    def _tells(self, stem: str) -> bool:
        return self._holders[stem] <= max(LEAST_COMMON, COMMON_SHARE * len(self._read))

    def _weight(self, stem: str, read: _Read) -> float:
        rarity = math.log(1 + (len(self._read) + 0.5) / (self._holders[stem] + 0.5))
        often = read.stems[stem]
        return rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * read.length / self._mean_length))


def _read(passage: Passage) -> _Read:
    stems = Counter(_stems(f"{passage.heading or ''} {passage.text}"))
    return _Read(passage, stems, max(1, stems.total()))


def _stems(text: str) -> list[str]:
    """Words by their first letters, so that endings do not count; pairs of signs where words are not parted."""
    stems: list[str] = []
    for word in _WORD.findall(folded(text)):
        if ord(word[0]) >= 0x2E80:  # CJK and its neighbours
            stems.extend(word[at : at + 2] for at in range(len(word) - 1))
        else:
            stems.append(word[:_STEM].rstrip("s") or word)
    return stems
