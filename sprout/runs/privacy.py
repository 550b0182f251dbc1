"""What may be seen of an agent that works on what is secret: that it works and what it calls, none of its words."""

from sprout.events import (
    Event,
    Message,
    MessageDelta,
    MessageReset,
    Reasoning,
    ReasoningDelta,
    Thinking,
    ThinkingDelta,
    ToolFinished,
)

REFUSED = "It was not taken as it was."
WORDS = (ReasoningDelta, ThinkingDelta, MessageDelta, Reasoning, Thinking, Message, MessageReset)


def without_words(event: Event) -> Event | None:
    """The event as people may see it; None for one that is nothing but words.

    Of a call its tool keeps back what is secret in its input; what it was told in return is left out here.
    """
    if isinstance(event, WORDS):
        return None
    if isinstance(event, ToolFinished):
        return event.model_copy(update={"summary": "" if event.ok else REFUSED})
    return event
