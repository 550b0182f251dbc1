"""Reply builder: accumulates the parts of one reply into blocks, and the events that show their growth."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from sprout.errors import ModelFailure, ModelFailureKind
from sprout.events import (
    Event,
    MessageBlock,
    MessageDelta,
    MessageReset,
    ReasoningBlock,
    ReasoningDelta,
    ThinkingDelta,
    Usage,
)
from sprout.events import ThinkingBlock as ThinkingShown
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
from sprout.loop.model_call.echo import Echo
from sprout.loop.model_call.partial_json import FIELD_BREAK, StringFieldDecoder
from sprout.loop.model_call.repetition import RepetitionDetector
from sprout.loop.model_notices import notice
from sprout.loop.model_reply import WITHHELD, ModelReply, is_substantial
from sprout.loop.turn_options import OutputFilter, Voice

Sort = Literal["text", "thinking", "spoken"]

AFTER_THE_END = "after_the_end"
REPEATS = "The model wrote the same passage again and again. Try again, or choose another with SPROUT_MODEL."


@dataclass(slots=True)
class _Growing:
    """An incomplete block; `text` is the part that was shown."""

    block_id: str
    sort: Sort
    text: str = ""


class ReplyBuilder:
    """Collects the parts of one reply.

    Args:
        prefix: makes the ids of its blocks unique within the log.
        used_ids: ids of the calls of this turn so far; a call that repeats one gets a new one.
        spoken: tool → the fields of its input that are the learner's text.
        output_filter: filters words to the learner. Once it has withheld some, all that follow are withheld too, and no
            text is shown after a spoken call: it may have asked what that text would answer.
        own_words: what Sprout itself said to the model last: text that repeats it is dropped unseen.
    """

    def __init__(
        self,
        prefix: str,
        voice: Voice,
        used_ids: set[str],
        spoken: Mapping[str, tuple[str, ...]],
        output_filter: OutputFilter | None = None,
        *,
        own_words: str = "",
    ) -> None:
        self.blocks: list[Block] = []
        self.usage = Usage()
        self.stop_reason: str | None = None
        self.void = False
        self.withheld_calls: dict[str, str] = {}
        self.withheld_text = False
        self.spoken_blocks: dict[str, str] = {}
        self._filter = output_filter
        self._fed: dict[int, str] = {}
        self._has_spoken = False
        self._prefix = prefix
        self._voice = voice
        self._used_ids = used_ids
        self._spoken = spoken
        self._decoders: dict[int, StringFieldDecoder] = {}
        self._unreadable: ToolUse | None = None
        self._ready: list[ToolUse] = []
        self._own_words = own_words
        self._echoes: dict[int, Echo] = {}
        self._repetition = RepetitionDetector()
        self._growing: dict[int, _Growing] = {}
        self._shown: list[str] = []

    def take(self, part: ReplyPart) -> list[Event]:
        """Take in one part and return the events that show it. Calls are fetched with `ready`.

        Raises ModelFailure: the reply only repeats itself.
        """
        match part:
            case TextPart(_, text) | ThinkingPart(_, text) if self._repetition.feed(text):
                raise ModelFailure(ModelFailureKind.REPEATING, REPEATS)
            case TextPart(index, text):
                text = self._echo(index).feed(text)
                return self._words(index, text, "text") if text else []
            case ThinkingPart(index, text):
                return [self._grown(index, text, "thinking")] if text else []
            case InputPart(index, name, json):
                text = self._decoders.setdefault(index, StringFieldDecoder(*self._spoken[name])).feed(json)
                return self._words(index, text, "spoken") if text else []
            case BlockDone(index, ToolUse() as call, problem):
                call = self._take_call(call, problem)
                return self._finish_call(index, call, problem)
            case BlockDone(index, Text(text)) if self._echo(index).is_echo(text):
                growing = self._growing.pop(index, None)
                return [MessageReset(block_id=growing.block_id)] if growing else []
            case BlockDone(index, Text() as block) if self._filters_text:
                return [] if self._has_spoken else self._filtered(index, block)
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
        """The calls that were completed since the last request."""
        ready, self._ready = self._ready, []
        return ready

    @property
    def withheld(self) -> str | None:
        """Why words of this reply were withheld, as the output filter has it; None if all were shown."""
        return self._filter.withheld if self._filter is not None else None

    @property
    def has_substance(self) -> bool:
        """Whether a complete block can stand as a message of its own; thinking and empty text cannot."""
        return any(is_substantial(block) for block in self.blocks)

    def reply(self) -> ModelReply:
        """The reply for the transcript: it ends with words or a call, or is empty."""
        blocks = list(self.blocks)
        while blocks and not is_substantial(blocks[-1]):
            blocks.pop()  # thinking and empty text, where a reply was cut or is nothing else
        withheld = self.withheld_text or self.withheld_calls
        return ModelReply(
            tuple(blocks),
            WITHHELD if withheld else self.stop_reason,
            cut_in_a_call=self._unreadable is not None,
            withheld=self.withheld,
        )

    def drop_open_blocks(self) -> list[Event]:
        """Drop the incomplete blocks; returns the events that withdraw their text."""
        withdrawn: list[Event] = [MessageReset(block_id=block.block_id) for block in self._growing.values()]
        self._growing.clear()
        return withdrawn

    def withdraw(self) -> list[Event]:
        """Drop the whole reply; returns the events that withdraw all text that was shown."""
        withdrawn = self.drop_open_blocks() + [MessageReset(block_id=block_id) for block_id in self._shown]
        self.blocks.clear()
        self._shown.clear()
        self.void = True
        return withdrawn

    def end_open_blocks(self) -> list[Event]:
        """End incomplete text blocks where they are: their text stays, since a person has read it."""
        events: list[Event] = []
        for index, growing in list(self._growing.items()):
            if growing.sort == "text":  # with a filter, what came out of it
                self.blocks.append(Text(growing.text))
                events += self._whole(index, Text(growing.text))
        return events + self.drop_open_blocks()

    def _take_call(self, call: ToolUse, problem: str | None) -> ToolUse:
        # An unreadable input may have been cut by the token limit: only the next part shows it.
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

    def _finish_call(self, index: int, call: ToolUse, problem: str | None) -> list[Event]:
        """The complete words of a call to the learner; those of an unreadable call are withdrawn."""
        growing = self._growing.pop(index, None)
        if problem is not None:
            return [MessageReset(block_id=growing.block_id)] if growing else []
        written = (call.input.get(field) for field in self._spoken.get(call.name, ()))
        text = FIELD_BREAK.join(one for one in written if isinstance(one, str) and one)
        if not text:
            return []
        block_id = f"{self._prefix}.{index}"
        if self._filter is not None and self._has_spoken:
            self.withheld_calls[call.id] = AFTER_THE_END
            return []
        if self._filter is not None and self._rest_of(index, text) is None:
            self.withheld_calls[call.id] = self._filter.withheld or WITHHELD
            return [MessageReset(block_id=block_id)] if growing else []
        self._has_spoken = True
        self._shown.append(block_id)
        self.spoken_blocks[call.id] = block_id
        return [MessageBlock(block_id=block_id, text=text)]

    def _echo(self, index: int) -> Echo:
        return self._echoes.setdefault(index, Echo(self._own_words))

    @property
    def _filters_text(self) -> bool:
        return self._filter is not None and self._voice == "message"

    def _words(self, index: int, text: str, sort: Sort) -> list[Event]:
        """Events for words that the model has written; with an output filter, a sentence at a time."""
        if self._filter is None or (sort == "text" and not self._filters_text):
            return [self._grown(index, text, sort)]
        if self._has_spoken:
            return []
        self._fed[index] = self._fed.get(index, "") + text
        shown = self._filter.feed(text)
        events: list[Event] = [self._grown(index, shown, sort)] if shown else []
        if self._filter.withheld is not None and (growing := self._growing.pop(index, None)) is not None:
            events.append(MessageReset(block_id=growing.block_id))
        return events

    def _rest_of(self, index: int, text: str) -> str | None:
        """Text that the filter passes at the end of a block; None if it has withheld any of the block's words."""
        assert self._filter is not None
        fed = self._fed.pop(index, "")
        # The streamed and the final text may differ: a field may be written twice.
        rest = text[len(fed) :] if text.startswith(fed) else f"\n{text}"
        shown = self._filter.feed(rest) + self._filter.end()
        return shown if self._filter.withheld is None else None

    def _filtered(self, index: int, block: Text) -> list[Event]:
        """The end of a block of words; a withheld one is replaced by a remark in the transcript."""
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
            return [MessageBlock(block_id=block_id, text=block.text)]
        return [ReasoningBlock(block_id=block_id, text=block.text)]
