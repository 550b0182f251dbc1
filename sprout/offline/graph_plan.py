"""Graph plan of the demo model: the nodes to save, their prerequisites, and questions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """A concept or a subconcept."""

    title: str
    desc: str


@dataclass(frozen=True, slots=True)
class PlannedEdge:
    """`source` has to be understood before `target`; `why` says so to the learner."""

    source: str
    target: str
    why: str


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """A diagnostic question: the input of the tool that saves it, as it stands."""

    input: Mapping[str, Any]

    @property
    def tests(self) -> Sequence[str]:
        return list(self.input["tests"])


@dataclass(frozen=True, slots=True)
class Plan:
    """Texts before saving, the nodes to save, and the closing text for the learner.

    `no_more` is the honest answer to a correction that asks for more than exists; empty if there is none.
    """

    opening: str
    nodes: Sequence[PlannedNode]
    edges: Sequence[PlannedEdge]
    closing: str
    questions: Sequence[PlannedQuestion] = field(default=())
    no_more: str = ""


def transitive_reduction(links: Iterable[PlannedEdge]) -> list[PlannedEdge]:
    """The links without those that a longer way already implies. They must not form a circle."""
    remaining = list(links)
    for link in list(remaining):
        others = [other for other in remaining if other is not link]
        if link.target in reachable(link.source, others):
            remaining = others
    return remaining


def reachable(start: str, links: Iterable[PlannedEdge]) -> set[str]:
    """All titles that can be reached from `start`."""
    after: dict[str, list[str]] = {}
    for link in links:
        after.setdefault(link.source, []).append(link.target)
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for title in after.get(waiting.pop(), ()):
            if title not in found:
                found.add(title)
                waiting.append(title)
    return found


def limit_nodes(plan: Plan, most: int) -> Plan:
    """The plan with `most` of its ideas that can stand alone, their links, and the questions that test nothing else.

    What an idea builds on is kept with it, and ideas that are linked to kept ones come before others.
    """
    saved: list[PlannedNode] = []
    while len(saved) < min(most, len(plan.nodes)):
        saved.append(_next_node(plan, {idea.title for idea in saved}))
    titles = {idea.title for idea in saved}
    ideas = [idea for idea in plan.nodes if idea.title in titles]
    links = [link for link in plan.edges if link.source in titles and link.target in titles]
    items = [item for item in plan.questions if set(item.tests) <= titles]
    return Plan(plan.opening, ideas, links, plan.closing, items)


def _next_node(plan: Plan, saved: set[str]) -> PlannedNode:
    def needs(idea: PlannedNode) -> set[str]:
        return {link.source for link in plan.edges if link.target == idea.title}

    ready = [idea for idea in plan.nodes if idea.title not in saved and needs(idea) <= saved]
    return next((idea for idea in ready if needs(idea)), ready[0])
