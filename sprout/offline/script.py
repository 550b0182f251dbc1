"""A model that says what a test wrote for it, one step a request."""

from collections.abc import Callable, Sequence

from sprout.offline.faults.scenarios import Fault
from sprout.offline.reply import Body, Reply, TextOut, ThinkingOut, ToolOut

__all__ = ["Reply", "Scripted", "Step", "TextOut", "ThinkingOut", "ToolOut"]

Step = Reply | Fault | Callable[[Body], Reply | Fault]


class Scripted:
    """Plays its steps in order, one for each request; beyond the end it says `then` for ever."""

    def __init__(self, steps: Sequence[Step] = (), *, then: Reply | None = None) -> None:
        self._steps = list(steps)
        self._then = then or Reply([TextOut("That is all.")])
        self._taken = 0

    @property
    def left(self) -> int:
        """Number of steps that have not been played."""
        return max(0, len(self._steps) - self._taken)

    def answer(self, body: Body) -> Reply | Fault:
        self._taken += 1
        step = self._steps[self._taken - 1] if self._taken <= len(self._steps) else self._then
        return step(body) if callable(step) else step
