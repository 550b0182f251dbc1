"""Format of glossaries: the words of a course with short definitions, found by name."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Self

from pydantic import Field, model_validator
from rapidfuzz.distance import OSA

from sprout.learning.text.confusables import plain
from sprout.offline.courses.lesson_format import AuthoredModel

MOST_WORDS = 45
SHORTEST_WITH_SLIP = 5  # letters
LONGEST_NAME = 60  # characters

_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_NO_SIGN = re.compile(r"[\s\"'`]")
_PLURALS = (("s", ""), ("es", ""), ("ies", "y"), ("", "s"))

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


class Term(AuthoredModel):
    """A word of a course: `also` has what else it is called and how it is typed, `says` its definition."""

    term: Name
    also: tuple[Name, ...] = ()
    says: Annotated[str, Field(min_length=1, max_length=400)]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.term, *self.also)

    @model_validator(mode="after")
    def _check_term(self) -> Self:
        if len(self.says.split()) > MOST_WORDS:
            raise ValueError(f"more than {MOST_WORDS} words: {self.term!r}")
        if any(not [*_keys(name)] for name in self.names):
            raise ValueError(f"a name has a letter, a digit or a sign: {self.term!r}")
        if self.says.rstrip("`)”")[-1:] != ".":
            raise ValueError(f"a definition ends with a full stop: {self.term!r}")
        return self


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms of a course by the keys of their names; `vocabulary` has the words of its lessons, none of which is a
    misspelt name.
    """

    terms: Mapping[str, Term]
    vocabulary: frozenset[str] = frozenset()

    def find(self, name: str) -> Term | None:
        """The term of this name, in the singular or the plural, with a slip of one letter; None if there is none."""
        keys = [key for key in _keys(name) if len(key) <= LONGEST_NAME]
        return self._exact(keys) or (self._misspelt(keys[0]) if keys and not self._is_vocabulary(name) else None)

    def _exact(self, keys: list[str]) -> Term | None:
        singular = (key.removesuffix(end) + begin for key in keys for end, begin in _PLURALS if key.endswith(end))
        return next((self.terms[key] for key in chain(keys, singular) if key in self.terms), None)

    def _misspelt(self, key: str) -> Term | None:
        if len(key) < SHORTEST_WITH_SLIP - 1:  # one letter may be missing
            return None
        near = (name for name in self.terms if name[0] == key[0] and len(name) >= SHORTEST_WITH_SLIP)
        return next((self.terms[name] for name in near if OSA.distance(name, key, score_cutoff=1) <= 1), None)

    def _is_vocabulary(self, name: str) -> bool:
        return set(plain(name).split()) <= self.vocabulary


def glossary_of(terms: tuple[Term, ...], vocabulary: frozenset[str] = frozenset()) -> Glossary:
    """The glossary of these terms. Raises ValueError if two of them share a name."""
    keys: dict[str, Term] = {}
    for term in terms:
        for key in chain.from_iterable(map(_keys, term.names)):
            if keys.setdefault(key, term) != term:
                raise ValueError(f"{term.term!r} and {keys[key].term!r} share the name {key!r}")
    return Glossary(keys, vocabulary)


def _keys(name: str) -> Iterator[str]:
    """Forms in which a name is looked up: without case, spaces and signs; of an error message also without what it
    quotes. Signs alone, such as `==`, are their own key.
    """
    for text in (name, _QUOTED.sub("", name)):
        if key := plain(text).replace(" ", "") or _NO_SIGN.sub("", text):
            yield key
