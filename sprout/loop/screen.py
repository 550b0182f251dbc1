"""What a model's words pass through on their way to the learner, where they may not say everything (loop.md T9)."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from sprout.events import (
    Guardrail,
    Reasoning,
    ReasoningDelta,
    Thinking,
    ThinkingDelta,
    ToolCalled,
    ToolFinished,
)
from sprout.loop.result import Step

NOT_SHOWN = "(not shown)"


class Screen(Protocol):
    """Words of one reply go in as they are written, what may be shown comes out; the pieces joined are the words.

    `withheld` says why nothing more comes out: the form of what was found, never what it was.
    """

    withheld: str | None

    def feed(self, text: str) -> str:
        """What may be shown now that this text has come."""
        ...

    def end(self) -> str:
        """What may be shown of the rest, at the end of a block."""
        ...


MakeScreen = Callable[[], Screen]


@dataclass(frozen=True, slots=True)
class Screening:
    """Keeps a screened turn's other events as silent as its words: thoughts are not told, and what a call was given or
    brought is told as far as the screen lets it through.

    Args:
        spoken: tool → the field of its input that is told as a message.
    """

    make: MakeScreen
    spoken: Mapping[str, str]

    def told(self, step: Step) -> Iterator[Step]:
        """The step as it may be told; nothing for a thought."""
        match step:
            case Thinking() | ThinkingDelta() | Reasoning() | ReasoningDelta():
                return
            case ToolCalled():
                yield step.model_copy(update={"tool": self._words(step.tool), "input": self._input(step)})
            case ToolFinished():
                update = {"tool": self._words(step.tool), "summary": self._words(step.summary)}
                yield step.model_copy(update=update)
            case Guardrail():
                tool = None if step.tool is None else self._words(step.tool)
                yield step.model_copy(update={"tool": tool, "noticed": self._words(step.noticed)})
            case _:
                yield step

    def _input(self, called: ToolCalled) -> dict[str, JsonValue]:
        message = self.spoken.get(called.tool)
        return {
            field: value
            for field, value in called.input.items()
            if field != message and self._passes(f"{field}: {_in_words(value)}")
        }

    def _words(self, text: str) -> str:
        return text if self._passes(text) else NOT_SHOWN

    def _passes(self, text: str) -> bool:
        screen = self.make()
        screen.feed(text)
        screen.end()
        return screen.withheld is None


def _in_words(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
