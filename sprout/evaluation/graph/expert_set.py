"""Expert set: concepts of a topic, and what an expert says must be learned before what; or notes on a topic."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from sprout.errors import BadInput
from sprout.evaluation.data_files import digest, parse_yaml
from sprout.evaluation.suite import DataSource
from sprout.learning.graph.graph import MAX_TITLE, title_key
from sprout.learning.graph.traversal import Pair
from sprout.learning.text.normalization import one_line

MAX_CONCEPTS = 2_000
MAX_NOTES = 200_000

Title = Annotated[str, Field(min_length=1, max_length=MAX_TITLE)]


@dataclass(frozen=True, slots=True)
class ExpertSet:
    """Expert set: the concepts and prerequisites that a graph is compared with.

    Args:
        concepts: titles in alphabetical order, so that their order tells nothing.
        pairs: the first must be learned before the second.
        judged: pairs that the expert has looked at; None where it is all of them.
        notes: a learner's notes on the topic, as Markdown; empty where there are none.
    """

    topic: str
    concepts: tuple[str, ...] = ()
    pairs: frozenset[Pair] = frozenset()
    judged: frozenset[Pair] | None = None
    notes: str = ""


@dataclass(frozen=True, slots=True)
class ExpertSets:
    sets: Sequence[ExpertSet]
    source: DataSource


def expert_set(
    path: Path, topic: str, titles: Sequence[str], pairs: Sequence[Pair], judged: Sequence[Pair] | None = None
) -> ExpertSet:
    """The set of these titles and pairs; titles that differ by capitals alone are one. Raises BadInput."""
    if len(titles) > MAX_CONCEPTS:
        raise BadInput(f"{path} has {len(titles)} concepts, at most {MAX_CONCEPTS} are compared")
    known: dict[str, str] = {}
    for title in map(one_line, titles):
        if not title or len(title) > MAX_TITLE:
            raise BadInput(f"{path}: a concept's title has 1 to {MAX_TITLE} characters, not {len(title)}")
        known.setdefault(title_key(title), title)

    def as_pair(pair: Pair) -> Pair:
        for title in pair:
            if title_key(title) not in known:
                raise BadInput(f"{path}: {title[:MAX_TITLE]!r} is not one of the concepts")
        source, target = (known[title_key(title)] for title in pair)
        if source == target:
            raise BadInput(f"{path}: {source!r} cannot come before itself")
        return source, target

    looked_at = None if judged is None else frozenset(map(as_pair, judged))
    return ExpertSet(topic, tuple(sorted(known.values())), frozenset(map(as_pair, pairs)), looked_at)


class _Set(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: Title
    concepts: tuple[Title, ...] = ()
    before: tuple[tuple[Title, Title], ...] = ()
    notes: str = Field("", max_length=MAX_NOTES)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Title
    licence: str
    sets: tuple[_Set, ...] = Field(min_length=1)


def read_expert_yaml(text: str, path: Path) -> ExpertSets:
    """The sets of a file in the format of the sample. Raises BadInput, which names the place at fault."""
    file = parse_yaml(text, path, TypeAdapter(_File))
    found = []
    for number, one in enumerate(file.sets):
        if bool(one.notes.strip()) == bool(one.concepts):
            raise BadInput(f"{path}, sets.{number}: give either concepts with what comes before what, or notes")
        made = expert_set(path, one.topic, one.concepts, one.before)
        found.append(ExpertSet(made.topic, made.concepts, made.pairs, notes=one.notes))
    return ExpertSets(found, DataSource(file.name, file.licence, digest(text)))
