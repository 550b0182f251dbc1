"""Output filter of steps: what a turn's other events show, where its words to the learner are filtered."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from sprout.events import (
    Guardrail,
    ReasoningBlock,
    ReasoningDelta,
    ThinkingBlock,
    ThinkingDelta,
    ToolCalled,
    ToolFinished,
)
from sprout.loop.turn_options import OutputFilterFactory
from sprout.loop.turn_steps import Step

NOT_SHOWN = "(not shown)"


@dataclass(frozen=True, slots=True)
class StepFilter:
    """Filters the events of a turn: thoughts are dropped; inputs and results of calls are shown as far as the output
    filter lets them through.

    Args:
        spoken: tool → the fields of its input that are shown as a message.
    """

    make_filter: OutputFilterFactory
    spoken: Mapping[str, tuple[str, ...]]

    def filter(self, step: Step) -> Iterator[Step]:
        """The step as it may be shown; nothing for a thought."""
        match step:
            case ThinkingBlock() | ThinkingDelta() | ReasoningBlock() | ReasoningDelta():
                return
            case ToolCalled():
                yield step.model_copy(update={"tool": self._shown_text(step.tool), "input": self._input(step)})
            case ToolFinished():
                update = {"tool": self._shown_text(step.tool), "summary": self._shown_text(step.summary)}
                yield step.model_copy(update=update)
            case Guardrail():
                tool = None if step.tool is None else self._shown_text(step.tool)
                yield step.model_copy(update={"tool": tool, "noticed": self._shown_text(step.noticed)})
            case _:
                yield step

    def _input(self, called: ToolCalled) -> dict[str, JsonValue]:
        spoken = self.spoken.get(called.tool, ())
        return {
            field: value
            for field, value in called.input.items()
            if field not in spoken and self._passes(f"{field}: {_as_text(value)}")
        }

    def _shown_text(self, text: str) -> str:
        return text if self._passes(text) else NOT_SHOWN

    def _passes(self, text: str) -> bool:
        output_filter = self.make_filter()
        output_filter.feed(text)
        output_filter.end()
        return output_filter.withheld is None


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
