"""Fair queue of calls that wait: lessons before growing, and among equals the learners in turn. Pure."""

from collections import deque
from collections.abc import Callable
from enum import IntEnum
from typing import Generic, TypeVar

T = TypeVar("T")

LESSON_AGENTS = frozenset({"tutor", "grading"})


class Urgency(IntEnum):
    """Urgency of a call: a learner waits for it in a lesson, or a path grows in the background."""

    LESSON = 0
    GROWING = 1


def urgency_of(agent: str) -> Urgency:
    """The urgency of an agent's calls."""
    return Urgency.LESSON if agent in LESSON_AGENTS else Urgency.GROWING


class FairQueue(Generic[T]):
    """Items by learner and urgency. Each item taken moves its learner to the end of the line."""

    def __init__(self) -> None:
        self._lines: dict[Urgency, dict[str, deque[T]]] = {urgency: {} for urgency in Urgency}

    def __len__(self) -> int:
        return sum(len(items) for line in self._lines.values() for items in line.values())

    def add(self, item: T, *, learner: str, urgency: Urgency) -> None:
        self._lines[urgency].setdefault(learner, deque()).append(item)

    def remove(self, item: T, *, learner: str, urgency: Urgency) -> None:
        """Remove an item that is in the queue."""
        line = self._lines[urgency]
        line[learner].remove(item)
        if not line[learner]:
            del line[learner]

    def take(self, may_go: Callable[[T], bool]) -> T | None:
        """The next item that may go, which leaves the queue."""
        for line in self._lines.values():
            for learner, items in list(line.items()):
                for item in items:
                    if may_go(item):
                        items.remove(item)
                        del line[learner]
                        if items:
                            line[learner] = items
                        return item
        return None
