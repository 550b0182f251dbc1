"""What a brain has decided to save: ideas, what builds on what, and questions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Idea:
    """A concept or a subconcept."""

    title: str
    desc: str


@dataclass(frozen=True, slots=True)
class Link:
    """`source` has to be understood before `target`; `why` says so to the learner."""

    source: str
    target: str
    why: str


@dataclass(frozen=True, slots=True)
class Item:
    """A diagnostic question: the input of the tool that saves it, as it stands."""

    input: Mapping[str, Any]

    @property
    def tests(self) -> Sequence[str]:
        return list(self.input["tests"])


@dataclass(frozen=True, slots=True)
class Plan:
    """What is said before saving, what is saved, and what the learner reads at the end.

    `no_more` is the honest answer to a correction that asks for more than there is; empty where there is none.
    """

    opening: str
    ideas: Sequence[Idea]
    links: Sequence[Link]
    closing: str
    items: Sequence[Item] = field(default=())
    no_more: str = ""


def without_shortcuts(links: Iterable[Link]) -> list[Link]:
    """The links without those that a longer way already implies. They must not form a circle."""
    kept = list(links)
    for link in list(kept):
        others = [other for other in kept if other is not link]
        if link.target in reachable(link.source, others):
            kept = others
    return kept


def reachable(start: str, links: Iterable[Link]) -> set[str]:
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


def groups(titles: Sequence[str], links: Iterable[Link]) -> list[list[str]]:
    """The titles in groups that links hold together, whichever way the links point."""
    group_of = {title: [title] for title in titles}
    for link in links:
        one, other = group_of[link.source], group_of[link.target]
        if one is not other:
            one.extend(other)
            for title in other:
                group_of[title] = one
    found: list[list[str]] = []
    for title in titles:
        if group_of[title] not in found:
            found.append(group_of[title])
    return found


def kept_to(plan: Plan, most: int) -> Plan:
    """The plan with `most` of its ideas that can stand alone, their links, and the questions that test nothing else.

    What an idea builds on is kept with it, and ideas that are linked to kept ones come before others.
    """
    kept: list[Idea] = []
    while len(kept) < min(most, len(plan.ideas)):
        kept.append(_next_idea(plan, {idea.title for idea in kept}))
    titles = {idea.title for idea in kept}
    ideas = [idea for idea in plan.ideas if idea.title in titles]
    links = [link for link in plan.links if link.source in titles and link.target in titles]
    items = [item for item in plan.items if set(item.tests) <= titles]
    return Plan(plan.opening, ideas, links, plan.closing, items)


def _next_idea(plan: Plan, kept: set[str]) -> Idea:
    def needs(idea: Idea) -> set[str]:
        return {link.source for link in plan.links if link.target == idea.title}

    ready = [idea for idea in plan.ideas if idea.title not in kept and needs(idea) <= kept]
    return next((idea for idea in ready if needs(idea)), ready[0])
