"""Who looks on while runs go: told of everything, without a say in it."""

from typing import Protocol

from sprout.events import Event
from sprout.loop.model import ChatModel
from sprout.runs.state import Run


class Observer(Protocol):
    def observe(self, run: Run, event: Event) -> None:
        """An event of a run; its last ones come with the run as it was settled. Never raises."""
        ...

    def left(self, run: Run) -> None:
        """The run is not carried here any more: it has ended, it waits, or somebody else has it. Never raises."""
        ...

    def watched(self, model: ChatModel, run: Run) -> ChatModel:
        """The model, with its calls noted as this run's."""
        ...


class Nobody:
    """An observer that does not look."""

    def observe(self, run: Run, event: Event) -> None:
        pass

    def left(self, run: Run) -> None:
        pass

    def watched(self, model: ChatModel, run: Run) -> ChatModel:
        return model
