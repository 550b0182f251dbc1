"""Messages as an AG-UI client has them: texts that grow, are completed and withdrawn, as events of that protocol."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ag_ui.core import (
    AssistantMessage,
    Event,
    FunctionCall,
    Message,
    MessagesSnapshotEvent,
    ReasoningEndEvent,
    ReasoningMessage,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    ReasoningStartEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCall,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
    ToolMessage,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A text that can grow.

    Args:
        owner: the subagent that it belongs to; None for the agent itself.
    """

    id: str
    kind: Literal["text", "reasoning"]
    owner: str | None


class ClientMessages:
    """What a client has of a conversation, changed only by the events that are sent to it.

    A client that sends a request again has a part of the answer already: of what it knows by its id, it is sent the
    rest.
    """

    def __init__(self, known: Iterable[Message]) -> None:
        self._messages: dict[str, Message] = {one.id: one.model_copy(deep=True) for one in known}
        self._open: dict[str, Block] = {}

    def grow(self, block: Block, text: str) -> list[Event]:
        """Text at the end of a block; what the client has of one that was not growing is of an attempt given up."""
        if block.id in self._open:
            return [self._append(block, text)]
        return [*self._withdraw_text(block), *self._begin(block), self._append(block, text)]

    def replace(self, block: Block, text: str, *, complete: bool) -> list[Event]:
        """The whole text of a block so far; `complete` ends it."""
        had = self.text_of(block.id)
        if had == text and complete and block.id not in self._open and block.id in self._messages:
            return []
        events = [] if text.startswith(had) else self._withdraw_text(block)
        if block.id not in self._open:
            events += self._begin(block)
        if rest := text[len(self.text_of(block.id)) :]:
            events.append(self._append(block, rest))
        return events + (self._end(block) if complete else [])

    def withdraw(self, block_id: str) -> list[Event]:
        """The end of a block that belongs to an attempt given up; its text is taken back from the client."""
        known = self._messages.get(block_id)
        kind: Literal["text", "reasoning"] = "reasoning" if isinstance(known, ReasoningMessage) else "text"
        return [] if known is None else self._withdraw_text(Block(block_id, kind, known.subagent_run_id))

    def withdraw_open(self, owner: str | None) -> list[Event]:
        """The same for all blocks in flight of one agent."""
        return [event for block in [*self._open.values()] if block.owner == owner for event in self.withdraw(block.id)]

    def end_all(self) -> list[Event]:
        """The end of all blocks in flight, which stay as they are."""
        return [event for block in [*self._open.values()] for event in self._end(block)]

    def call_tool(self, call_id: str, tool: str, arguments: str, owner: str | None) -> list[Event]:
        """A call with its arguments; nothing for a call that begins again."""
        if call_id in self._messages:
            return []
        call = ToolCall(id=call_id, function=FunctionCall(name=tool, arguments=arguments))
        self._messages[call_id] = AssistantMessage(id=call_id, tool_calls=[call], subagent_run_id=owner)
        return [
            ToolCallStartEvent(tool_call_id=call_id, tool_call_name=tool, subagent_run_id=owner),
            ToolCallArgsEvent(tool_call_id=call_id, delta=arguments, subagent_run_id=owner),
            ToolCallEndEvent(tool_call_id=call_id, subagent_run_id=owner),
        ]

    def end_call(self, call_id: str, result: str, owner: str | None) -> list[Event]:
        """The result of a call."""
        message = ToolMessage(id=f"{call_id}:result", tool_call_id=call_id, content=result, subagent_run_id=owner)
        if message.id in self._messages:
            return []
        self._messages[message.id] = message
        return [ToolCallResultEvent(message_id=message.id, tool_call_id=call_id, content=result, subagent_run_id=owner)]

    def text_of(self, id: str) -> str:
        """The text that the client has of a message; "" for one that it does not know."""
        content = getattr(self._messages.get(id), "content", None)
        return content if isinstance(content, str) else ""

    def _begin(self, block: Block) -> list[Event]:
        self._open[block.id] = block
        if block.kind == "reasoning":
            fresh: Message = ReasoningMessage(id=block.id, content="", subagent_run_id=block.owner)
            self._messages.setdefault(block.id, fresh)
            return [
                ReasoningStartEvent(message_id=block.id, subagent_run_id=block.owner),
                ReasoningMessageStartEvent(message_id=block.id, subagent_run_id=block.owner),
            ]
        self._messages.setdefault(block.id, AssistantMessage(id=block.id, content="", subagent_run_id=block.owner))
        return [TextMessageStartEvent(message_id=block.id, role="assistant", subagent_run_id=block.owner)]

    def _append(self, block: Block, text: str) -> Event:
        whole = {"content": self.text_of(block.id) + text}
        self._messages[block.id] = self._messages[block.id].model_copy(update=whole)
        if block.kind == "reasoning":
            return ReasoningMessageContentEvent(message_id=block.id, delta=text, subagent_run_id=block.owner)
        return TextMessageContentEvent(message_id=block.id, delta=text, subagent_run_id=block.owner)

    def _end(self, block: Block) -> list[Event]:
        if self._open.pop(block.id, None) is None:
            return []
        if block.kind == "reasoning":
            return [
                ReasoningMessageEndEvent(message_id=block.id, subagent_run_id=block.owner),
                ReasoningEndEvent(message_id=block.id, subagent_run_id=block.owner),
            ]
        return [TextMessageEndEvent(message_id=block.id, subagent_run_id=block.owner)]

    def _withdraw_text(self, block: Block) -> list[Event]:
        """The events after which the client has nothing of a block.

        A snapshot without any reasoning leaves a client its own, so that reasoning is emptied and not left out.
        """
        if not self.text_of(block.id):
            return self._end(block)
        if block.kind == "reasoning":
            self._messages[block.id] = self._messages[block.id].model_copy(update={"content": ""})
        else:
            del self._messages[block.id]
        return [*self._end(block), MessagesSnapshotEvent(messages=[*self._messages.values()])]
