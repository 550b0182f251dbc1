"""What one model call has brought so far: whole blocks, and the text of those that are still growing."""

from dataclasses import dataclass, replace
from typing import Literal

from sprout.events import Event, Message, MessageDelta, MessageReset, Reasoning, ReasoningDelta, ThinkingDelta, Usage
from sprout.events import Thinking as ThinkingShown
from sprout.loop.model import (
    Block,
    BlockDone,
    ReplyEnded,
    ReplyPart,
    Text,
    TextPart,
    Thinking,
    ThinkingPart,
    ToolUse,
    UsagePart,
)

Voice = Literal["reasoning", "message"]


@dataclass(slots=True)
class _Growing:
    block_id: str
    thinks: bool
    text: str = ""


class Attempt:
    """Collects the parts of one reply.

    Args:
        prefix: makes the ids of its blocks unique within the log.
        used_ids: ids of the calls of this turn so far; a call that repeats one gets a new one.
    """

    def __init__(self, prefix: str, voice: Voice, used_ids: set[str]) -> None:
        self.blocks: list[Block] = []
        self.usage = Usage()
        self.stop_reason: str | None = None
        self.void = False
        self._prefix = prefix
        self._voice = voice
        self._used_ids = used_ids
        self._unreadable: tuple[ToolUse, str] | None = None
        self._ready: list[tuple[ToolUse, str | None]] = []
        self._growing: dict[int, _Growing] = {}
        self._shown: list[str] = []

    def take(self, part: ReplyPart) -> list[Event]:
        """Take in one part; what people see of it. Calls are fetched with `ready`."""
        match part:
            case TextPart(index, text):
                return [self._grown(index, text, thinks=False)]
            case ThinkingPart(index, text):
                return [self._grown(index, text, thinks=True)] if text else []
            case BlockDone(_, ToolUse() as call, problem):
                self._take_call(call, problem)
            case BlockDone(index, block):
                self.blocks.append(block)
                return self._whole(index, block)
            case UsagePart(usage):
                self.usage = usage
            case ReplyEnded(stop_reason):
                self.stop_reason = stop_reason
                if stop_reason != "max_tokens":
                    self._release_unreadable()
        return []

    def ready(self) -> list[tuple[ToolUse, str | None]]:
        """The calls that came since this was last asked, each with what is wrong with its input, if anything."""
        ready, self._ready = self._ready, []
        return ready

    @property
    def cut_in_a_call(self) -> bool:
        """Whether the reply ended within the input of a call: that call does not count."""
        return self._unreadable is not None

    @property
    def has_substance(self) -> bool:
        """Whether a block has ended that can be kept as a turn of its own; thinking alone cannot."""
        return any(isinstance(block, (Text, ToolUse)) for block in self.blocks)

    def cut_off(self) -> list[Event]:
        """Drop the blocks that are still growing; what withdraws their text."""
        withdrawn: list[Event] = [MessageReset(block_id=block.block_id) for block in self._growing.values()]
        self._growing.clear()
        return withdrawn

    def given_up(self) -> list[Event]:
        """Drop everything; what withdraws all text that was shown."""
        withdrawn = self.cut_off() + [MessageReset(block_id=block_id) for block_id in self._shown]
        self.blocks.clear()
        self._shown.clear()
        self.void = True
        return withdrawn

    def kept_as_it_is(self) -> list[Event]:
        """End the blocks that are still growing where they are: their text stays, as a person has read it."""
        events: list[Event] = []
        for index, growing in list(self._growing.items()):
            if not growing.thinks:
                self.blocks.append(Text(growing.text))
                events += self._whole(index, Text(growing.text))
        return events + self.cut_off()

    def _take_call(self, call: ToolUse, problem: str | None) -> None:
        # An input that cannot be read may have been cut by the token limit: only what comes next tells.
        self._release_unreadable()
        if call.id in self._used_ids:
            call = replace(call, id=f"{call.id}-{len(self._used_ids)}")
        self._used_ids.add(call.id)
        if problem is not None:
            self._unreadable = (call, problem)
        else:
            self.blocks.append(call)
            self._ready.append((call, None))

    def _release_unreadable(self) -> None:
        if self._unreadable is not None:
            self.blocks.append(self._unreadable[0])
            self._ready.append(self._unreadable)
            self._unreadable = None

    def _grown(self, index: int, text: str, *, thinks: bool) -> Event:
        growing = self._growing.get(index)
        if growing is None:
            growing = self._growing[index] = _Growing(f"{self._prefix}.{index}", thinks)
        growing.text += text
        if thinks:
            return ThinkingDelta(block_id=growing.block_id, text=text)
        if self._voice == "message":
            return MessageDelta(block_id=growing.block_id, text=text)
        return ReasoningDelta(block_id=growing.block_id, text=text)

    def _whole(self, index: int, block: Block) -> list[Event]:
        self._growing.pop(index, None)
        if not isinstance(block, (Text, Thinking)) or not block.text:
            return []
        block_id = f"{self._prefix}.{index}"
        self._shown.append(block_id)
        if isinstance(block, Thinking):
            return [ThinkingShown(block_id=block_id, text=block.text)]
        if self._voice == "message":
            return [Message(block_id=block_id, text=block.text)]
        return [Reasoning(block_id=block_id, text=block.text)]
