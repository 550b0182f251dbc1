"""Ranking of a document's passages for a concept: BM25 over shared words, without a model.

Ten lines of our own: rank-bm25 has had no release since 2022 and needs numpy, as bm25s does, and with neither does a
title weigh more than a description. Words are cut to their first letters and not stemmed by snowballstemmer: it must be
given the language, which may be any here, and takes more than 100 µs a word, which is seconds for a book.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sprout.agents.documents.section_paths import Path, section_paths
from sprout.learning.paths.heading_names import HeadingName, heading_names
from sprout.learning.paths.passages import Passage
from sprout.learning.paths.quoted_text import QuotableTexts
from sprout.learning.structure.titles import heading_key
from sprout.learning.text.normalization import folded

TITLE_WEIGHT = 3.0
NAMED_WEIGHT = 1_000.0  # a passage under a named heading comes before all others
MAX_COMMON_SHARE = 0.6  # a stem in more of the passages is not distinctive
MIN_COMMON = 3
MIN_DESC_STEMS = 3
MIN_SHARE_OF_BEST = 0.5
MIN_CHARACTERS = 1_200

_WORD = re.compile(r"[^\W\d_]{3,}")
_STEM = 6


@dataclass(frozen=True, slots=True)
class _Entry:
    passage: Passage
    paths: tuple[Path, ...]
    stems: Counter[str]
    length: int


class PassageIndex:
    """Search index over passages, by concept.

    A passage fits if it stands under a heading that the concept's description names, if it shares a distinctive stem
    with the title, or several with the description. A description names headings after a colon, parted by " · ": "In
    your notes: Cells · Cells › Membranes"; one that ends in " …" means the text before its first subsection, and text
    without a heading is named by its beginning and end.
    Source of the score: BM25; Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        paths = section_paths(passages)
        self._entries = [_entry(passage, its_paths) for passage, its_paths in zip(passages, paths, strict=True)]
        self._mean_length = sum(entry.length for entry in self._entries) / len(self._entries) if self._entries else 1.0
        self._document_frequency = Counter(stem for entry in self._entries for stem in entry.stems)

    @property
    def all(self) -> list[Passage]:
        return [entry.passage for entry in self._entries]

    def relevant(self, title: str, desc: str) -> list[Passage]:
        """The passages that fit, best first; those far below the best only mention it and are left out."""
        ranked = self._rank(title, desc)
        return [passage for score, passage in ranked if score >= MIN_SHARE_OF_BEST * ranked[0][0]]

    def select(self, title: str, desc: str, *, characters: int) -> list[Passage]:
        """The fitting passages, whole, up to `characters` together, in the order of the text.

        Where what a description names does not fit, something of each of its sections comes before more of one. If they
        are few, passages that only mention the concept are added, so that there is something to teach from.
        """
        fitting = self.relevant(title, desc)
        chosen: set[Passage] = set()
        length = 0
        for passage in self._by_section(self._rank(title, desc)):
            wanted = passage in fitting or length < MIN_CHARACTERS
            if wanted and length + len(passage.text) <= characters:
                chosen.add(passage)
                length += len(passage.text)
        return [passage for passage in self.all if passage in chosen]

    def _by_section(self, ranked: Sequence[tuple[float, Passage]]) -> list[Passage]:
        """The ranked passages, those that are named in turns: first the first of each section, the shortest before."""
        named = {passage for score, passage in ranked if score >= NAMED_WEIGHT}
        sections: dict[Path, list[Passage]] = {}
        for entry in self._entries:
            if entry.passage in named:
                sections.setdefault(entry.paths[-1] if entry.paths else (), []).append(entry.passage)
        turns = [(turn, len(one.text), one) for own in sections.values() for turn, one in enumerate(own)]
        in_turns = [one for *_, one in sorted(turns, key=lambda each: each[:2])]
        return [*in_turns, *(passage for score, passage in ranked if score < NAMED_WEIGHT)]

    def _rank(self, title: str, desc: str) -> list[tuple[float, Passage]]:
        in_title = frozenset(_stems(title))
        in_desc = frozenset(_stems(desc)) - in_title
        names, quoted = heading_names(desc), self._texts.quoted_in(desc)
        scored = [
            (
                self._score(entry, in_title, in_desc) + NAMED_WEIGHT * (at in quoted or _is_named(entry, names)),
                entry.passage,
            )
            for at, entry in enumerate(self._entries)
        ]
        if names and not any(score for score, _ in scored):  # what it names are common words, and no headings
            named = frozenset(_stems(desc.partition(":")[2])) | in_title
            scored = [
                (sum(self._weight(stem, entry) for stem in named if stem in entry.stems), entry.passage)
                for entry in self._entries
            ]
        return sorted((one for one in scored if one[0] > 0), key=lambda one: one[0], reverse=True)

    @cached_property
    def _texts(self) -> QuotableTexts:
        return QuotableTexts([entry.passage.text for entry in self._entries])

    def _score(self, entry: _Entry, in_title: frozenset[str], in_desc: frozenset[str]) -> float:
        of_title = [stem for stem in in_title if stem in entry.stems and self._is_distinctive(stem)]
        of_desc = [stem for stem in in_desc if stem in entry.stems and self._is_distinctive(stem)]
        if not of_title and len(of_desc) < MIN_DESC_STEMS:
            return 0.0
        weighed = sum(self._weight(stem, entry) for stem in of_desc)
        return weighed + TITLE_WEIGHT * sum(self._weight(stem, entry) for stem in of_title)

    def _is_distinctive(self, stem: str) -> bool:
        return self._document_frequency[stem] <= max(MIN_COMMON, MAX_COMMON_SHARE * len(self._entries))

    def _weight(self, stem: str, entry: _Entry) -> float:
        rarity = math.log(1 + (len(self._entries) + 0.5) / (self._document_frequency[stem] + 0.5))
        count = entry.stems[stem]
        return rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * entry.length / self._mean_length))


def _entry(passage: Passage, paths: tuple[Path, ...]) -> _Entry:
    stems = Counter(_stems(f"{passage.heading or ''} {passage.text}"))
    keys = tuple(tuple(map(heading_key, path)) for path in paths)
    return _Entry(passage, keys, stems, max(1, stems.total()))


def _is_named(entry: _Entry, names: Sequence[HeadingName]) -> bool:
    """Whether a path of the entry, or for a whole section a part of it from the top, ends with a name."""
    return any(
        name.names(path[:end])
        for path in entry.paths
        for name in names
        for end in ([len(path)] if name.opening else range(len(name.keys), len(path) + 1))
    )


def _stems(text: str) -> list[str]:
    """Words cut to their first letters, so that endings do not count; pairs of characters in scripts without spaces."""
    stems: list[str] = []
    for word in _WORD.findall(folded(text)):
        if ord(word[0]) >= 0x2E80:  # CJK and its neighbours
            stems.extend(word[at : at + 2] for at in range(len(word) - 1))
        else:
            stems.append(word[:_STEM].rstrip("s") or word)
    return stems
