"""What one model call has brought so far: whole blocks, and the text of those that are still growing."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from sprout.events import Event, Message, MessageDelta, MessageReset, Reasoning, ReasoningDelta, ThinkingDelta, Usage
from sprout.events import Thinking as ThinkingShown
from sprout.loop.model import (
    Block,
    BlockDone,
    InputPart,
    RedactedThinking,
    ReplyEnded,
    ReplyPart,
    Text,
    TextPart,
    Thinking,
    ThinkingPart,
    ToolUse,
    UsagePart,
)
from sprout.loop.notices import notice
from sprout.loop.replied import WITHHELD, Replied, is_said
from sprout.loop.screen import Screen
from sprout.loop.spoken import SpokenField

Voice = Literal["reasoning", "message"]
Sort = Literal["text", "thinking", "spoken"]

AFTER_THE_END = "after_the_end"


@dataclass(slots=True)
class _Growing:
    """A block; `text` is what people have seen of it."""

    block_id: str
    sort: Sort
    text: str = ""


class Attempt:
    """Collects the parts of one reply.

    Args:
        prefix: makes the ids of its blocks unique within the log.
        used_ids: ids of the calls of this turn so far; a call that repeats one gets a new one.
        spoken: tool → the field of its input that is the learner's text.
        screen: what words to the learner pass through. Once it has withheld some, all that follow are withheld too, and
            after a spoken call nothing more is said: it may have asked what these words would answer.
    """

    def __init__(
        self,
        prefix: str,
        voice: Voice,
        used_ids: set[str],
        spoken: Mapping[str, str],
        screen: Screen | None = None,
    ) -> None:
        self.blocks: list[Block] = []
        self.usage = Usage()
        self.stop_reason: str | None = None
        self.void = False
        self.withheld_calls: dict[str, str] = {}
        self.withheld_text = False
        self.spoken_blocks: dict[str, str] = {}
        self._screen = screen
        self._fed: dict[int, str] = {}
        self._has_spoken = False
        self._prefix = prefix
        self._voice = voice
        self._used_ids = used_ids
        self._spoken = spoken
        self._heard: dict[int, SpokenField] = {}
        self._unreadable: ToolUse | None = None
        self._ready: list[ToolUse] = []
        self._growing: dict[int, _Growing] = {}
        self._shown: list[str] = []

    def take(self, part: ReplyPart) -> list[Event]:
        """Take in one part; what people see of it. Calls are fetched with `ready`."""
        match part:
            case TextPart(index, text):
                return self._heard_words(index, text, "text")
            case ThinkingPart(index, text):
                return [self._grown(index, text, "thinking")] if text else []
            case InputPart(index, name, json):
                said = self._heard.setdefault(index, SpokenField(self._spoken[name])).feed(json)
                return self._heard_words(index, said, "spoken") if said else []
            case BlockDone(index, ToolUse() as call, problem):
                call = self._take_call(call, problem)
                return self._said(index, call, problem)
            case BlockDone(index, Text() as block) if self._screens_text:
                return [] if self._has_spoken else self._screened(index, block)
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

    def ready(self) -> list[ToolUse]:
        """The calls that came since this was last asked."""
        ready, self._ready = self._ready, []
        return ready

    @property
    def withheld(self) -> str | None:
        """Why words of this reply were not shown, in the screen's words; None where all were."""
        return self._screen.withheld if self._screen is not None else None

    @property
    def has_substance(self) -> bool:
        """Whether a block has ended that can be kept as a turn of its own; thinking and empty text cannot."""
        return any(is_said(block) for block in self.blocks)

    def replied(self) -> Replied:
        """The reply as the transcript keeps it: it ends with words or a call, or is empty."""
        blocks = list(self.blocks)
        while blocks and not is_said(blocks[-1]):
            blocks.pop()  # thinking and empty text, where a reply was cut or is nothing else
        withheld = self.withheld_text or self.withheld_calls
        return Replied(
            tuple(blocks), WITHHELD if withheld else self.stop_reason, cut_in_a_call=self._unreadable is not None
        )

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
            if growing.sort == "text":  # behind a screen it is what came out of it
                self.blocks.append(Text(growing.text))
                events += self._whole(index, Text(growing.text))
        return events + self.cut_off()

    def _take_call(self, call: ToolUse, problem: str | None) -> ToolUse:
        # An input that cannot be read may have been cut by the token limit: only what comes next tells.
        self._release_unreadable()
        if call.id in self._used_ids:
            call = replace(call, id=f"{call.id}-{len(self._used_ids)}")
        self._used_ids.add(call.id)
        if problem is not None:
            self._unreadable = replace(call, problem=problem)
        else:
            self.blocks.append(call)
            self._ready.append(call)
        return call

    def _release_unreadable(self) -> None:
        if self._unreadable is not None:
            self.blocks.append(self._unreadable)
            self._ready.append(self._unreadable)
            self._unreadable = None

    def _said(self, index: int, call: ToolUse, problem: str | None) -> list[Event]:
        """The whole of what a call says to the learner; what was heard of a call that cannot be read is withdrawn."""
        growing = self._growing.pop(index, None)
        if problem is not None:
            return [MessageReset(block_id=growing.block_id)] if growing else []
        field = self._spoken.get(call.name)
        text = call.input.get(field) if field else None
        if not isinstance(text, str) or not text:
            return []
        block_id = f"{self._prefix}.{index}"
        if self._screen is not None and self._has_spoken:
            self.withheld_calls[call.id] = AFTER_THE_END
            return []
        if self._screen is not None and self._rest_of(index, text) is None:
            self.withheld_calls[call.id] = self._screen.withheld or WITHHELD
            return [MessageReset(block_id=block_id)] if growing else []
        self._has_spoken = True
        self._shown.append(block_id)
        self.spoken_blocks[call.id] = block_id
        return [Message(block_id=block_id, text=text)]

    @property
    def _screens_text(self) -> bool:
        return self._screen is not None and self._voice == "message"

    def _heard_words(self, index: int, text: str, sort: Sort) -> list[Event]:
        """Words that the model has written; what people see of them, a sentence at a time where there is a screen."""
        if self._screen is None or (sort == "text" and not self._screens_text):
            return [self._grown(index, text, sort)]
        if self._has_spoken:
            return []
        self._fed[index] = self._fed.get(index, "") + text
        shown = self._screen.feed(text)
        events: list[Event] = [self._grown(index, shown, sort)] if shown else []
        if self._screen.withheld is not None and (growing := self._growing.pop(index, None)) is not None:
            events.append(MessageReset(block_id=growing.block_id))
        return events

    def _rest_of(self, index: int, text: str) -> str | None:
        """What the screen lets through at the end of a block; None where it has withheld some of its words."""
        assert self._screen is not None
        fed = self._fed.pop(index, "")
        # What was heard and what stands in the end may differ: a field may be written twice.
        unheard = text[len(fed) :] if text.startswith(fed) else f"\n{text}"
        shown = self._screen.feed(unheard) + self._screen.end()
        return shown if self._screen.withheld is None else None

    def _screened(self, index: int, block: Text) -> list[Event]:
        """The end of a block of words; one that is withheld stands in the transcript as a remark that it was."""
        growing = self._growing.get(index)
        if self._rest_of(index, block.text) is not None:
            self.blocks.append(block)
            return self._whole(index, block)
        self._growing.pop(index, None)
        self.withheld_text = True
        # Thinking is valid only before the words that it led to.
        self.blocks = [one for one in self.blocks if not isinstance(one, (Thinking, RedactedThinking))]
        self.blocks.append(Text(notice("withheld_words")))
        return [MessageReset(block_id=growing.block_id)] if growing else []

    def _grown(self, index: int, text: str, sort: Sort) -> Event:
        growing = self._growing.get(index)
        if growing is None:
            growing = self._growing[index] = _Growing(f"{self._prefix}.{index}", sort)
        growing.text += text
        if sort == "thinking":
            return ThinkingDelta(block_id=growing.block_id, text=text)
        if sort == "spoken" or self._voice == "message":
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
