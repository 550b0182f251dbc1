"""Redaction of private agents: their activity and calls are visible, their text is not."""

from sprout.events import (
    Event,
    MessageBlock,
    MessageDelta,
    MessageReset,
    ReasoningBlock,
    ReasoningDelta,
    ThinkingBlock,
    ThinkingDelta,
    ToolFinished,
)

REFUSED = "It was not taken as it was."
TEXT_EVENTS = (ReasoningDelta, ThinkingDelta, MessageDelta, ReasoningBlock, ThinkingBlock, MessageBlock, MessageReset)


def redact_event(event: Event) -> Event | None:
    """The visible part of an event; None for an event of text only.

    Of a call its tool keeps back what is secret in its input; its result is left out here.
    """
    if isinstance(event, TEXT_EVENTS):
        return None
    if isinstance(event, ToolFinished):
        return event.model_copy(update={"summary": "" if event.ok else REFUSED})
    return event
