"""Whether what was done at once can be explained by doing it one after another (linearizability).

The search is Wing and Gong's (1993, "Testing and verifying concurrent objects"), which remembers where it has been as
Lowe's does (2017, "Testing for linearizability"): a place is what was done so far and the state that it left.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Deed(Generic[State]):
    """Something that one of many did, between the moment of asking and that of the answer.

    Args:
        words: what it was and what was answered, for people.
        follows: the state after it; None where it would have been answered otherwise.
    """

    words: str
    asked_ns: int
    answered_ns: int
    follows: Callable[[State], State | None]


def serial_order(deeds: Sequence[Deed[State]], begin: State) -> list[Deed[State]] | None:
    """An order that explains every answer, in which nothing comes before what was answered before it was asked.

    None where there is no such order.
    """
    left = tuple(sorted(deeds, key=lambda deed: deed.asked_ns))
    seen: set[tuple[tuple[Deed[State], ...], State]] = set()
    path: list[Deed[State]] = []

    def found(left: tuple[Deed[State], ...], state: State) -> bool:
        if not left:
            return True
        if (left, state) in seen:
            return False
        seen.add((left, state))
        first_answer_ns = min(deed.answered_ns for deed in left)
        for at, deed in enumerate(left):
            if deed.asked_ns > first_answer_ns:
                return False
            following = deed.follows(state)
            if following is not None:
                path.append(deed)
                if found((*left[:at], *left[at + 1 :]), following):
                    return True
                path.pop()
        return False

    return path if found(left, begin) else None
