"""Order of concepts: whose terms a text uses, and otherwise what stands before it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sprout.offline.graph_plan import PlannedEdge, transitive_reduction
from sprout.offline.notes.language import language
from sprout.offline.notes.terms import keys_in
from sprout.offline.notes.words import key_of

MOST_SOURCES = 2
LEAST_USES = 2  # sentences


@dataclass(frozen=True, slots=True)
class Passage:
    """Text of a concept or subconcept.

    Args:
        headings: the titles under which it stands.
        defined: key of a term that it defines → the term.
    """

    title: str
    headings: Sequence[str]
    sentences: Sequence[str]
    defined: dict[str, str]


def edges_between(passages: Sequence[Passage], code: str) -> list[PlannedEdge]:
    """Edges from earlier passages to later ones that hold all together, each with an honest reason."""
    found: list[PlannedEdge] = []
    owners = {key_of(heading, code): one.title for one in reversed(passages) for heading in one.headings}
    for at, passage in enumerate(passages[1:], start=1):
        edges = _uses(passages[:at], passage, owners, code)
        before = passages[at - 1].title
        why = language(code).phrases.comes_next.format(source=before, target=passage.title)
        found += edges or [PlannedEdge(before, passage.title, why)]
    return transitive_reduction(found)


def _uses(earlier: Sequence[Passage], passage: Passage, owners: dict[str, str], code: str) -> list[PlannedEdge]:
    """Edges from the passages that define the terms which this one uses most.

    Args:
        owners: key of a term that has a heading of its own → the title of the passage under it.
    """
    say = language(code).phrases
    counted = Counter(key for sentence in passage.sentences for key in keys_in(sentence, code))
    taken = set(passage.defined)
    uses: list[tuple[int, int, str]] = []
    for at, one in enumerate(earlier):
        known = [
            key
            for key in one.defined
            if key not in taken and counted[key] >= LEAST_USES and owners.get(key, one.title) == one.title
        ]
        taken |= set(one.defined)
        if known:
            best = max(known, key=lambda key: (counted[key], key))
            uses.append((sum(counted[key] for key in known), at, one.defined[best]))
    uses.sort(reverse=True)
    return [
        PlannedEdge(
            earlier[at].title,
            passage.title,
            say.uses.format(source=earlier[at].title, target=passage.title, term=say.quoted.format(term)),
        )
        for _, at, term in sorted(uses[:MOST_SOURCES], key=lambda use: use[1])
    ]
