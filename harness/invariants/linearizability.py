"""Linearizability check: can concurrent operations be explained by some sequential order?

The search is Wing and Gong's (1993, "Testing and verifying concurrent objects"), which remembers where it has been as
Lowe's does (2017, "Testing for linearizability"): a place is what was done so far and the state that it left.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True, slots=True)
class HistoryOperation(Generic[State]):
    """A concurrent operation, from its invocation to its response.

    Args:
        label: the operation and its response, for people.
        apply: maps a state to the next one; None if the response would have been another.
    """

    label: str
    invoked_ns: int
    returned_ns: int
    apply: Callable[[State], State | None]


def linearize(deeds: Sequence[HistoryOperation[State]], begin: State) -> list[HistoryOperation[State]] | None:
    """An order that explains every answer, in which nothing comes before what was answered before it was asked.

    None where there is no such order.
    """
    left = tuple(sorted(deeds, key=lambda deed: deed.invoked_ns))
    seen: set[tuple[tuple[HistoryOperation[State], ...], State]] = set()
    path: list[HistoryOperation[State]] = []

    def found(left: tuple[HistoryOperation[State], ...], state: State) -> bool:
        if not left:
            return True
        if (left, state) in seen:
            return False
        seen.add((left, state))
        first_answer_ns = min(deed.returned_ns for deed in left)
        for at, deed in enumerate(left):
            if deed.invoked_ns > first_answer_ns:
                return False
            following = deed.apply(state)
            if following is not None:
                path.append(deed)
                if found((*left[:at], *left[at + 1 :]), following):
                    return True
                path.pop()
        return False

    return path if found(left, begin) else None
